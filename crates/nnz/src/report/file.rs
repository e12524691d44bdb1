//! The name, size and date of a file or directory.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use nnz_core::{Place, is_url, without_secrets};

use crate::Location;
use crate::text::format_size;

/// Files of a directory whose sizes are added.
const MOST: usize = 1_000_000;

/// Returns the name of a file or directory, and of the group in it.
pub(super) fn title(location: &Location) -> String {
    let Location::Path { path, group } = location else { return location.to_string() };
    let group = group.as_deref().map(|group| group.trim_matches('/'));
    let group = group.filter(|group| !group.is_empty()).map(|group| format!("::{group}"));
    file_name(&without_secrets(path)) + &group.unwrap_or_default()
}

/// Returns the title of a matrix that is at a place.
pub(super) fn title_of_place(place: &Place) -> String {
    match &place.path {
        Some(path) if !place.selection => title(&Location::parse(path)),
        _ => place.to_string(),
    }
}

/// Returns the last name of a path, and the one before it if the last one alone does not say much: `.`, `..` and
/// hidden files.
fn file_name(path: &Path) -> String {
    let shown = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    if let Some(name) = shown(path).filter(|name| !name.starts_with('.')) {
        return name;
    }
    let whole = if is_url(path) { None } else { path.canonicalize().ok() };
    let whole = whole.as_deref().unwrap_or(path);
    match (shown(whole), whole.parent().and_then(shown)) {
        (Some(name), Some(parent)) if name.starts_with('.') => format!("{parent}/{name}"),
        (Some(name), _) => name,
        (None, _) => whole.to_string_lossy().into_owned(),
    }
}

/// Returns the size of a file or directory, and when it was changed.
pub(super) fn facts(location: &Location) -> Vec<(&'static str, String)> {
    let Location::Path { path, .. } = location else { return Vec::new() };
    let Some((size, changed)) = measured(path) else { return Vec::new() };
    let changed = changed.and_then(date).map(|date| ("Changed", date));
    std::iter::once(("File size", format_size(size))).chain(changed).collect()
}

/// Returns the size of a file, or of all files of a directory, and when the last of them was changed.
fn measured(path: &Path) -> Option<(u64, Option<SystemTime>)> {
    let found = path.metadata().ok()?;
    let mut changed = found.modified().ok();
    if !found.is_dir() {
        return Some((found.len(), changed));
    }
    let mut size: u64 = 0;
    let mut count = 0;
    let mut directories = vec![path.to_path_buf()];
    while let Some(directory) = directories.pop() {
        for entry in directory.read_dir().ok()? {
            count += 1;
            if count > MOST {
                return None;
            }
            let entry = entry.ok()?;
            // Links are not followed.
            let found = entry.metadata().ok()?;
            changed = changed.max(found.modified().ok());
            match found.is_dir() {
                true => directories.push(entry.path()),
                false => size = size.saturating_add(found.len()),
            }
        }
    }
    Some((size, changed))
}

/// Formats a time, such as `2026-02-11 09:30 UTC`; `None` if it is before 1970.
fn date(time: SystemTime) -> Option<String> {
    let minutes = time.duration_since(UNIX_EPOCH).ok()?.as_secs() / 60;
    let (hour, minute) = (minutes / 60 % 24, minutes % 60);
    // Days since 0000-03-01, in years that begin in March, so that the day of a leap year is the last one.
    let days = minutes / (24 * 60) + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    Some(format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02} UTC"))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn titles_are_names_of_files() {
        for (location, name) in [
            ("a/b/study.h5ad", "study.h5ad"),
            ("study.h5ad::layers/counts", "study.h5ad::layers/counts"),
            ("study.h5ad::/", "study.h5ad"),
            ("data/pbmc.bpcells/", "pbmc.bpcells"),
            ("https://host/a/b.h5ad?signature=1", "b.h5ad"),
            ("missing/.zarr", "missing/.zarr"),
            ("/", "/"),
        ] {
            assert_eq!(title(&Location::parse(location)), name, "{location}");
        }
        let here = std::env::current_dir().unwrap();
        let here = here.canonicalize().unwrap();
        assert_eq!(title(&Location::parse(".")), here.file_name().unwrap().to_str().unwrap());
        let mut place = Place::path("a/b.mtx");
        assert_eq!(title_of_place(&place), "b.mtx");
        place.selection = true;
        assert_eq!(title_of_place(&place), "the selection from a/b.mtx");
    }

    #[test]
    fn dates_are_in_utc() {
        for (seconds, text) in [
            (0, "1970-01-01 00:00 UTC"),
            (951_782_399, "2000-02-28 23:59 UTC"),
            (951_782_400, "2000-02-29 00:00 UTC"),
            (951_868_800, "2000-03-01 00:00 UTC"),
            (1_798_761_599, "2026-12-31 23:59 UTC"),
            (4_107_542_400, "2100-03-01 00:00 UTC"),
        ] {
            let time = UNIX_EPOCH + Duration::from_secs(seconds);
            assert_eq!(date(time).as_deref(), Some(text), "{seconds}");
        }
        assert_eq!(date(UNIX_EPOCH - Duration::from_secs(1)), None);
    }

    #[test]
    fn directories_have_the_size_of_their_files() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::create_dir(directory.path().join("inner")).unwrap();
        std::fs::write(directory.path().join("a"), "123").unwrap();
        std::fs::write(directory.path().join("inner/b"), "4567").unwrap();
        assert_eq!(measured(directory.path()).unwrap().0, 7);
        assert_eq!(measured(&directory.path().join("a")).unwrap().0, 3);
        assert_eq!(measured(&directory.path().join("missing")), None);
    }
}
