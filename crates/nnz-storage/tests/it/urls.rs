//! Outputs at URLs, with uploads to a local directory.

use nnz_storage::TaskContext;
use std::fs;
use std::io::{self, Read, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use nnz_core::ErrorKind;
use nnz_storage::staging::{
    self, Expected, StagedDirectory, StagedFile, UploadFile, UrlEntries, UrlOutput, WriteOptions,
};
use nnz_storage::{ListedEntry, LocalStorage, Metadata, ReadAt, Storage};

fn context() -> TaskContext {
    TaskContext::default().with_storage(Arc::new(outputs()))
}

fn new() -> WriteOptions {
    WriteOptions::default().overwrite(false).sync(true).context(context())
}

fn force() -> WriteOptions {
    new().overwrite(true)
}

const MEMBERS: &[&str] = &["a", "b", "c/d"];

/// Uploads to a directory, where `s3://bucket` is, except files whose names contain `fail`.
#[derive(Debug)]
struct Outputs {
    root: PathBuf,
    log: Mutex<Vec<String>>,
}

#[derive(Debug)]
struct Output {
    at: PathBuf,
    outputs: &'static Outputs,
}

fn outputs() -> &'static Outputs {
    static OUTPUTS: OnceLock<Outputs> = OnceLock::new();
    OUTPUTS.get_or_init(|| {
        let root = tempfile::tempdir().unwrap().keep();
        Outputs { root, log: Mutex::default() }
    })
}

/// Files and directories come from the file system.
impl Storage for &'static Outputs {
    fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        LocalStorage.metadata(path)
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn ReadAt>> {
        LocalStorage.open(path)
    }

    fn open_stream(&self, path: &Path) -> io::Result<Box<dyn Read + Send>> {
        LocalStorage.open_stream(path)
    }

    fn open_directory(&self, path: &Path) -> io::Result<Arc<dyn Storage>> {
        LocalStorage.open_directory(path)
    }

    fn list(
        &self,
        path: &Path,
        each: &mut dyn FnMut(ListedEntry) -> io::Result<bool>,
    ) -> io::Result<()> {
        LocalStorage.list(path, each)
    }

    fn output(&self, url: &Path, _: bool) -> io::Result<Option<Arc<dyn UrlOutput>>> {
        let Ok(name) = url.strip_prefix("s3://bucket") else {
            return Err(io::Error::new(io::ErrorKind::Unsupported, "another bucket"));
        };
        let at = self.root.join(name);
        Ok(Some(Arc::new(Output { at, outputs: outputs() })))
    }
}

impl UrlOutput for Output {
    fn find(&self) -> io::Result<UrlEntries> {
        Ok(UrlEntries { file: self.at.is_file(), directory: self.at.is_dir() })
    }

    fn copy_outline(&self, to: &Path) -> io::Result<()> {
        for entry in fs::read_dir(&self.at)? {
            let entry = entry?;
            fs::write(to.join(entry.file_name()), fs::read(entry.path())?)?;
        }
        Ok(())
    }

    fn upload(&self, files: Vec<UploadFile>, replace: bool) -> io::Result<()> {
        if self.at.exists() && !replace {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        for file in files {
            let path =
                if file.name().is_empty() { self.at.clone() } else { self.at.join(file.name()) };
            if path.to_str().unwrap().contains("fail") {
                return Err(io::Error::new(io::ErrorKind::PermissionDenied, "forbidden"));
            }
            let mut bytes = vec![0; usize::try_from(file.len()).unwrap()];
            file.read_exact_at(&mut bytes, 0)?;
            fs::create_dir_all(path.parent().unwrap())?;
            fs::write(path, bytes)?;
        }
        Ok(())
    }

    fn remove(&self) -> io::Result<()> {
        self.outputs.log.lock().unwrap().push(format!("remove {}", self.at.display()));
        fs::remove_file(&self.at)
    }

    fn undo(&self) {
        fs::remove_file(&self.at).unwrap();
    }

    fn abandon(&self, _: Duration) -> bool {
        false
    }
}

/// The URL and the served path of a name.
fn at(name: &str) -> (PathBuf, PathBuf) {
    (Path::new("s3://bucket").join(name), outputs().root.join(name))
}

fn file(url: &Path, options: WriteOptions, bytes: &str) -> nnz_core::Result<StagedFile> {
    let mut file = StagedFile::create(url, &options)?;
    file.write_all(bytes.as_bytes()).unwrap();
    Ok(file)
}

#[test]
fn a_file_is_uploaded_when_it_is_committed() {
    let (url, served) = at("file");
    let staged = file(&url, new(), "abc").unwrap();
    assert_eq!(
        (staged.path(), staged.parent()),
        (&*url, &*TaskContext::default().temporary_directory())
    );
    drop(staged);
    assert!(!served.exists());
    assert_eq!(file(&url, new(), "abc").unwrap().commit().unwrap(), 3);
    assert_eq!(fs::read(&served).unwrap(), b"abc");
    let refused = file(&url, new(), "other").unwrap_err();
    assert!(matches!(refused.kind(), ErrorKind::Exists), "{refused}");
    file(&url, force(), "other").unwrap().commit().unwrap();
    assert_eq!(fs::read(&served).unwrap(), b"other");
    assert!(staging::exists(&url, &context()).unwrap());
    assert!(staging::check_addition(&url, &context()).is_err());
    let (none, _) = at("none");
    assert!(!staging::exists(&none, &context()).unwrap());
    staging::check_addition(&none, &context()).unwrap();
    assert_eq!(
        file(Path::new("s3://other/x"), new(), "").unwrap_err().to_string(),
        "s3://other/x: another bucket"
    );
}

#[test]
fn a_file_that_appears_meanwhile_is_kept() {
    let (url, served) = at("appears");
    let first = file(&url, new(), "first").unwrap();
    let mut second = file(&url, force(), "second").unwrap();
    second.expect(Expected::Nothing);
    fs::write(&served, "theirs").unwrap();
    for staged in [first, second] {
        let refused = staged.commit().unwrap_err();
        assert!(matches!(refused.kind(), ErrorKind::Exists), "{refused}");
    }
    assert_eq!(fs::read(&served).unwrap(), b"theirs");
}

#[test]
fn a_directory_is_uploaded_and_replaced_only_by_its_like() {
    let (url, served) = at("directory");
    let write = |options: WriteOptions, more: &str| {
        let staged = StagedDirectory::create(&url, &options, MEMBERS)?;
        staged.write_file("a", b"1")?;
        staged.write_file("c/d", b"23")?;
        if !more.is_empty() {
            staged.write_file(more, b"4")?;
        }
        staged.commit()
    };
    assert_eq!(write(new(), "").unwrap(), 3);
    assert_eq!(fs::read(served.join("a")).unwrap(), b"1");
    assert_eq!(fs::read(served.join("c/d")).unwrap(), b"23");
    assert!(matches!(write(new(), "").unwrap_err().kind(), ErrorKind::Exists));
    fs::remove_dir_all(served.join("c")).unwrap();
    write(force(), "b").unwrap();
    fs::remove_dir_all(served.join("c")).unwrap();
    fs::write(served.join("own"), "").unwrap();
    let refused = write(force(), "").unwrap_err();
    assert!(refused.to_string().contains("contains another file, \"own\""), "{refused}");
    // A file does not replace it, nor is there anything with this path in the working directory.
    assert!(StagedFile::create(&url, &force()).is_err());
    assert!(!Path::new("s3:").exists());
}

#[test]
fn more_files_than_can_be_open_are_uploaded() {
    let (url, served) = at("many");
    let staged = StagedDirectory::create_matching(&url, &new(), |_| true).unwrap();
    let limit = 17_000;
    for number in 0..limit {
        staged.write_file(&format!("{}/{number}", number % 7), &[1]).unwrap();
    }
    assert_eq!(staged.commit().unwrap(), limit);
    let found: usize = fs::read_dir(served)
        .unwrap()
        .map(|one| fs::read_dir(one.unwrap().path()).unwrap().count())
        .sum();
    assert_eq!(found as u64, limit);
}

#[test]
fn a_sidecar_is_never_next_to_a_file_that_it_does_not_describe() {
    let ((url, served), (meta_url, meta)) = (at("data"), at("data.meta"));
    let pair = |options: WriteOptions, text| {
        (file(&url, options.clone(), text).unwrap(), file(&meta_url, options, text).unwrap())
    };
    let (data, sidecar) = pair(new(), "1");
    assert_eq!(data.commit_with_sidecar(sidecar).unwrap(), 2);
    let (data, sidecar) = pair(force(), "2");
    data.commit_with_sidecar(sidecar).unwrap();
    assert_eq!((fs::read(&served).unwrap(), fs::read(&meta).unwrap()), (b"2".into(), b"2".into()));
    let removed = format!("remove {}", meta.display());
    assert_eq!(*outputs().log.lock().unwrap(), [removed]);
    // The file is removed again where the sidecar fails.
    let ((url, served), (meta_url, _)) = (at("alone"), at("alone.fail"));
    let sidecar = file(&meta_url, new(), "").unwrap();
    file(&url, new(), "x").unwrap().commit_with_sidecar(sidecar).unwrap_err();
    assert!(!served.exists());
}
