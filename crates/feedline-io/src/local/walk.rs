//! Which folders to read for a pattern, and which of their files match.
//!
//! Every folder carries the *set* of pattern components its entries may match next, as a regular-expression
//! engine carries its states. So a folder is read once however many ways `**` could lead to it, and no file is
//! found twice.

use super::pattern::{Component, Pattern};
use crate::error::{Error, ErrorKind, Result};
use crate::store::FileEntry;
use crate::watch::ListingWatch;
use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// What a walk found.
#[derive(Debug, Default)]
pub(super) struct Walk {
    /// The matching files, in no order.
    pub(super) files: Vec<FileEntry>,
    /// What may be or hold a matching file and cannot be looked at, in no order: links that lead nowhere, folders that
    /// may not be read.
    pub(super) unreadable: Vec<Error>,
    /// Folders whose entries were compared.
    pub(super) num_folders: usize,
    /// The first folder that got furthest into the pattern, and the component looked for there: where an
    /// explanation of an empty result begins.
    pub(super) furthest: Option<(usize, PathBuf)>,
}

/// Finds the files below `pattern.base`, which must be a folder; not all of them if it is stopped.
pub(super) fn walk(pattern: &Pattern, watch: &ListingWatch) -> Walk {
    let mut walker = Walker {
        components: &pattern.components,
        // Only `**` can go round in circles.
        detect_loops: pattern.components.iter().any(|component| matches!(component, Component::AnyDepth)),
        pending: Vec::new(),
        walk: Walk::default(),
        watch,
    };
    walker.enter(pattern.base.clone(), &[0], None);
    while !watch.is_stopped()
        && let Some(folder) = walker.pending.pop()
    {
        if let Err(error) = walker.visit(&folder) {
            walker.walk.unreadable.push(error);
        }
    }
    walker.walk
}

struct Walker<'a> {
    components: &'a [Component],
    detect_loops: bool,
    pending: Vec<Folder>,
    walk: Walk,
    watch: &'a ListingWatch,
}

struct Folder {
    path: PathBuf,
    /// Indexes of the components that an entry of this folder may match, ascending.
    positions: Vec<usize>,
    /// The folders above and this one, by identity; `None` where loops cannot happen.
    chain: Option<Rc<Chain>>,
}

struct Chain {
    id: (u64, u64),
    above: Option<Rc<Chain>>,
}

impl Chain {
    fn contains(&self, id: (u64, u64)) -> bool {
        let mut link = Some(self);
        while let Some(chain) = link {
            if chain.id == id {
                return true;
            }
            link = chain.above.as_deref();
        }
        false
    }
}

impl Walker<'_> {
    /// Puts a folder on the list, unless a link has led back to one that contains it.
    fn enter(&mut self, path: PathBuf, positions: &[usize], above: Option<&Rc<Chain>>) {
        let mut chain = None;
        if self.detect_loops {
            let metadata = match fs::metadata(or_current(&path)) {
                Ok(metadata) => metadata,
                Err(error) => {
                    self.walk.unreadable.extend(ignore_vanished(&path, "read the folder", error).err());
                    return;
                }
            };
            let id = (metadata.dev(), metadata.ino());
            if above.is_some_and(|chain| chain.contains(id)) {
                return;
            }
            chain = Some(Rc::new(Chain { id, above: above.cloned() }));
        }
        // `**` also stands for no folder at all: what follows it may match right here.
        let mut closure: Vec<usize> = Vec::with_capacity(positions.len() + 1);
        for &position in positions {
            let mut position = position;
            closure.push(position);
            while matches!(self.components[position], Component::AnyDepth) {
                position += 1; // never the last one, see Pattern::components
                closure.push(position);
            }
        }
        closure.sort_unstable();
        closure.dedup();
        self.pending.push(Folder { path, positions: closure, chain });
    }

    fn visit(&mut self, folder: &Folder) -> Result<()> {
        let last_position = folder.positions.last().copied().unwrap_or_default();
        if self.walk.furthest.as_ref().is_none_or(|(position, _)| *position < last_position) {
            self.walk.furthest = Some((last_position, folder.path.clone()));
        }
        self.walk.num_folders += 1;
        if let [position] = folder.positions[..]
            && let Component::Literal(name) = &self.components[position]
        {
            // No need to read the folder: `*/labels.csv` asks each for one name.
            return self.visit_literal(folder, position, name);
        }
        let entries = match fs::read_dir(or_current(&folder.path)) {
            Ok(entries) => entries,
            Err(error) => return ignore_vanished(&folder.path, "read the folder", error),
        };
        for entry in entries {
            if self.watch.is_stopped() {
                return Ok(());
            }
            let entry = entry.map_err(|error| Error::io(&folder.path, "read the folder", error))?;
            let name = entry.file_name();
            let name_text = name.to_string_lossy();
            let mut is_match = false;
            let mut next = Vec::new();
            for &position in &folder.positions {
                let component = &self.components[position];
                if !component.matches(&name_text) {
                    continue;
                }
                match component {
                    Component::AnyDepth => next.push(position),
                    _ if position + 1 == self.components.len() => is_match = true,
                    _ => next.push(position + 1),
                }
            }
            if !is_match && next.is_empty() {
                continue;
            }
            let path = folder.path.join(&name);
            let kind = entry.file_type().map_err(|error| Error::io(&path, "look at", error))?;
            if kind.is_dir() {
                if !next.is_empty() {
                    self.enter(path, &next, folder.chain.as_ref());
                }
            } else if kind.is_symlink() || (kind.is_file() && is_match) {
                match target_of(&path) {
                    Ok(Some(metadata)) => self.take(path, &metadata, is_match, &next, folder),
                    Ok(None) => {}
                    // A broken link that only leads on to other names is nobody's file.
                    Err(error) if !is_match && error.kind() != ErrorKind::PermissionDenied => {}
                    Err(error) => self.walk.unreadable.push(error),
                }
            }
        }
        Ok(())
    }

    fn visit_literal(&mut self, folder: &Folder, position: usize, name: &OsStr) -> Result<()> {
        let path = folder.path.join(name);
        let Some(metadata) = target_of(&path)? else { return Ok(()) };
        let is_last = position + 1 == self.components.len();
        let next = [position + 1];
        self.take(path, &metadata, is_last, if is_last { &[] } else { &next }, folder);
        Ok(())
    }

    /// Takes what is behind a path, links followed: a file that matches, or a folder that leads on.
    fn take(&mut self, path: PathBuf, metadata: &Metadata, is_match: bool, next: &[usize], folder: &Folder) {
        if metadata.is_file() && is_match {
            self.walk.files.push(FileEntry { location: path, size: metadata.len() });
            self.watch.count();
        } else if metadata.is_dir() && !next.is_empty() {
            self.enter(path, next, folder.chain.as_ref());
        }
    }
}

/// The current folder is spelled "" in paths that are to stay as short as the user's, but not for the system.
pub(super) fn or_current(path: &Path) -> &Path {
    if path.as_os_str().is_empty() { Path::new(".") } else { path }
}

/// What is at a path, links followed; `None` if nothing is, also if it vanished since its folder was read.
pub(super) fn target_of(path: &Path) -> Result<Option<Metadata>> {
    let error = match fs::metadata(path) {
        Ok(metadata) => return Ok(Some(metadata)),
        Err(error) => error,
    };
    // A link that leads nowhere is a file the user expects and does not have.
    if fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink()) {
        return Err(Error::io(path, "follow the link", error).with_hint(
            "the link's target is missing or out of reach; remove the link or restore its target",
        ));
    }
    ignore_vanished(path, "look at", error).map(|()| None)
}

/// What vanished while we looked is not there; every other failure is one, above all a folder we may not read.
fn ignore_vanished(path: &Path, operation: &str, error: io::Error) -> Result<()> {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Ok(()),
        _ => Err(Error::io(path, operation, error)),
    }
}
