//! Parts of HTML.

/// Escapes a text for content and attributes. Control characters are shown as in messages.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for sign in nnz_core::escaped(text).chars() {
        match sign {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// Longer texts are shortened in the middle; the whole text is the title of the element.
const LONGEST: usize = 60;

/// Returns a name that may be long.
pub(super) fn name(text: &str) -> String {
    let count = text.chars().count();
    if count <= LONGEST {
        return escape(text);
    }
    let half = LONGEST / 2;
    let start: String = text.chars().take(half).collect();
    let end: String = text.chars().skip(count - half).collect();
    // A title is for reading as well, and not for megabytes.
    let title: String = text.chars().take(1000).collect();
    format!("<span title=\"{}\">{}…{}</span>", escape(&title), escape(&start), escape(&end))
}

/// A column of a table.
#[derive(Clone, Copy)]
pub(super) enum Align {
    Text,
    Number,
}

/// Returns a table. Cells are HTML; the first of each row is its heading.
pub(super) fn table(caption: &str, columns: &[(&str, Align)], rows: &[Vec<String>]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let class = |at: usize| match columns.get(at) {
        Some((_, Align::Number)) => " class=\"n\"",
        _ => "",
    };
    let heads = columns.iter().enumerate();
    let heads: String = heads
        .map(|(at, (head, _))| format!("<th scope=\"col\"{}>{head}</th>", class(at)))
        .collect();
    let rows = rows.iter().map(|row| {
        let cells = row.iter().enumerate().map(|(at, cell)| match at {
            0 => format!("<th scope=\"row\"{}>{cell}</th>", class(0)),
            _ => format!("<td{}>{cell}</td>", class(at)),
        });
        format!("<tr>{}</tr>\n", cells.collect::<String>())
    });
    let rows: String = rows.collect();
    format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"{caption}\"><table><caption>{caption}</caption>\
         <thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}</tbody></table></div>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_cannot_become_elements() {
        assert_eq!(
            escape("<b title='x'>&\"\u{1b}"),
            "&lt;b title=&#39;x&#39;&gt;&amp;&quot;\\u{1b}"
        );
    }

    #[test]
    fn long_names_are_shortened_in_the_middle() {
        let long = "a".repeat(50) + &"b".repeat(50);
        let shown = name(&long);
        assert!(shown.contains(&format!(">{}…{}<", "a".repeat(30), "b".repeat(30))), "{shown}");
        assert_eq!(name("short"), "short");
    }
}
