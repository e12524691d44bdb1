//! Finds the kind of a path: an object, a prefix of objects, or missing.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use super::RemoteStorage;
use super::known::PathState;
use crate::address::{Address, Service};
use crate::client::{Client, First};
use crate::failure::Failure;
use crate::stores::LocationKind;

/// Bytes of the first request for an object, for one inside a directory, such as a chunk of which a part may be
/// read, and for a mark.
const FIRST: u64 = 64 << 10;
const INSIDE: u64 = 32 << 10;
const HEAD: u64 = 4 << 10;

/// Names of a prefix that are listed to find out that it is one.
const FEW_NAMES: usize = 1000;

impl RemoteStorage {
    /// Finds out what is at a path, and keeps what was fetched for that.
    pub(super) fn find(&self, path: &Path) -> io::Result<PathState> {
        match self.look(path)? {
            None | Some(PathState::NoObject) => {}
            Some(found) => return Ok(found),
        }
        let (address, client) = self.locate(path)?;
        let found = match address.service {
            Service::Web => self.find_page(path, &address, &client),
            _ => match self.find_object(path, &address, &client) {
                Err(_) if client.is_elsewhere() => {
                    let (address, client) = self.locate(path)?;
                    self.find_object(path, &address, &client)
                }
                found => found,
            },
        };
        let found = match found {
            Err(error) if self.may_be_absent(&address, error.kind()) => PathState::Missing,
            found => found?,
        };
        self.keep(path, found.clone());
        Ok(found)
    }

    /// Finds an object; whether there are others below is not asked inside a directory.
    pub(super) fn find_file(&self, path: &Path) -> io::Result<PathState> {
        if let Some(found) = self.look(path)? {
            return Ok(found);
        }
        if self.base.is_none() {
            return self.find(path);
        }
        let (address, client) = self.locate(path)?;
        let (at, asked) = (address.clone(), Arc::clone(&client));
        let range = self.take_announced(path).unwrap_or(0..INSIDE);
        let first = self.run(async move { asked.first(&at, range).await })?;
        let found = match first {
            Ok(first) => match self.opened(&address, &client, first)? {
                Some(opened) => PathState::Opened(opened),
                None => PathState::NoObject,
            },
            Err(failure) if failure.is_missing() => PathState::NoObject,
            Err(failure) if self.may_be_absent(&address, failure.kind) => PathState::NoObject,
            Err(failure) => return Err(failure.into()),
        };
        self.keep(path, found.clone());
        Ok(found)
    }

    /// Returns whether a forbidden object counts as missing: without the permission to list, services answer so
    /// for missing objects. For objects that every store has, such as chunks, it stays an error.
    pub(super) fn may_be_absent(&self, address: &Address, kind: io::ErrorKind) -> bool {
        let (name, files) = (address.name(), &self.files);
        kind == io::ErrorKind::PermissionDenied
            && match self.base {
                Some(_) => {
                    files.optional.contains(&name)
                        || files.marks.iter().any(|marks| marks.contains(&name))
                }
                None => files.sidecars.iter().any(|suffix| name.ends_with(suffix)),
            }
    }

    /// Asks object storage for an object and for objects below, at once. With the extension of a directory, it asks
    /// for an object only if there are none below.
    fn find_object(
        &self,
        path: &Path,
        address: &Address,
        client: &Arc<Client>,
    ) -> io::Result<PathState> {
        let (at, asked) = (address.clone(), Arc::clone(client));
        if matches!(self.files.expected(address.name()), LocationKind::Directory(_)) {
            let (key, listing) = (at.clone(), Arc::clone(&asked));
            let list = self.run(async move { listing.list(&key, FEW_NAMES).await })?;
            if let Ok((names, complete)) = list
                && !names.is_empty()
            {
                self.take_list(path, &names, complete);
                return Ok(PathState::Directory);
            }
        }
        let lists = self.run(async move {
            let (key, listing) = (at.clone(), Arc::clone(&asked));
            let list = tokio::spawn(async move { listing.list(&key, FEW_NAMES).await });
            let object = match at.path.is_empty() {
                true => Err(Failure::missing()),
                false => asked.first(&at, 0..FIRST).await,
            };
            match object {
                Ok(first) => {
                    list.abort();
                    Ok(Ok(first))
                }
                Err(failure) => match list.await {
                    Ok(list) => Ok(Err((failure, list))),
                    Err(_) => Err(Failure::transient("the request ended without a response")),
                },
            }
        })??;
        let (failure, list) = match lists {
            Ok(first) => {
                let opened = self.opened(address, client, first)?;
                return Ok(opened.map_or(PathState::Missing, PathState::Opened));
            }
            Err(lists) => lists,
        };
        match list {
            Ok((names, complete)) if !names.is_empty() => {
                self.take_list(path, &names, complete);
                Ok(PathState::Directory)
            }
            _ if failure.is_missing() => match list {
                // Without the permission to list, this is the answer for missing objects.
                Err(denied) if denied.kind != io::ErrorKind::PermissionDenied => Err(denied.into()),
                _ => Ok(PathState::Missing),
            },
            _ => Err(failure.into()),
        }
    }

    /// Returns whether the directory that was opened has the first of the marks that directories in it have.
    fn has_first_mark(&self) -> bool {
        let mark = self.files.inside.first().map(Path::new);
        mark.is_some_and(|mark| matches!(self.known().found.get(mark), Some(PathState::Opened(_))))
    }

    /// Asks a web server for a file, and for the marks of a directory.
    fn find_page(
        &self,
        path: &Path,
        address: &Address,
        client: &Arc<Client>,
    ) -> io::Result<PathState> {
        // Inside a store there are groups of one.
        let is_root = self.base.is_none();
        let (at, asked) = (address.clone(), Arc::clone(client));
        let files = self.files;
        let (likely, is_likely) = match files.expected(address.name()) {
            // Files at the root of a store are in its directories, too.
            _ if !is_root && self.has_first_mark() => {
                (files.inside.get(..1).unwrap_or_default(), true)
            }
            _ if !is_root => (&[][..], false),
            LocationKind::File => (&[][..], false),
            LocationKind::Directory(likely) => (likely, true),
            LocationKind::Unknown => (files.marks[0], false),
        };
        let found = self.run(async move {
            // The first failure of a mark that may be there.
            let unread = Mutex::new(None);
            // Each mark is requested once.
            let marked = async |marks: &'static [&'static str], except: &'static [&'static str]| {
                let mut tasks = Vec::new();
                for mark in marks.iter().filter(|mark| !except.contains(mark)) {
                    let (Ok(at), asked) = (at.join(Path::new(mark)), Arc::clone(&asked)) else {
                        continue;
                    };
                    tasks
                        .push(tokio::spawn(async move { (mark, asked.first(&at, 0..HEAD).await) }));
                }
                let mut found = Vec::new();
                for task in tasks {
                    match task.await {
                        Ok((mark, Ok(first @ (First::Part(_) | First::Body(_))))) => {
                            found.push((*mark, first));
                        }
                        Ok((_, Err(failure))) if !failure.may_be_missing() => {
                            unread
                                .lock()
                                .unwrap_or_else(PoisonError::into_inner)
                                .get_or_insert(failure);
                        }
                        _ => {}
                    }
                }
                found
            };
            let ask = || {
                let (at, asked) = (at.clone(), Arc::clone(&asked));
                tokio::spawn(async move { asked.first(&at, 0..FIRST).await })
            };
            // With the extension of a directory, it is a file only if it has no marks.
            let own = (!is_likely).then(ask);
            let mut store = marked(likely, &[]).await;
            if is_likely && !store.is_empty() {
                return Ok(Err(store));
            }
            let own = own.unwrap_or_else(ask).await;
            let own =
                own.map_err(|_| Failure::transient("the request ended without a response"))?;
            let is_file = matches!(own, Ok(First::Part(_) | First::Body(_)));
            if !is_root && !is_file {
                store = marked(files.inside, &[]).await;
            } else if !is_file {
                for marks in files.marks {
                    if store.is_empty() {
                        store = marked(marks, likely).await;
                    }
                }
            }
            match own {
                _ if !store.is_empty() => Ok(Err(store)),
                Ok(first) => Ok(Ok(first)),
                Err(failure) if failure.is_missing() => {
                    let unread = unread.into_inner().unwrap_or_else(PoisonError::into_inner);
                    Err(unread.unwrap_or(failure))
                }
                Err(failure) => Err(failure),
            }
        })?;
        match found {
            Ok(Err(marks)) => {
                // A store is of one kind: other marks need no request.
                if is_root {
                    for mark in files.marks.iter().copied().flatten() {
                        self.keep(&path.join(mark), PathState::Missing);
                    }
                }
                for (mark, first) in marks {
                    let address = address.join(Path::new(mark))?;
                    if let Some(opened) = self.opened(&address, client, first)? {
                        self.keep(&path.join(mark), PathState::Opened(opened));
                    }
                }
                Ok(PathState::Directory)
            }
            Ok(Ok(First::Page)) if is_root => {
                let what = "the server responded with an HTML page, not with a file or store";
                Err(io::Error::new(io::ErrorKind::Unsupported, what))
            }
            Ok(Ok(first)) => {
                let opened = self.opened(address, client, first)?;
                Ok(opened.map_or(PathState::Missing, PathState::Opened))
            }
            Err(failure) if failure.is_missing() => Ok(PathState::Missing),
            Err(failure) => Err(failure.into()),
        }
    }
}
