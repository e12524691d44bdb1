//! The elements of a collection that are written, and their names.

use std::collections::HashSet;

use nnz_container::tree::{Attribute, AttributeValue};
use nnz_core::{Axis, MatrixSource, Result};
use nnz_robjects::write::{self, MatrixForm, ObjectClass, check_size};

use super::layers::{self, MainName, X_NAME};
use super::reductions::{SPATIAL, embedding_of_loadings, identity, reduction_name, without_prefix};
use crate::Context;
use crate::collection::{Contents, ContentsMember, MemberRole, NamedAttribute};

/// The elements of one collection that are written.
pub(super) struct StudyPlan {
    pub(super) name: String,
    /// Whether its table of cells is its own.
    pub(super) own_cells: bool,
    pub(super) main: Box<dyn MatrixSource>,
    pub(super) main_path: String,
    pub(super) main_name: MainName,
    pub(super) layers: Vec<(String, ContentsMember)>,
    pub(super) reductions: Vec<(String, ContentsMember, Option<ContentsMember>)>,
    pub(super) graphs: Vec<(String, ContentsMember)>,
    pub(super) attributes: Vec<NamedAttribute>,
    pub(super) dropped: Vec<String>,
    pub(super) left_out: Vec<String>,
    pub(super) notes: Vec<String>,
}

impl StudyPlan {
    pub(super) fn new(
        class: ObjectClass,
        name: String,
        contents: Contents,
        context: &Context,
    ) -> Result<Self> {
        let Contents { main, main_path, members, attributes, unsupported, left_out, notes, .. } =
            contents;
        let mut plan = Self {
            name,
            own_cells: true,
            main_name: MainName::Unknown,
            main_path,
            layers: Vec::new(),
            reductions: Vec::new(),
            graphs: Vec::new(),
            attributes: Vec::new(),
            dropped: unsupported,
            left_out,
            notes: notes.into_iter().chain(main.notes()).collect(),
            main,
        };
        for (axis, name) in [Axis::Rows, Axis::Cols].into_iter().zip(class.tables()) {
            if let Some(table) = plan.main.annotations(axis)? {
                plan.dropped.extend(write::unsupported_columns(name, &*table, context.memory())?);
            }
        }
        let mut loadings = Vec::new();
        for member in members {
            if member.source.header().value_type.is_complex() {
                plan.drop(&member.path, "complex numbers");
                continue;
            }
            match member.role.clone() {
                MemberRole::Layer(name) => plan.layers.push((name, member)),
                MemberRole::AxisMatrix(Axis::Cols, _)
                    if member.source.header().shape.cols == 0
                        && matches!(class, ObjectClass::Seurat(_)) =>
                {
                    plan.drop(&member.path, "no columns");
                }
                MemberRole::AxisMatrix(Axis::Cols, name) => {
                    plan.reductions.push((name, member, None));
                }
                MemberRole::AxisMatrix(Axis::Rows, name) => loadings.push((name, member)),
                MemberRole::AxisGraph(Axis::Cols, name) => plan.graphs.push((name, member)),
                // It is another assay.
                MemberRole::Raw(_) => {}
                MemberRole::AxisGraph(Axis::Rows, _) => {
                    plan.drop(&member.path, "graphs of features are not stored");
                }
            }
        }
        for (name, member) in loadings {
            let embeddings = plan.reductions.iter().map(|(name, ..)| &**name);
            let of = embedding_of_loadings(&name, embeddings);
            match of.and_then(|at| plan.reductions.get_mut(at)) {
                Some((.., loadings @ None)) => *loadings = Some(member),
                _ => plan.drop(&member.path, "matrices of features are stored as loadings only"),
            }
        }
        plan.name_reductions(class);
        plan.name_layers(class, attributes)?;
        plan.check(class)?;
        Ok(plan)
    }

    fn drop(&mut self, path: &str, why: &str) {
        self.dropped.push(format!("{path} ({why})"));
    }

    /// Gives embeddings the names of a class. Those whose names begin with `X_` are the first; others get a number if their name
    /// is taken then, or is the same when it is read.
    fn name_reductions(&mut self, class: ObjectClass) {
        let stored: Vec<String> = self.reductions.iter().map(|(name, ..)| name.clone()).collect();
        let plain: HashSet<&str> = stored.iter().map(|name| &**name).collect();
        let mut order: Vec<usize> = (0..stored.len()).collect();
        order.sort_by_key(|&at| (stored[at] != SPATIAL, without_prefix(&stored[at]).is_none()));
        let mut taken = HashSet::new();
        for at in order {
            let (name, member, _) = &mut self.reductions[at];
            let own = reduction_name(class, &stored[at], &plain);
            let numbered = (1..).map(|number| format!("{own}.{number}"));
            let mut names = std::iter::once(own.clone()).chain(numbered);
            let new = names.find(|name| taken.insert(identity(name))).unwrap_or_default();
            if new != own {
                let path = &member.path;
                self.notes.push(format!("{path} is the reduction {new}: another one is {own}"));
            }
            *name = new;
        }
    }

    /// Names the main matrix, and drops layers that have its name, or that the class does not have.
    fn name_layers(&mut self, class: ObjectClass, attributes: Vec<NamedAttribute>) -> Result<()> {
        let mut stated = None;
        for attribute in attributes {
            match attribute.value.text() {
                Some("") if attribute.name == X_NAME => {}
                Some(text) if attribute.name == X_NAME => stated = Some(text.to_owned()),
                _ if is_vector(&attribute.value) => self.attributes.push(attribute),
                _ => self.dropped.push(attribute.shown),
            }
        }
        let mut all: Vec<String> = self.layers.iter().map(|(name, _)| name.clone()).collect();
        all.extend(stated.clone());
        let translated = |name: &String| layers::translated(class, name, &all);
        let stated = stated.as_ref().map(translated);
        self.layers.iter_mut().for_each(|(name, _)| *name = translated(name));
        let names: Vec<String> = self.layers.iter().map(|(name, _)| name.clone()).collect();
        self.main_name = layers::main_name(class, stated.as_deref(), &names, &*self.main)?;
        if let Some(stated) = &stated
            && self.main_name != MainName::Known(stated.clone())
        {
            let what = "an object of Seurat needs counts or normalized values";
            let note = format!("{} is not {stated}, as {X_NAME} states: {what}", self.main_path);
            self.notes.push(note);
        }
        let mut taken = Vec::new();
        if let MainName::Known(name) = &self.main_name {
            taken.push(name.clone());
        }
        for (name, member) in std::mem::take(&mut self.layers) {
            let why = match () {
                () if !layers::is_layer(class, &name) => {
                    "assays of version 3 have counts, data and scale.data only; format-version 5 has any layer"
                }
                () if taken.contains(&name) => "another matrix has its name",
                () => {
                    taken.push(name.clone());
                    self.layers.push((name, member));
                    continue;
                }
            };
            self.drop(&member.path, why);
        }
        Ok(())
    }

    /// Checks that R can count everything, before anything is read.
    fn check(&self, class: ObjectClass) -> Result<()> {
        let main = match &self.main_name {
            MainName::Known(name) => Some(&**name),
            MainName::Unknown => None,
        };
        let form = layers::form(class, main, &*self.main);
        check_size(self.main.header(), form, &self.main.place())?;
        for (name, member) in &self.layers {
            let source = &*member.source;
            check_size(source.header(), layers::form(class, Some(name), source), &source.place())?;
        }
        for (_, member) in &self.graphs {
            check_size(member.source.header(), MatrixForm::Sparse, &member.source.place())?;
        }
        Ok(())
    }
}

/// Returns whether an attribute is a vector in R.
fn is_vector(attribute: &Attribute) -> bool {
    let is_stored = match &attribute.value {
        AttributeValue::Numbers(values) => !values.value_type().is_complex(),
        AttributeValue::Strings(_) => true,
        _ => false,
    };
    is_stored && attribute.shape.len() <= 1
}
