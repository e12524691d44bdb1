//! The objects of a file.

use std::sync::Arc;

use nnz_container::rds::{Compression, Document, Object, Value};
use nnz_core::{Error, Place, Result};
use nnz_storage::InputFile;

use crate::frame::Frame;
use crate::objects::{FileInfo, describe, has, is_a, members, take};
use crate::study::{MatrixObject, Study, StudyMatrix, is_matrix};
use crate::{bioconductor, seurat};

/// A file with objects other than those of other formats.
#[derive(Debug)]
pub struct RFile {
    info: Arc<FileInfo>,
    root: Node,
}

/// An object of a file, or of a list in it.
#[derive(Debug)]
#[non_exhaustive]
pub enum Node {
    /// Several matrices of the same cells.
    Study(Box<Study>),
    /// A matrix.
    Matrix(MatrixObject),
    /// A table.
    Table(Frame),
    /// A list, by names or numbers.
    List(Vec<(String, Node)>),
    /// Something else, with its description.
    Other(String),
}

/// Lists are followed this deep.
const MOST_NESTED: usize = 16;

impl Node {
    fn new(info: &Arc<FileInfo>, path: &str, object: Object, depth: usize) -> Result<Self> {
        let prefix = if path.is_empty() { String::new() } else { format!("{path}/") };
        if seurat::is_seurat(&object) {
            return seurat::parse(info, &prefix, object).map(Box::new).map(Self::Study);
        }
        if seurat::is_seurat2(&object) {
            return seurat::parse2(info, &prefix, object).map(Box::new).map(Self::Study);
        }
        if seurat::is_assay(&object) {
            return seurat::parse_assay(info, &prefix, object).map(Box::new).map(Self::Study);
        }
        if bioconductor::is_experiment(&object) {
            return bioconductor::parse(info, &prefix, object).map(Box::new).map(Self::Study);
        }
        if is_matrix(&object) {
            return Ok(Self::Matrix(Arc::new(object)));
        }
        if Frame::is_frame(&object) {
            return Frame::new(info, object, path).map(Self::Table);
        }
        if bioconductor::is_ranges(&object) {
            return bioconductor::ranges_table(info, object, path).map(Self::Table);
        }
        if depth >= MOST_NESTED {
            return Ok(Self::Other(describe(&object)));
        }
        let what = describe(&object);
        let parts = match members_of(info, object) {
            Some(parts) => parts,
            None => return Ok(Self::Other(what)),
        };
        let mut list = Vec::with_capacity(parts.len());
        for (name, part) in parts {
            let inside = format!("{prefix}{name}");
            list.push((name, Self::new(info, &inside, part, depth + 1)?));
        }
        Ok(Self::List(list))
    }

    /// Returns whether there is something to read.
    fn is_some(&self) -> bool {
        match self {
            Self::Other(_) => false,
            Self::List(list) => list.iter().any(|(_, node)| node.is_some()),
            _ => true,
        }
    }
}

/// Returns the members of a list, of a list of Bioconductor, or of the experiments of several assays.
fn members_of(info: &FileInfo, mut object: Object) -> Option<Vec<(String, Object)>> {
    if object.is_s4() {
        if has(&object, &["ExperimentList", "colData"]) {
            let mut parts = Vec::new();
            for (slot, name) in [("ExperimentList", "experiments"), ("colData", "colData")] {
                parts.extend(take(&mut object, slot).map(|part| (name.to_owned(), part)));
            }
            return Some(parts);
        }
        return match has(&object, &["listData"]) {
            true => take(&mut object, "listData").map(|list| members(info, list)),
            false => None,
        };
    }
    match &object.value {
        // Lists of other classes, such as models, are no collections of objects.
        Value::List(_) if is_a(&object, "list") || object.attribute("class").is_none() => {
            Some(members(info, object))
        }
        _ => None,
    }
}

impl RFile {
    /// Reads the objects of a file.
    ///
    /// # Errors
    ///
    /// Fails if an object is broken, or if nothing is read of any.
    pub fn new(file: &InputFile, document: Document) -> Result<Self> {
        let what = describe(&document.object);
        let Document { native, compression, object, workspace, .. } = document;
        let info = Arc::new(FileInfo::new(file, native, compression));
        let root = match (workspace, object.value) {
            (true, Value::Pairlist(variables)) => {
                let mut list = Vec::new();
                for entry in variables.entries {
                    let name = entry.tag.map(|tag| info.text(tag.text())).unwrap_or_default();
                    let node = Node::new(&info, &name, entry.value, 1)?;
                    list.push((name, node));
                }
                Node::List(list)
            }
            (_, value) => Node::new(&info, "", Object { value, ..object }, 0)?,
        };
        match root.is_some() {
            true => Ok(Self { info, root }),
            false => {
                let what = format!("{what}, of which nothing is read");
                Err(Error::unsupported(info.place(""), what))
            }
        }
    }

    /// Returns whether a document may have objects to read, as [`new`](Self::new) does.
    #[must_use]
    pub fn may_read(document: &Document) -> bool {
        fn readable(object: &Object, depth: usize) -> bool {
            if object.is_s4() {
                return seurat::is_seurat(object)
                    || seurat::is_seurat2(object)
                    || seurat::is_assay(object)
                    || bioconductor::is_experiment(object)
                    || bioconductor::is_ranges(object)
                    || has(object, &["listData"])
                    || has(object, &["ExperimentList", "colData"])
                    || is_matrix(object);
            }
            if is_matrix(object) || Frame::is_frame(object) {
                return true;
            }
            match &object.value {
                Value::List(members) if depth < MOST_NESTED => {
                    members.iter().any(|member| readable(member, depth + 1))
                }
                _ => false,
            }
        }
        match (&document.object.value, document.workspace) {
            (Value::Pairlist(list), true) => {
                list.entries.iter().any(|entry| readable(&entry.value, 1))
            }
            _ => readable(&document.object, 0),
        }
    }

    /// Returns the object, or the only one in a list.
    #[must_use]
    pub fn root(&self) -> &Node {
        let mut node = &self.root;
        while let Node::List(list) = node {
            match &list[..] {
                [(_, only)] => node = only,
                _ => break,
            }
        }
        node
    }

    /// Finds an object by its path, or a matrix in an object.
    #[must_use]
    pub fn find(&self, path: &str) -> Option<ObjectRef<'_>> {
        let path = path.trim_matches('/');
        let found = find(&self.root, path);
        // A list with one member is that member.
        found.or_else(|| find(self.root(), path))
    }

    /// Returns the compression of the file.
    #[must_use]
    pub fn compression(&self) -> Compression {
        self.info.compression
    }

    /// Returns the place of an object in the file.
    #[must_use]
    pub fn place(&self, path: &str) -> Place {
        self.info.place(path)
    }

    /// Opens a matrix that is in a list, or alone.
    ///
    /// # Errors
    ///
    /// Fails if it is broken.
    pub fn open_matrix(
        &self,
        path: &str,
        matrix: &MatrixObject,
    ) -> Result<Box<dyn nnz_core::MatrixSource>> {
        crate::study::open_matrix(&self.info, path, matrix)
    }

    /// Joins layers of all objects that have parts of the cells.
    pub fn join_layers(&mut self) {
        fn join(node: &mut Node) {
            match node {
                Node::Study(study) => study.join_layers(),
                Node::List(list) => list.iter_mut().for_each(|(_, node)| join(node)),
                _ => {}
            }
        }
        join(&mut self.root);
    }
}

/// The object at a path.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum ObjectRef<'a> {
    /// An object.
    Node(&'a Node),
    /// A matrix of an object.
    Matrix(&'a Study, StudyMatrix),
}

fn find<'a>(node: &'a Node, path: &str) -> Option<ObjectRef<'a>> {
    if path.is_empty() {
        return Some(ObjectRef::Node(node));
    }
    match node {
        Node::Study(study) => study.find(path).map(|part| ObjectRef::Matrix(study, part)),
        // Names may have slashes.
        Node::List(list) => list.iter().find_map(|(name, node)| {
            let rest = path.strip_prefix(&**name)?;
            match rest.strip_prefix('/') {
                Some(rest) => find(node, rest),
                None if rest.is_empty() => Some(ObjectRef::Node(node)),
                None => None,
            }
        }),
        _ => None,
    }
}
