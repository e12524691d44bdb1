//! Writing dense arrays as a new AnnData file without `X`, or into an existing file.

use nnz_container::Compression;
use nnz_container::tree::TreeWriter;
use nnz_core::{Annotations, Error, ErrorKind, Names, Place, Result, Shape, Values};

use super::AnnData;
use super::element::Element;
use super::output::{Group, Output};
use super::sink::{MAPPINGS, start_file, start_mapping};

/// Dense arrays of an AnnData file.
#[derive(Clone, Debug, Default)]
pub struct DenseArrays<'a> {
    /// Arrays with a row for each cell: name, number of columns, and elements by row.
    pub obsm: Vec<(&'a str, u64, &'a Values)>,
    /// Arrays with a row for each gene.
    pub varm: Vec<(&'a str, u64, &'a Values)>,
    /// Arrays of one dimension in `uns`, each as a group, a name and elements.
    pub uns: Vec<(&'a str, &'a str, &'a [f64])>,
}

impl DenseArrays<'_> {
    /// Writes the arrays into an empty tree, with the tables of `shape.rows` cells and `shape.cols` genes. Returns the
    /// number of bytes written.
    ///
    /// Cells or genes without names are named by their positions, like in anndata.
    ///
    /// # Errors
    ///
    /// Fails if an array does not have the number of rows, if the tree cannot be written, if names cannot be read or
    /// are not UTF-8, or if a table cannot be read or stored.
    pub fn write(
        &self,
        tree: Box<dyn TreeWriter>,
        shape: Shape,
        names: [Option<Names<'_>>; 2],
        annotations: [Option<&dyn Annotations>; 2],
        compression: Compression,
    ) -> Result<u64> {
        let mut output = Output::new(tree, compression);
        start_file(&mut output, shape, names, annotations)?;
        for name in MAPPINGS {
            let group = start_mapping(&mut output, name)?;
            match name {
                "obsm" => write_arrays(&mut output, group, shape.rows, &self.obsm)?,
                "varm" => write_arrays(&mut output, group, shape.cols, &self.varm)?,
                "uns" => self.write_uns(&mut output, group)?,
                _ => {}
            }
        }
        output.finish()
    }

    /// Adds the arrays to a file, of which the tree is [changed](nnz_container::tree::edit). Arrays, and groups of `uns`, of
    /// the same names are only replaced with `replace`. Returns by how many bytes the file has grown.
    ///
    /// # Errors
    ///
    /// Fails if there is an array or a group of one of the names, if an array does not have a row for each cell or gene, if
    /// the layout is that of anndata before 0.7, and if the tree cannot be written.
    pub fn add(
        &self,
        file: &AnnData,
        tree: Box<dyn TreeWriter>,
        replace: bool,
        compression: Compression,
    ) -> Result<u64> {
        let mut output = Output::new(tree, compression);
        let lengths = [file.obs()?.len(), file.var()?.len()];
        let names = |arrays: &[(&str, u64, &Values)]| {
            arrays.iter().map(|(name, ..)| (*name).to_owned()).collect::<Vec<_>>()
        };
        let mut of_uns: Vec<String> =
            self.uns.iter().map(|(group, ..)| (*group).to_owned()).collect();
        of_uns.dedup();
        let mappings = [("obsm", names(&self.obsm)), ("varm", names(&self.varm)), ("uns", of_uns)];
        for (mapping, added) in mappings {
            let place = |name: &str| Place::array(file.root.path(), name);
            let group = match Element::at(&*file.root, mapping)? {
                Some(Element::Array(_)) => {
                    let what = "adding arrays in the layout of anndata before 0.7";
                    return Err(Error::unsupported(place(mapping), what));
                }
                None => start_mapping(&mut output, mapping)?,
                Some(Element::Group(found)) => {
                    let group = Group(output.tree.open_group(Group::ROOT.0, mapping)?);
                    let there = found.children()?;
                    for name in added {
                        if there.iter().all(|child| child.name != name) {
                            continue;
                        }
                        if !replace {
                            let place = place(&format!("{mapping}/{name}"));
                            return Err(Error::new(ErrorKind::Exists, place));
                        }
                        output.tree.remove(group.0, &name)?;
                    }
                    group
                }
            };
            match mapping {
                "obsm" => write_arrays(&mut output, group, lengths[0], &self.obsm)?,
                "varm" => write_arrays(&mut output, group, lengths[1], &self.varm)?,
                _ => self.write_uns(&mut output, group)?,
            }
        }
        output.finish()
    }

    fn write_uns(&self, output: &mut Output, uns: Group) -> Result<()> {
        let mut last: Option<(&str, Group)> = None;
        for (group_name, name, elements) in &self.uns {
            let group = match last {
                Some((known, group)) if known == *group_name => group,
                _ => {
                    let group = output.group(uns, group_name)?;
                    output.encode(group, "dict", "0.1.0")?;
                    group
                }
            };
            last = Some((group_name, group));
            output.numbers(group, name, &Values::F64(elements.to_vec()))?;
        }
        Ok(())
    }
}

fn write_arrays(
    output: &mut Output,
    group: Group,
    rows: u64,
    arrays: &[(&str, u64, &Values)],
) -> Result<()> {
    for (name, cols, elements) in arrays {
        let len = elements.len().map(|len| len as u64);
        if len.is_none() || rows.checked_mul(*cols) != len {
            let what = format!("{name}: {} elements for {rows} x {cols}", len.unwrap_or(1));
            return Err(Error::argument(what));
        }
        output.dense(group, name, [rows, *cols], elements)?;
    }
    Ok(())
}
