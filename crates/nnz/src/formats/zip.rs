//! Zip files that are not read.

use std::path::Path;

use super::{Format, Registry};

impl Registry {
    /// Describes a zip file without a supported matrix, and how to read what it contains.
    pub(super) fn about_zip(&self, names: &[String]) -> String {
        const MOST: usize = 5;
        let files = names.iter().map(String::as_str).filter(|name| !name.ends_with('/'));
        let files: Vec<&str> = files.collect();
        let list = files.iter().take(MOST).map(|name| name.escape_debug().to_string());
        let list = list.collect::<Vec<_>>().join(", ");
        let more = if files.len() > MOST { ", ..." } else { "" };
        let is_format = |name: &&&str| {
            let is = |format: &&dyn Format| format.is_entry(Path::new(name), None).unwrap_or(false);
            self.formats().iter().any(is)
        };
        let is_tenx = |name: &&&str| {
            let plain = name.strip_suffix(".gz").unwrap_or(name);
            plain.ends_with("matrix.mtx")
        };
        if let Some(matrix) = files.iter().find(is_tenx)
            && files.iter().any(|name| name.contains("barcodes.tsv"))
        {
            let folder = matrix.rsplit_once('/').map_or(".", |(folder, _)| folder);
            let folder = folder.escape_debug();
            return format!(
                "a zip file of a 10x directory ({list}{more}); extract it with unzip and open the \
                 directory {folder}"
            );
        }
        match files.iter().find(is_format) {
            Some(name) if files.len() == 1 => format!(
                "a zip file of {list}; extract it with unzip and open {}, or text by unzip -p FILE | \
                 nnz VERB -",
                name.escape_debug()
            ),
            Some(name) => format!(
                "a zip file of {list}{more}; extract it with unzip and open {}",
                name.escape_debug()
            ),
            None if files.is_empty() => "a zip file without files".to_owned(),
            None => format!("not recognized: a zip file of {list}{more}"),
        }
    }
}
