//! A server of the files of a directory, as a web server has them and as S3 does, with faults.
//!
//! `GET /PATH` is a file; of buckets, which are directories, `GET /BUCKET?list-type=2` lists. `PUT`, `DELETE` and
//! multipart uploads work as in S3, without signatures.

mod writes;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, UNIX_EPOCH};

use self::writes::Writes;

/// Behavior of the server.
#[derive(Clone, Debug, Default)]
pub struct Behavior {
    /// Ignores ranges: the answer is the whole file, with status 200.
    pub no_ranges: bool,
    /// Sends no length, and closes the connection at the end.
    pub no_length: bool,
    /// Waits before each answer.
    pub delay: Duration,
    /// Answers each request of this number with 503.
    pub fail_every: Option<usize>,
    /// Closes the connection half-way through each body of this number.
    pub cut_every: Option<usize>,
    /// Answers 403 unless the query is this.
    pub query: Option<String>,
    /// Answers 401 unless there is this header, as `name: value`.
    pub header: Option<String>,
    /// Sends nothing after the header.
    pub stall: bool,
    /// Answers a directory with a page for people.
    pub pages: bool,
    /// Answers what no server should.
    pub wrong_answer: Option<WrongAnswer>,
    /// Answers 403 to requests that write to paths with this text.
    pub forbid_writes: Option<String>,
    /// Refuses requests that are not signed for this region of S3, and names it.
    pub region: Option<String>,
    /// Answers 403, as S3 does for a key that it does not know.
    pub wrong_key: bool,
    /// Answers requests for paths below `/moved/` with a redirect.
    pub redirects: bool,
    /// Says that files are encoded with gzip if their names end in `.gz`, as some servers do.
    pub labels_gzip: bool,
    /// Closes the connection instead of answering each request of this number that writes, after it is done. The
    /// start of an upload in parts is answered: no client could find the upload.
    pub hang_up_every: Option<usize>,
}

/// An answer that is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrongAnswer {
    /// `Content-Range` is another one than was asked for.
    OtherRange,
    /// `Content-Range` has the longest length that there can be.
    LongestLength,
    /// The body is shorter than `Content-Range`.
    Short,
    /// The body never ends.
    Endless,
    /// Each URL redirects to itself.
    Redirect,
    /// The header says that the body is compressed.
    Compressed,
    /// Each answer is an error with a body that never ends.
    EndlessError,
}

/// A request that was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedRequest {
    pub method: String,
    /// The path without its query.
    pub path: String,
    pub query: String,
    pub range: Option<String>,
    pub status: u16,
    /// Bytes of the body.
    pub bytes: u64,
}

/// A server on a port of its own, until it is dropped.
#[derive(Debug)]
pub struct Server {
    port: u16,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    root: PathBuf,
    behavior: Mutex<Behavior>,
    log: Mutex<Vec<LoggedRequest>>,
    count: AtomicUsize,
    bodies: AtomicUsize,
    endless: AtomicU64,
    stopped: AtomicBool,
    writes: Writes,
    written: AtomicUsize,
    before: Mutex<Option<BeforeRequest>>,
}

/// Action before a request.
struct BeforeRequest {
    method: String,
    path: String,
    run: Box<dyn FnOnce() + Send>,
}

impl std::fmt::Debug for BeforeRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BeforeRequest").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Server {
    /// Serves a directory.
    pub fn new(root: &Path) -> Self {
        Self::with(root, Behavior::default())
    }

    /// Serves a directory in some way.
    pub fn with(root: &Path, behavior: Behavior) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::new(Shared {
            root: root.to_path_buf(),
            behavior: Mutex::new(behavior),
            log: Mutex::default(),
            count: AtomicUsize::new(0),
            bodies: AtomicUsize::new(0),
            endless: AtomicU64::new(0),
            stopped: AtomicBool::new(false),
            writes: Writes::default(),
            written: AtomicUsize::new(0),
            before: Mutex::default(),
        });
        let served = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if served.stopped.load(Ordering::Relaxed) {
                    return;
                }
                let (Ok(stream), served) = (stream, Arc::clone(&served)) else { continue };
                std::thread::spawn(move || {
                    // A client may leave at any time.
                    let _ = served.serve(stream);
                });
            }
        });
        Self { port, shared }
    }

    /// Returns the URL of a file as a web server has it.
    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}/{path}", self.port)
    }

    /// Returns the endpoint of S3.
    pub fn endpoint(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Answers in another way from now on.
    pub fn set(&self, behavior: Behavior) {
        *self.shared.behavior.lock().unwrap() = behavior;
    }

    /// Returns the requests so far, and starts again.
    pub fn take_log(&self) -> Vec<LoggedRequest> {
        std::mem::take(&mut self.shared.log.lock().unwrap())
    }

    /// Returns the number of uploads in parts that are neither complete nor aborted.
    pub fn open_uploads(&self) -> usize {
        self.shared.writes.open_uploads()
    }

    /// Runs something once, before a request of a method whose path ends with a text is answered.
    pub fn before(&self, method: &str, path: &str, run: impl FnOnce() + Send + 'static) {
        let before =
            BeforeRequest { method: method.to_owned(), path: path.to_owned(), run: Box::new(run) };
        *self.shared.before.lock().unwrap() = Some(before);
    }

    /// Returns how many bytes of bodies without an end were taken.
    pub fn endless_bytes(&self) -> u64 {
        self.shared.endless.load(Ordering::Relaxed)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }
}

/// A request.
#[derive(Default)]
struct Request {
    method: String,
    path: String,
    query: String,
    range: Option<String>,
    if_match: Option<String>,
    headers: Vec<String>,
    body: Vec<u8>,
}

impl Request {
    fn has_header(&self, line: &str) -> bool {
        self.headers.iter().any(|known| known.eq_ignore_ascii_case(line))
    }

    fn is_write(&self) -> bool {
        matches!(self.method.as_str(), "PUT" | "POST" | "DELETE")
    }

    /// Returns the header lines of metadata.
    fn metadata(&self) -> String {
        let lines = self.headers.iter().filter(|line| {
            line.get(..11).is_some_and(|start| start.eq_ignore_ascii_case("x-amz-meta-"))
        });
        lines.map(|line| format!("{line}\r\n")).collect()
    }
}

/// An answer without its body.
struct Answer {
    status: u16,
    headers: String,
    body: Body,
}

enum Body {
    Text(String),
    File(PathBuf, u64, u64),
}

impl WrongAnswer {
    /// Makes an answer wrong.
    fn apply(self, answer: &mut Answer, asked: &Request) {
        let add = |answer: &mut Answer, line: &str| answer.headers.push_str(line);
        match (self, &mut answer.body) {
            (Self::OtherRange, _) => {
                answer.headers = answer.headers.replace("bytes 0-", "bytes 1-");
                answer.headers = answer.headers.replace("bytes 5", "bytes 6");
            }
            (Self::LongestLength, _) => {
                let end = answer.headers.rfind('/').map(|at| at + 1);
                let end = end.filter(|_| answer.headers.contains("Content-Range"));
                if let Some(end) = end {
                    answer.headers.replace_range(end.., "18446744073709551615\r\n");
                }
            }
            (Self::Short, Body::File(_, start, end)) => *end = (*start + *end) / 2,
            (Self::Short, Body::Text(_)) | (Self::Endless, _) => {}
            (Self::Redirect, _) => {
                *answer = text(302, "elsewhere");
                add(answer, &format!("Location: {}\r\n", asked.path));
            }
            (Self::Compressed, _) => add(answer, "Content-Encoding: gzip\r\n"),
            (Self::EndlessError, _) => *answer = text(403, ""),
        }
    }
}

impl Shared {
    fn serve(&self, stream: TcpStream) -> std::io::Result<()> {
        stream.set_nodelay(true)?;
        let mut reader = BufReader::new(stream.try_clone()?);
        let mut stream = stream;
        while let Some(asked) = read_request(&mut reader)? {
            let behavior = self.behavior.lock().unwrap().clone();
            std::thread::sleep(behavior.delay);
            let mut before = self.before.lock().unwrap();
            let now = before.take_if(|before| {
                before.method == asked.method && asked.path.ends_with(&before.path)
            });
            drop(before);
            if let Some(before) = now {
                (before.run)();
            }
            let number = self.count.fetch_add(1, Ordering::Relaxed) + 1;
            let every =
                |n: Option<usize>, number: usize| n.is_some_and(|n| number.is_multiple_of(n));
            let mut answer = match every(behavior.fail_every, number) {
                true => text(503, "slow down"),
                false => self.answer(&asked, &behavior),
            };
            if let Some(wrong) = behavior.wrong_answer {
                wrong.apply(&mut answer, &asked);
            }
            let is_endless = matches!(
                behavior.wrong_answer,
                Some(WrongAnswer::Endless | WrongAnswer::EndlessError)
            );
            let len = match &answer.body {
                Body::Text(text) => text.len() as u64,
                Body::File(_, start, end) => end - start,
            };
            self.log.lock().unwrap().push(LoggedRequest {
                method: asked.method.clone(),
                path: asked.path.clone(),
                query: asked.query.clone(),
                range: asked.range.clone(),
                status: answer.status,
                bytes: if asked.method == "HEAD" { 0 } else { len },
            });
            if asked.is_write() && !asked.query.starts_with("uploads") {
                let number = self.written.fetch_add(1, Ordering::Relaxed) + 1;
                if every(behavior.hang_up_every, number) {
                    return Ok(());
                }
            }
            let Answer { status, mut headers, body } = answer;
            if behavior.no_length || is_endless {
                headers.push_str("Connection: close\r\n");
            } else {
                let _ = write!(headers, "Content-Length: {len}\r\n");
            }
            write!(stream, "HTTP/1.1 {status} Answer\r\n{headers}\r\n")?;
            if behavior.stall {
                std::thread::sleep(Duration::from_secs(600));
            }
            if asked.method == "HEAD" {
                continue;
            }
            if is_endless {
                loop {
                    stream.write_all(&[b'x'; 1 << 16])?;
                    self.endless.fetch_add(1 << 16, Ordering::Relaxed);
                }
            }
            let number = self.bodies.fetch_add(1, Ordering::Relaxed) + 1;
            let cut = every(behavior.cut_every, number) && status < 300;
            let sent = if cut { len / 2 } else { len };
            match body {
                Body::Text(text) => {
                    stream.write_all(&text.as_bytes()[..usize::try_from(sent).unwrap()])?;
                }
                Body::File(path, start, _) => {
                    let mut file = std::fs::File::open(path)?;
                    file.seek(SeekFrom::Start(start))?;
                    std::io::copy(&mut file.take(sent), &mut stream)?;
                }
            }
            if cut || behavior.no_length {
                return Ok(());
            }
        }
        Ok(())
    }

    fn answer(&self, asked: &Request, behavior: &Behavior) -> Answer {
        if let Some(header) = &behavior.header
            && !asked.headers.iter().any(|line| line.eq_ignore_ascii_case(header))
        {
            return text(401, "who are you");
        }
        if behavior.query.as_ref().is_some_and(|query| *query != asked.query) {
            return text(403, "wrong signature");
        }
        if behavior.wrong_key {
            return text(403, "<Error><Code>InvalidAccessKeyId</Code></Error>");
        }
        if let Some(region) = &behavior.region
            && !asked.headers.iter().any(|line| line.contains(&format!("/{region}/s3/")))
        {
            let mut answer = text(301, "<Error><Code>PermanentRedirect</Code></Error>");
            let _ = write!(answer.headers, "x-amz-bucket-region: {region}\r\n");
            return answer;
        }
        if let (true, Some(path)) = (behavior.redirects, asked.path.strip_prefix("/moved/")) {
            let mut answer = text(302, "elsewhere");
            let _ = write!(answer.headers, "Location: /{path}?{}\r\n", asked.query);
            return answer;
        }
        if asked.is_write() {
            let forbidden = behavior.forbid_writes.as_ref();
            return match forbidden.is_some_and(|path| asked.path.contains(path)) {
                true => text(403, "<Error><Code>AccessDenied</Code></Error>"),
                false => self.writes.answer(&self.root, asked),
            };
        }
        // A proxy is asked for whole URLs.
        let path = asked
            .path
            .split_once("://")
            .map_or(&*asked.path, |(_, rest)| rest.find('/').map_or("/", |start| &rest[start..]));
        let decoded = decode(path);
        if asked.query.contains("list-type=2") {
            return self.list(decoded.trim_matches('/'), &asked.query);
        }
        let path = self.root.join(decoded.trim_start_matches('/'));
        let Ok(found) = path.metadata() else {
            let bucket = decoded.trim_start_matches('/').split('/').next().unwrap_or_default();
            return match self.root.join(bucket).is_dir() {
                true => text(404, "<Error><Code>NoSuchKey</Code></Error>"),
                false => text(404, "<Error><Code>NoSuchBucket</Code></Error>"),
            };
        };
        if found.is_dir() {
            let page = "<html>an index</html>";
            return match behavior.pages {
                true => Answer {
                    status: 200,
                    headers: "Content-Type: text/html\r\n".to_owned(),
                    body: Body::Text(page.to_owned()),
                },
                false => text(404, "no such key"),
            };
        }
        let len = found.len();
        let changed = found.modified().unwrap().duration_since(UNIX_EPOCH).unwrap().as_nanos();
        let tag = format!("\"{changed:x}-{len:x}\"");
        if asked.if_match.as_ref().is_some_and(|wanted| *wanted != tag) {
            return text(412, "changed");
        }
        let mut headers = format!(
            "ETag: {tag}\r\nLast-Modified: Tue, 01 Sep 2026 00:00:00 GMT\r\nContent-Type: \
             application/octet-stream\r\n{}",
            self.writes.metadata(&path)
        );
        if behavior.labels_gzip && decoded.ends_with(".gz") {
            headers.push_str("Content-Encoding: x-gzip\r\n");
        }
        let range = asked.range.as_deref().filter(|_| !behavior.no_ranges);
        let Some(range) = range else {
            return Answer { status: 200, headers, body: Body::File(path, 0, len) };
        };
        let (first, last) = range.strip_prefix("bytes=").unwrap().split_once('-').unwrap();
        let (start, end) = match first.is_empty() {
            true => (len.saturating_sub(last.parse().unwrap()), len),
            false => (first.parse().unwrap(), last.parse::<u64>().map_or(len, |last| last + 1)),
        };
        let end = end.min(len);
        if start >= end {
            let mut refused = text(416, "no such range");
            let _ = write!(refused.headers, "Content-Range: bytes */{len}\r\n");
            return refused;
        }
        let _ = write!(headers, "Content-Range: bytes {start}-{}/{len}\r\n", end - 1);
        Answer { status: 206, headers, body: Body::File(path, start, end) }
    }

    /// Lists a bucket, or one level of it.
    fn list(&self, bucket: &str, query: &str) -> Answer {
        let value = |name: &str| {
            let mut parts = query.split('&').filter_map(|part| part.split_once('='));
            parts.find(|(key, _)| *key == name).map(|(_, value)| decode(value)).unwrap_or_default()
        };
        if !self.root.join(bucket).is_dir() {
            return text(404, "<Error><Code>NoSuchBucket</Code></Error>");
        }
        let prefix = value("prefix");
        let is_deep = value("delimiter").is_empty();
        let most: usize = value("max-keys").parse().unwrap_or(1000);
        let after = value("continuation-token");
        let mut entries = BTreeSet::new();
        let mut prefixes = vec![prefix];
        while let Some(prefix) = prefixes.pop() {
            let directory = self.root.join(bucket).join(prefix.trim_end_matches('/'));
            for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
                let name = entry.file_name().into_string().unwrap();
                // It may have been removed.
                let Ok(found) = entry.path().metadata() else { continue };
                let key = format!("{prefix}{name}");
                if found.is_dir() && is_deep {
                    prefixes.push(format!("{key}/"));
                } else {
                    entries.insert((key, found.is_dir(), found.len()));
                }
            }
        }
        let mut left = entries.into_iter().filter(|(key, ..)| *key > after);
        let page: Vec<_> = left.by_ref().take(most).collect();
        let more = left.next().is_some();
        let mut xml =
            format!("<ListBucketResult><Name>{bucket}</Name><IsTruncated>{more}</IsTruncated>");
        if let (true, Some((last, ..))) = (more, page.last()) {
            let _ = write!(xml, "<NextContinuationToken>{last}</NextContinuationToken>");
        }
        for (key, is_dir, len) in page {
            let _ = match is_dir {
                true => write!(xml, "<CommonPrefixes><Prefix>{key}/</Prefix></CommonPrefixes>"),
                false => write!(
                    xml,
                    "<Contents><Key>{key}</Key><LastModified>2026-09-01T00:00:00.000Z</LastModified>\
                     <ETag>\"x\"</ETag><Size>{len}</Size></Contents>"
                ),
            };
        }
        xml.push_str("</ListBucketResult>");
        let headers = "Content-Type: application/xml\r\n".to_owned();
        Answer { status: 200, headers, body: Body::Text(xml) }
    }
}

fn text(status: u16, text: &str) -> Answer {
    let headers = "Content-Type: text/plain\r\n".to_owned();
    Answer { status, headers, body: Body::Text(text.to_owned()) }
}

/// Reads a request; `None` at the end of the connection.
fn read_request(reader: &mut BufReader<TcpStream>) -> std::io::Result<Option<Request>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split_whitespace();
    let method = words.next().unwrap_or_default().to_owned();
    let target = words.next().unwrap_or_default();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut asked =
        Request { method, path: path.to_owned(), query: query.to_owned(), ..Request::default() };
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let line = line.trim_end();
        let Some((name, value)) = line.split_once(':') else {
            asked.body = vec![0; length];
            reader.read_exact(&mut asked.body)?;
            return Ok(Some(asked));
        };
        match name.to_ascii_lowercase().as_str() {
            "range" => asked.range = Some(value.trim().to_owned()),
            "content-length" => length = value.trim().parse().unwrap(),
            "if-match" => asked.if_match = Some(value.trim().to_owned()),
            _ => {}
        }
        asked.headers.push(line.to_owned());
    }
}

/// Decodes `%20` and `+`.
fn decode(text: &str) -> String {
    let mut bytes = text.bytes();
    let mut decoded = Vec::new();
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'%' => {
                let digits = [bytes.next().unwrap(), bytes.next().unwrap()];
                u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap()
            }
            byte => byte,
        });
    }
    String::from_utf8(decoded).unwrap()
}
