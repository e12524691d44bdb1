//! The matrices and tables of objects.

use nnz_core::{Annotations as _, Axis, Error, ErrorKind, MatrixSource, Result};
use nnz_robjects::{
    Experiment, Frame, LayerData, NamedVector, Node, ObjectRef, RFile, Study, StudyKind,
    StudyMatrix,
};

use super::follow::Options;
use super::objects;
use crate::formats::Member;
use crate::formats::items::column_members;

/// Joins two paths, either of which may be empty.
pub(super) fn joined(outer: &str, inner: &str) -> String {
    match (outer, inner) {
        ("", path) | (path, "") => path.to_owned(),
        (outer, inner) => format!("{outer}/{inner}"),
    }
}

/// Returns the paths of all that can be opened, for messages.
pub(super) fn names(file: &RFile) -> Vec<String> {
    let mut list = Vec::new();
    objects(file.root(), "", &mut list);
    let mut names = Vec::new();
    for (path, node) in list {
        match node {
            Node::Study(study) => {
                names.extend(study.parts().into_iter().map(|(inner, _)| joined(&path, &inner)));
            }
            _ => names.push(path),
        }
    }
    names
}

/// Returns the matrices at a path that are in the file, or are followed, by their paths inside it.
pub(super) fn matrices(file: &RFile, path: &str, options: &Options) -> Vec<String> {
    let Some(ObjectRef::Node(node)) = file.find(path) else { return vec![String::new()] };
    let mut list = Vec::new();
    objects(node, "", &mut list);
    let mut names = Vec::new();
    for (path, node) in list {
        match node {
            Node::Study(study) => {
                let parts = study.parts().into_iter().filter(|(_, part)| {
                    match layer_of(study, *part).map(|(_, layer)| layer) {
                        Some(LayerData::External(_)) => options.follows,
                        Some(LayerData::Refused(_)) => false,
                        _ => true,
                    }
                });
                names.extend(parts.map(|(inner, _)| joined(&path, &inner)));
            }
            Node::Matrix(_) => names.push(path),
            _ => {}
        }
    }
    names
}

/// Opens a matrix by its path.
pub(super) fn open(file: &RFile, path: &str, options: &Options) -> Result<Box<dyn MatrixSource>> {
    match file.find(path) {
        Some(ObjectRef::Matrix(study, part)) => {
            let follow = |external: &_, place: &_| options.follow(external, place);
            Ok(Box::new(study.open(part, &follow)?))
        }
        Some(ObjectRef::Node(Node::Matrix(matrix))) => file.open_matrix(path, matrix),
        _ => Err(Error::new(ErrorKind::Missing, file.place(path))),
    }
}

/// Returns a layer of a study.
fn layer_of(study: &Study, part: StudyMatrix) -> Option<(&Experiment, &LayerData)> {
    let StudyMatrix::Layer(number, at) = part else { return None };
    let experiment = study.experiments.get(number)?;
    Some((experiment, &experiment.layers.get(at)?.data))
}

/// Lists what is at a path.
pub(super) fn members(file: &RFile, path: &str, options: &Options) -> Result<Vec<Member>> {
    let Some(ObjectRef::Node(node)) = file.find(path) else { return Ok(Vec::new()) };
    let mut members = Vec::new();
    match node {
        Node::Study(study) => study_members(study, options, &mut members)?,
        Node::Table(frame) => {
            members.extend(column_members("", Axis::Rows, frame).into_iter().map(|member| Member {
                path: member.path.trim_start_matches('/').to_owned(),
                ..member
            }))
        }
        Node::List(_) => {
            let mut list = Vec::new();
            objects(node, "", &mut list);
            for (inside, node) in list {
                members.push(object_member(file, &inside, node)?);
            }
            others(node, "", &mut members);
        }
        _ => {}
    }
    Ok(members)
}

/// Lists what is in a list, and not read.
fn others(node: &Node, path: &str, members: &mut Vec<Member>) {
    match node {
        Node::List(list) => {
            list.iter().for_each(|(name, node)| others(node, &joined(path, name), members));
        }
        Node::Other(what) => members.push(not_read(path.to_owned(), what)),
        _ => {}
    }
}

fn not_read(path: String, what: &str) -> Member {
    let (shape, axes, value_type) = (Vec::new(), Vec::new(), String::new());
    Member { path, shape, axes, kind: format!("{what}, not read"), value_type }
}

/// Describes an object in a list.
fn object_member(file: &RFile, path: &str, node: &Node) -> Result<Member> {
    let path = path.to_owned();
    Ok(match node {
        Node::Study(study) => {
            let shape = study.main_experiment().map(|main| vec![main.features.len, main.cells.len]);
            let shape = shape.unwrap_or_default();
            let value_type = match study.main_layer(study.main, None) {
                Ok(at) => readable_type(study, StudyMatrix::Layer(study.main, at))?,
                Err(_) => String::new(),
            };
            let axes = vec![None; shape.len()];
            Member { path, shape, axes, kind: study.class.clone(), value_type }
        }
        Node::Matrix(matrix) => match nnz_core::readable(file.open_matrix(&path, matrix))? {
            Some(source) => of_matrix(path, &*source, [None, None])?,
            None => invalid(path),
        },
        Node::Table(frame) => Member {
            path,
            shape: vec![frame.len(), frame.columns().len() as u64],
            axes: vec![None, None],
            kind: "table".to_owned(),
            value_type: String::new(),
        },
        _ => not_read(path, "a list"),
    })
}

/// Returns the type of the values of a matrix that is in the file.
fn readable_type(study: &Study, part: StudyMatrix) -> Result<String> {
    let refuse =
        |_: &_, place: &_| Err(Error::new(ErrorKind::Missing, nnz_core::Place::clone(place)));
    let source = nnz_core::readable(study.open(part, &refuse))?;
    Ok(source.map(|source| source.header().value_type.to_string()).unwrap_or_default())
}

fn invalid(path: String) -> Member {
    let (shape, axes, value_type) = (Vec::new(), Vec::new(), String::new());
    Member { path, shape, axes, kind: Member::INVALID.to_owned(), value_type }
}

fn of_matrix(path: String, source: &dyn MatrixSource, axes: [Option<Axis>; 2]) -> Result<Member> {
    let header = source.header();
    Ok(Member {
        path,
        shape: vec![header.shape.rows, header.shape.cols],
        axes: axes.to_vec(),
        kind: source.about()?.dialect.unwrap_or_default(),
        value_type: header.value_type.to_string(),
    })
}

fn study_members(study: &Study, options: &Options, members: &mut Vec<Member>) -> Result<()> {
    for (path, part) in study.parts() {
        if let Some((experiment, data)) = layer_of(study, part) {
            let shape = match part {
                StudyMatrix::Layer(_, at) => experiment.layers[at].shape(experiment),
                _ => None,
            };
            let shape = shape.map(Vec::from).unwrap_or_default();
            let kind = match data {
                LayerData::External(found) if !options.follows => {
                    Some(format!("{} in {}", found.class, found.path.escape_debug()))
                }
                LayerData::Refused(what) => Some(what.clone()),
                _ => None,
            };
            if let Some(kind) = kind {
                let axes = vec![None; shape.len()];
                let kind = format!("{kind}, not read");
                members.push(Member { path, shape, axes, kind, value_type: String::new() });
                continue;
            }
        }
        let follow = |external: &_, place: &_| options.follow(external, place);
        members.push(match nnz_core::readable(study.open(part, &follow))? {
            Some(source) => of_matrix(path, &source, study.axes_of(part))?,
            None => invalid(path),
        });
    }
    if let Some(main) = study.main_experiment() {
        for (axis, table) in [(Axis::Rows, &main.features.table), (Axis::Cols, &main.cells.table)] {
            let name = name_of(study, table, axis);
            members.extend(column_members(&name, axis, table));
        }
    }
    for NamedVector { path, values, .. } in &study.vectors {
        members.push(Member {
            path: path.clone(),
            shape: vec![values.len()],
            axes: vec![None],
            kind: "vector".to_owned(),
            value_type: values.column_type().to_string(),
        });
    }
    members.extend(study.unread.iter().map(|(path, what)| not_read(path.clone(), what)));
    Ok(())
}

/// Returns the path of a table in an object.
pub(super) fn name_of(study: &Study, table: &Frame, axis: Axis) -> String {
    let path = study.without_prefix(table.path());
    match (path, study.kind, axis) {
        ("", StudyKind::Seurat, Axis::Rows) => "meta.features".to_owned(),
        ("", StudyKind::Seurat, Axis::Cols) => "meta.data".to_owned(),
        (path, ..) => path.to_owned(),
    }
}
