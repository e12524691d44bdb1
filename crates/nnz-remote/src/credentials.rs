//! Credentials: from options, then the environment, then files of the user, otherwise none.

mod profile;

use std::io;

use object_store::ClientOptions;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};

use crate::StorageOptions;
use crate::address::Address;
use crate::client::learned;
use crate::options::is_yes;

/// Options that are ours.
const OWN: [&str; 5] = ["anon", "bearer_token", "part_size", "profile", "spool_limit"];

/// Settings by key, those that count more later.
type Settings<K> = Vec<(K, String)>;

/// Collects settings of the environment with a prefix, then options.
fn settings<K: std::str::FromStr>(
    prefix: &str,
    options: &StorageOptions,
) -> (Settings<K>, Settings<K>) {
    let environment = std::env::vars_os().filter_map(|(name, value)| {
        let name = name.to_str().filter(|name| name.starts_with(prefix))?.to_ascii_lowercase();
        Some((name.parse().ok()?, value.to_str()?.to_owned()))
    });
    // The options of other services are not used.
    let given =
        options.iter().filter_map(|(name, value)| Some((name.parse().ok()?, value.to_owned())));
    (environment.collect(), given.collect())
}

/// Returns whether any service has an option of a name.
pub(crate) fn is_known(name: &str) -> bool {
    OWN.contains(&name)
        || name.parse::<AmazonS3ConfigKey>().is_ok()
        || name.parse::<GoogleConfigKey>().is_ok()
        || name.parse::<AzureConfigKey>().is_ok()
}

/// Returns whether the user said that nothing is to be signed.
fn is_anonymous(options: &StorageOptions, variable: &str) -> bool {
    let said = std::env::var(variable).is_ok_and(|value| is_yes(&value));
    options.is_on("anon") || (said && options.get("anon").is_none())
}

/// Describes a bucket of S3; true where it is asked without credentials, as there are none.
pub(crate) fn s3(
    address: &Address,
    options: &StorageOptions,
    http: ClientOptions,
) -> io::Result<(AmazonS3Builder, bool)> {
    use AmazonS3ConfigKey as Key;
    let (mut all, given) = settings::<Key>("AWS_", options);
    let has = |all: &Settings<Key>, key: Key| all.iter().any(|(known, _)| *known == key);
    let profile = profile::read(options.get("profile"))?;
    if let Some(profile) = profile {
        // A pair of the environment is not mixed with a token of a file; a profile that was named counts
        // more.
        let own_keys = has(&all, Key::AccessKeyId) && options.get("profile").is_none();
        let keys = [Key::AccessKeyId, Key::SecretAccessKey, Key::Token];
        for (key, value) in profile {
            let skipped = if keys.contains(&key) { own_keys } else { has(&all, key) };
            if !skipped {
                all.retain(|(known, _)| *known != key);
                all.push((key, value));
            }
        }
    }
    all.extend(given);
    all.extend(learned(&address.host).map(|region| (Key::Region, region)));
    let signs = [
        Key::AccessKeyId,
        Key::WebIdentityTokenFile,
        Key::ContainerCredentialsRelativeUri,
        Key::ContainerCredentialsFullUri,
        // An explicit endpoint means that the metadata service of the machine is wanted.
        Key::MetadataEndpoint,
        Key::SkipSignature,
    ];
    let none = !signs.iter().any(|key| has(&all, *key));
    let skip = is_anonymous(options, "AWS_NO_SIGN_REQUEST");
    let endpoint = all.iter().rev().find(|(key, _)| matches!(key, Key::Endpoint | Key::S3Endpoint));
    let plain = endpoint.is_some_and(|(_, url)| url.starts_with("http://"));
    if endpoint.is_some_and(|(_, url)| !plain && !url.starts_with("https://")) {
        // Requests of object_store would panic.
        let what = "the endpoint must start with https:// or http://";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    }
    let builder = AmazonS3Builder::new().with_client_options(http.with_allow_http(plain));
    let builder =
        all.into_iter().fold(builder, |builder, (key, value)| builder.with_config(key, value));
    let builder = if none || skip { builder.with_skip_signature(true) } else { builder };
    Ok((builder.with_bucket_name(&address.host), none && !skip))
}

/// Describes a bucket of Google.
pub(crate) fn google(
    address: &Address,
    options: &StorageOptions,
    http: ClientOptions,
) -> io::Result<(GoogleCloudStorageBuilder, bool)> {
    use GoogleConfigKey as Key;
    let (mut all, given) = settings::<Key>("GOOGLE_", options);
    all.extend(given);
    let signs = [
        Key::ServiceAccount,
        Key::ServiceAccountKey,
        Key::ApplicationCredentials,
        Key::BearerToken,
        Key::SkipSignature,
    ];
    let file = std::env::home_dir().is_some_and(|home| {
        home.join(".config/gcloud/application_default_credentials.json").exists()
    });
    let none = !file && !all.iter().any(|(key, _)| signs.contains(key));
    let skip = is_anonymous(options, "GS_NO_SIGN_REQUEST");
    let base = all.iter().rev().find(|(key, _)| matches!(key, Key::BaseUrl));
    let plain = base.is_some_and(|(_, url)| url.starts_with("http://"));
    let builder = GoogleCloudStorageBuilder::new().with_client_options(http.with_allow_http(plain));
    let builder =
        all.into_iter().fold(builder, |builder, (key, value)| builder.with_config(key, value));
    let builder = if none || skip { builder.with_skip_signature(true) } else { builder };
    Ok((builder.with_bucket_name(&address.host), none && !skip))
}

/// Describes a container of Azure: `az://container`, with the account in an option or the environment, or
/// `abfss://container@account.dfs.core.windows.net`.
pub(crate) fn azure(
    address: &Address,
    options: &StorageOptions,
    http: ClientOptions,
) -> io::Result<(MicrosoftAzureBuilder, bool)> {
    use AzureConfigKey as Key;
    let (mut all, given) = settings::<Key>("AZURE_", options);
    all.extend(given);
    let signs = [
        Key::AccessKey,
        Key::SasKey,
        Key::Token,
        Key::ClientSecret,
        Key::FederatedTokenFile,
        Key::MsiEndpoint,
        Key::UseAzureCli,
        Key::UseEmulator,
        Key::SkipSignature,
    ];
    let none = !all.iter().any(|(key, _)| signs.contains(key));
    let skip = is_anonymous(options, "AZURE_NO_SIGN_REQUEST");
    let endpoint = all.iter().rev().find(|(key, _)| matches!(key, Key::Endpoint));
    let plain = endpoint.is_some_and(|(_, url)| url.starts_with("http://"));
    let builder = MicrosoftAzureBuilder::new().with_client_options(http.with_allow_http(plain));
    let builder =
        all.into_iter().fold(builder, |builder, (key, value)| builder.with_config(key, value));
    let builder = if none || skip { builder.with_skip_signature(true) } else { builder };
    let (container, account) = match address.host.split_once('@') {
        Some((container, host)) => (container, host.split('.').next()),
        None => (address.host.as_str(), None),
    };
    let builder = account.into_iter().fold(builder, MicrosoftAzureBuilder::with_account);
    let is_emulator =
        builder.get_config_value(&Key::UseEmulator).is_some_and(|value| is_yes(&value));
    if builder.get_config_value(&Key::AccountName).is_none() && !is_emulator {
        let what =
            "missing account: set the storage option account_name, or AZURE_STORAGE_ACCOUNT_NAME";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    }
    Ok((builder.with_container_name(container), none && !skip))
}
