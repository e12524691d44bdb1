//! The files that `aws configure` writes.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use object_store::aws::AmazonS3ConfigKey as Key;

/// The longest file that is read.
const MOST: u64 = 4 << 20;

/// Settings of one section.
type Section = BTreeMap<String, String>;

/// Reads the profile that was named, or `AWS_PROFILE`, or `default`, of both files; `None` where there is
/// none.
pub(super) fn read(named: Option<&str>) -> io::Result<Option<Vec<(Key, String)>>> {
    let variable = std::env::var("AWS_PROFILE").ok().filter(|name| !name.is_empty());
    let asked = named.map(str::to_owned).or(variable);
    let name = asked.as_deref().unwrap_or("default");
    let config = text("AWS_CONFIG_FILE", "config")?;
    let credentials = text("AWS_SHARED_CREDENTIALS_FILE", "credentials")?;
    let mut all = section(&config, &format!("profile {name}"));
    if name == "default" {
        all.extend(section(&config, name));
    }
    all.extend(section(&credentials, name));
    if all.is_empty() {
        return match asked {
            None => Ok(None),
            Some(name) => {
                let what = format!("no profile {name:?} in ~/.aws/config or ~/.aws/credentials");
                Err(io::Error::new(io::ErrorKind::InvalidInput, what))
            }
        };
    }
    settings(all, name).map(Some)
}

/// Reads a file of the user; what is not there has no text.
fn text(variable: &str, name: &str) -> io::Result<String> {
    let path = std::env::var_os(variable).map(PathBuf::from);
    let home = || std::env::home_dir().map(|home| home.join(".aws").join(name));
    let Some(path) = path.or_else(home) else { return Ok(String::new()) };
    match path.metadata() {
        Ok(found) if found.len() <= MOST => std::fs::read_to_string(&path),
        Ok(_) => Err(io::Error::other(format!("{name} of AWS is too long"))),
        Err(_) => Ok(String::new()),
    }
}

/// Returns the settings of a section, names in lower case.
fn section(text: &str, name: &str) -> Section {
    let mut inside = false;
    let mut found = Section::new();
    for line in text.lines() {
        let comment = line.starts_with(['#', ';']);
        // Indented lines belong to a setting of several, which none here is.
        if comment || line.starts_with([' ', '\t']) {
            continue;
        }
        let line = line.trim();
        if let Some(heading) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            let words: Vec<_> = heading.split_whitespace().collect();
            inside = words.join(" ").replace('"', "") == name;
        } else if let (true, Some((key, value))) = (inside, line.split_once('=')) {
            found.insert(key.trim().to_ascii_lowercase(), value.trim().to_owned());
        }
    }
    found
}

/// Turns the settings of a profile into settings of a client.
fn settings(mut all: Section, name: &str) -> io::Result<Vec<(Key, String)>> {
    let export = format!("run `aws configure export-credentials --profile {name} --format env`");
    if !all.contains_key("aws_access_key_id") {
        if let Some(command) = all.remove("credential_process") {
            all.extend(process(&command)?);
        } else if let Some(kind) =
            all.keys().find(|key| key.starts_with("sso_") || *key == "role_arn")
        {
            let what = format!("profile {name:?} has {kind}, which nnz does not support: {export}");
            return Err(io::Error::new(io::ErrorKind::Unsupported, what));
        }
    }
    let known = [
        ("aws_access_key_id", Key::AccessKeyId),
        ("aws_secret_access_key", Key::SecretAccessKey),
        ("aws_session_token", Key::Token),
        ("region", Key::Region),
        ("endpoint_url", Key::Endpoint),
    ];
    let value = |(name, key)| all.remove(name).map(|value| (key, value));
    Ok(known.into_iter().filter_map(value).collect())
}

/// Runs a program that prints credentials as JSON.
fn process(command: &str) -> io::Result<Section> {
    let failed = |what: &str| io::Error::other(format!("credential_process: {what}"));
    let run = Command::new("sh").arg("-c").arg(command).stdin(Stdio::null()).output()?;
    if !run.status.success() {
        return Err(failed("the command failed"));
    }
    let json: serde_json::Value =
        serde_json::from_slice(&run.stdout).map_err(|_| failed("the output is not JSON"))?;
    let mut found = Section::new();
    for (name, key) in [
        ("AccessKeyId", "aws_access_key_id"),
        ("SecretAccessKey", "aws_secret_access_key"),
        ("SessionToken", "aws_session_token"),
    ] {
        if let Some(value) = json.get(name).and_then(serde_json::Value::as_str) {
            found.insert(key.to_owned(), value.to_owned());
        }
    }
    match found.len() {
        0 | 1 => Err(failed("the output has no AccessKeyId and SecretAccessKey")),
        _ => Ok(found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG: &str = "\
[default]
region = eu-west-1
[profile work]
# a comment
region=us-east-2
endpoint_url = http://localhost:9000
s3 =
  max_concurrent_requests = 20
[profile other]
role_arn = arn:x
[profile run]
credential_process = echo '{\"Version\":1,\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"B\"}'
";

    #[test]
    fn a_profile_has_keys_region_and_endpoint() {
        let mut all = section(CONFIG, "profile work");
        all.extend(section("[work]\naws_access_key_id = K\naws_secret_access_key = S\n", "work"));
        let found = settings(all, "work").unwrap();
        let expected = [
            (Key::AccessKeyId, "K"),
            (Key::SecretAccessKey, "S"),
            (Key::Region, "us-east-2"),
            (Key::Endpoint, "http://localhost:9000"),
        ];
        assert_eq!(found, expected.map(|(key, value)| (key, value.to_owned())));
    }

    #[test]
    fn a_process_is_run_and_a_role_is_refused() {
        let found = settings(section(CONFIG, "profile run"), "run").unwrap();
        assert_eq!(
            found[..2],
            [(Key::AccessKeyId, "A".into()), (Key::SecretAccessKey, "B".into())]
        );
        let refused = settings(section(CONFIG, "profile other"), "other").unwrap_err();
        assert!(refused.to_string().contains("export-credentials --profile other"), "{refused}");
    }
}
