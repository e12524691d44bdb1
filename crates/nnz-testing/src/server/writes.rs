//! Requests that write objects, as S3 answers them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::{Answer, Body, Request, decode, text};

/// Objects that are written.
#[derive(Debug, Default)]
pub(super) struct Writes {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Uploads in parts that are neither complete nor aborted.
    uploads: BTreeMap<String, Upload>,
    started: usize,
    /// Metadata of objects, as header lines.
    metadata: BTreeMap<PathBuf, String>,
}

#[derive(Debug, Default)]
struct Upload {
    parts: BTreeMap<u32, Vec<u8>>,
    metadata: String,
}

impl Writes {
    /// Returns the number of uploads in parts that are neither complete nor aborted.
    pub(super) fn open_uploads(&self) -> usize {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).uploads.len()
    }

    /// Returns the header lines of the metadata of an object.
    pub(super) fn metadata(&self, path: &Path) -> String {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.metadata.get(path).cloned().unwrap_or_default()
    }

    /// Answers a request that writes.
    pub(super) fn answer(&self, root: &Path, asked: &Request) -> Answer {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let path = decode(&asked.path);
        let path = path.trim_start_matches('/');
        let bucket = root.join(path.split('/').next().unwrap());
        if !bucket.is_dir() {
            return text(404, "<Error><Code>NoSuchBucket</Code></Error>");
        }
        let parameter = |name: &str| {
            let mut parts = asked.query.split('&');
            parts.find_map(|part| part.split_once('=').filter(|(key, _)| *key == name))
        };
        let upload = parameter("uploadId").map(|(_, id)| id.to_owned());
        let at = root.join(path);
        let exists = asked.has_header("if-none-match: *") && at.exists();
        match (asked.method.as_str(), upload) {
            ("POST", None) if asked.query.starts_with("delete") => {
                let body = String::from_utf8_lossy(&asked.body);
                let mut xml = String::from("<DeleteResult>");
                for part in body.split("<Key>").skip(1) {
                    let key = part.split("</Key>").next().unwrap();
                    state.remove(&bucket, &bucket.join(key));
                    let _ = write!(xml, "<Deleted><Key>{key}</Key></Deleted>");
                }
                xml.push_str("</DeleteResult>");
                answer(200, xml)
            }
            ("POST", None) => {
                state.started += 1;
                let id = format!("upload-{}", state.started);
                let metadata = asked.metadata();
                state.uploads.insert(id.clone(), Upload { metadata, ..Upload::default() });
                let key = path.split_once('/').map_or("", |(_, key)| key);
                answer(
                    200,
                    format!(
                        "<InitiateMultipartUploadResult><Bucket>b</Bucket><Key>{key}</Key>\
                         <UploadId>{id}</UploadId></InitiateMultipartUploadResult>"
                    ),
                )
            }
            ("PUT", None) if exists => text(412, "<Error><Code>PreconditionFailed</Code></Error>"),
            ("PUT", None) => {
                state.put(root, &at, &asked.body, asked.metadata());
                tagged(200, String::new())
            }
            ("PUT", Some(id)) => {
                let Some(upload) = state.uploads.get_mut(&id) else { return no_upload() };
                let (_, number) = parameter("partNumber").unwrap();
                upload.parts.insert(number.parse().unwrap(), asked.body.clone());
                tagged(200, String::new())
            }
            ("POST", Some(id)) => {
                if !state.uploads.contains_key(&id) {
                    return no_upload();
                }
                if exists {
                    return text(412, "<Error><Code>PreconditionFailed</Code></Error>");
                }
                let upload = state.uploads.remove(&id).unwrap();
                let numbers: Vec<u32> = upload.parts.keys().copied().collect();
                let expected: Vec<u32> = (1..).take(numbers.len()).collect();
                assert_eq!(numbers, expected, "parts of an upload");
                let bytes = upload.parts.into_values().collect::<Vec<_>>().concat();
                state.put(root, &at, &bytes, upload.metadata);
                answer(
                    200,
                    "<CompleteMultipartUploadResult><Location>x</Location><Bucket>b</Bucket><Key>k</Key>\
                     <ETag>\"x\"</ETag></CompleteMultipartUploadResult>"
                        .to_owned(),
                )
            }
            ("DELETE", Some(id)) => match state.uploads.remove(&id) {
                Some(_) => answer(204, String::new()),
                None => no_upload(),
            },
            ("DELETE", None) => {
                state.remove(&bucket, &at);
                answer(204, String::new())
            }
            _ => text(405, "no such method"),
        }
    }
}

impl State {
    fn put(&mut self, root: &Path, at: &Path, bytes: &[u8], metadata: String) {
        std::fs::create_dir_all(at.parent().unwrap()).unwrap();
        // Readers see the old object or the new one. This is in no bucket.
        let new = root.join(".new");
        std::fs::write(&new, bytes).unwrap();
        std::fs::rename(&new, at).unwrap();
        self.metadata.insert(at.to_path_buf(), metadata);
    }

    /// Removes an object, and the directories that have no others.
    fn remove(&mut self, bucket: &Path, at: &Path) {
        let _ = std::fs::remove_file(at);
        self.metadata.remove(at);
        for directory in at.ancestors().skip(1).take_while(|directory| *directory != bucket) {
            let _ = std::fs::remove_dir(directory);
        }
    }
}

fn answer(status: u16, xml: String) -> Answer {
    let headers = "Content-Type: application/xml\r\n".to_owned();
    Answer { status, headers, body: Body::Text(xml) }
}

/// An answer with the tag of what was written.
fn tagged(status: u16, body: String) -> Answer {
    Answer { status, headers: "ETag: \"x\"\r\n".to_owned(), body: Body::Text(body) }
}

fn no_upload() -> Answer {
    text(404, "<Error><Code>NoSuchUpload</Code></Error>")
}
