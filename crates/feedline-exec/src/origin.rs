//! Where a row came from: the file and its record, or the element of a source. Told when a step fails for the row.
//!
//! Rows carry nothing but their ids, and nothing is kept for them. What made an id can be asked again: a source knows the first ids of
//! its iterations, and steps between it and the one that failed know what they did to ids ([`Template::origin`]). So a row that does
//! not fail costs nothing, and one that does costs a search through what was started.

use std::collections::{HashSet, VecDeque};
use std::fmt;
use std::hash::Hash;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use feedline_data::block::{Block, Column, ErrorRow, Ids, RowError, mix, unmix};

use serde::{Deserialize, Serialize};

use crate::error::ExecError;
use crate::files::RowKind;
use crate::template::{Scope, Template};

/// The row whose origin is looked for.
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own about the way here")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sought {
    pub(crate) id: u64,
    /// Whether it is a row of a nested stream: its id is then that of the stream's element mixed with its number in the stream.
    is_of_stream: bool,
    /// Whether that number is also its number in the source of the stream.
    is_counted: bool,
    /// Whether it is the first of a batch, or of a window, that is meant.
    is_batch: bool,
    is_window: bool,
}

/// What a step does with rows and their ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Passing {
    /// Out comes a row for a row, with its id.
    Each,
    /// Rows keep their ids, not their numbers.
    Some,
    /// Several become one, which has the id of the first.
    Batches,
    /// As that, for windows: datasets whose rows are elements again.
    Windows,
}

impl Sought {
    pub(crate) fn row(id: u64) -> Sought {
        Sought { id, is_of_stream: false, is_counted: true, is_batch: false, is_window: false }
    }

    pub(crate) fn is_of_stream(self) -> bool {
        self.is_of_stream
    }

    /// The same row of a nested stream; `None` where streams are nested in streams.
    pub(crate) fn in_stream(self) -> Option<Sought> {
        (!self.is_of_stream).then_some(Sought { is_of_stream: true, is_counted: true, ..self })
    }

    /// The same row before a step that gave it an id that is larger by `salt`.
    pub(crate) fn before_salt(self, salt: u64) -> Option<Sought> {
        (!self.is_of_stream).then_some(Sought { id: self.id.wrapping_sub(salt), ..self })
    }

    /// The same row before a step.
    pub(crate) fn before(self, step: Passing) -> Sought {
        Sought {
            is_counted: self.is_counted && step == Passing::Each,
            is_batch: self.is_batch || step == Passing::Batches,
            is_window: self.is_window || step == Passing::Windows,
            ..self
        }
    }
}

/// Where a row came from.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    /// A file, and what its rows are.
    file: Option<(PathBuf, RowKind)>,
    /// The number of the row in the file, or of the element in its source.
    number: Option<u64>,
    /// What the element says of itself: a path, where it is one.
    text: Option<String>,
    is_batch: bool,
    is_window: bool,
    /// Where it is one of several that were made of an element: where that came from.
    made_of: Option<(Box<Origin>, Making)>,
}

/// How several rows are made of one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Making {
    /// They are those of a dataset.
    Dataset,
    /// They are its slices.
    Slices,
}

impl Origin {
    /// The element, or the row of a file, of this number.
    fn of_number(sought: Sought, file: Option<(PathBuf, RowKind)>, number: Option<u64>) -> Origin {
        let Sought { is_batch, is_window, .. } = sought;
        Origin { file, number, text: None, is_batch, is_window, made_of: None }
    }

    /// It without what `message` says, too: a path that could not be read is there already. `None` if the file is: then so is the record.
    fn beyond(self, message: &str) -> Option<Origin> {
        if self.file.as_ref().is_some_and(|(path, _)| has_word(message, &feedline_io::shown(path))) {
            return None;
        }
        let made_of = match self.made_of {
            Some((around, making)) => Some((Box::new(around.beyond(message)?), making)),
            None => None,
        };
        Some(Origin { text: self.text.filter(|text| !has_word(message, text)), made_of, ..self })
    }

    /// With what the element's row of `columns` says of itself, which are all elements of the source.
    pub(crate) fn described_by(self, columns: &[Column]) -> Origin {
        let row = self.number.and_then(|number| usize::try_from(number).ok());
        let text = row.and_then(|row| columns.iter().find_map(|column| short_text(column, row)));
        Origin { text, ..self }
    }
}

/// Whether `text` stands in `message`, and not as a part of a longer word: the bytes of a file that begins with `BM` are not told by "BMP".
fn has_word(message: &str, text: &str) -> bool {
    let is_end = |next: Option<char>| next.is_none_or(|next| !next.is_alphanumeric());
    message.match_indices(text).any(|(at, _)| {
        is_end(message[..at].chars().next_back()) && is_end(message[at + text.len()..].chars().next())
    })
}

/// Longer texts are data, not names.
const MAX_TEXT_BYTES: usize = 400;

/// The string of a row, if it is one that people read.
fn short_text(column: &Column, row: usize) -> Option<String> {
    if row >= column.rows() || !column.shape(row).is_empty() {
        return None;
    }
    let text = std::str::from_utf8(column.strings()?.get(row)).ok()?;
    let is_name = (1..=MAX_TEXT_BYTES).contains(&text.len()) && !text.chars().any(char::is_control);
    is_name.then(|| text.to_owned())
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let (Some((around, making)), Some(number)) = (&self.made_of, self.number) {
            let row = match making {
                Making::Dataset => format!("{around}, row {number} of its dataset"),
                Making::Slices => format!("{around}, slice {number} of it"),
            };
            return if self.is_batch { write!(f, "the batch from {row}, on") } else { f.write_str(&row) };
        }
        if let Some((path, _)) = &self.file {
            f.write_str(&feedline_io::shown(path))?;
            f.write_str(if self.number.is_some() { ": " } else { "" })?;
        }
        if let Some(number) = self.number {
            let row = match self.file {
                None => format!("element {number}"),
                // As editors count them.
                Some((_, RowKind::Line)) => format!("line {}", number + 1),
                Some(_) => format!("record {number}"),
            };
            match (self.is_batch, self.is_window) {
                (false, false) => f.write_str(&row),
                (true, _) => write!(f, "the batch from {row} on"),
                (false, true) => write!(f, "the window from {row} on"),
            }?;
        }
        self.text.as_ref().map_or(Ok(()), |text| write!(f, " ({text})"))
    }
}

/// Tells, with each element that a step fails for, where the element came from. (Not an operator around the step's: a long plan is a deep
/// stack, and must not become a deeper one.)
#[derive(Debug)]
pub(crate) struct Locator {
    input: Arc<dyn Template>,
    /// Where the input gives row numbers: the tensors they are of.
    tensors: Option<Arc<Vec<Column>>>,
    /// Where rows are those of datasets that were made of the input's: these.
    streams: Option<StreamStarts>,
}

impl Locator {
    /// Of a step whose rows are those of datasets made of the elements of `input`. It tells the element also for errors that have none of
    /// their own.
    pub(crate) fn of_streams(input: &Arc<dyn Template>, streams: &StreamStarts) -> Locator {
        Locator { input: Arc::clone(input), tensors: None, streams: Some(streams.clone()) }
    }

    /// Of a step over `input`, whose rows keep their ids in it.
    pub(crate) fn new(input: &Arc<dyn Template>, tensors: Option<&Arc<Vec<Column>>>) -> Locator {
        Locator { input: Arc::clone(input), tensors: tensors.cloned(), streams: None }
    }

    /// What came out of the step, with the origins of errors.
    pub(crate) fn located(&self, block: Block) -> Block {
        if block.errors().is_empty() { block } else { block.map_errors(|row| self.located_error(row)) }
    }

    /// The error with its origin, unless it says where it is already: errors of files do, and those of steps before this one.
    fn located_error(&self, row: &ErrorRow) -> RowError {
        let known = row.error.downcast_ref::<ExecError>();
        // A record that is damaged says itself which it is.
        let is_asked = |error: &&ExecError| {
            let has_element = !error.element().is_empty() || self.streams.is_some();
            has_element && error.record().is_none() && error.origin().is_none()
        };
        let Some(known) = known.filter(is_asked) else {
            return Arc::clone(&row.error);
        };
        let origin = match &self.streams {
            None => self.input.origin(Sought::row(row.id)),
            Some(streams) => streams.origin(Sought::row(row.id), &*self.input),
        };
        let origin = origin.map(|origin| match &self.tensors {
            Some(tensors) => origin.described_by(tensors),
            None => origin,
        });
        let origin = origin.and_then(|origin| origin.beyond(known.message()));
        origin.map_or_else(
            || Arc::clone(&row.error),
            |origin| known.clone().of_origin(&origin).into_row_error(),
        )
    }
}

/// More rows than a file or another source has. It says which ids are its own, so the less the better: of ids that are random
/// numbers, one in four billion passes for a row of any given file.
const MAX_ROWS: u64 = 1 << 32;
/// Streams and iterations remembered, of each source; of those before them rows have no origin. Some 100 bytes each.
const MAX_STARTS: usize = 1 << 16;

/// What a source was started with.
#[derive(Debug)]
struct Starts<T> {
    /// What is known before anything starts: a cache may give the rows, and nothing ever does.
    known: Option<T>,
    added: Mutex<Added<T>>,
}

#[derive(Debug)]
struct Added<T> {
    /// The last time at the end.
    last: VecDeque<T>,
    /// How often something was added, in all.
    count: u64,
}

impl<T: Clone> Starts<T> {
    fn new(known: Option<T>) -> Starts<T> {
        Starts { known, added: Mutex::new(Added { last: VecDeque::new(), count: 0 }) }
    }

    fn added(&self) -> MutexGuard<'_, Added<T>> {
        self.added.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, start: T) {
        self.extend([start]);
    }

    fn extend(&self, more: impl IntoIterator<Item = T>) {
        let mut added = self.added();
        for start in more {
            if added.last.len() == MAX_STARTS {
                added.last.pop_front();
            }
            added.last.push_back(start);
            added.count += 1;
        }
    }

    /// What was added behind the first `count`, as far as it is remembered; moves `count` behind that.
    fn added_since(&self, count: &mut u64) -> Vec<T> {
        let added = self.added();
        let new = added.count.saturating_sub(std::mem::replace(count, added.count));
        let forgotten = added.last.len().saturating_sub(usize::try_from(new).unwrap_or(usize::MAX));
        added.last.iter().skip(forgotten).cloned().collect()
    }

    fn find<F>(&self, found: impl FnMut(&T) -> Option<F>) -> Option<F> {
        let added = self.added();
        added.last.iter().rev().chain(&self.known).find_map(found)
    }
}

/// What all sources before a cache, and all steps whose rows are told by what they were started with, were started with, in the order they are met: it gives
/// their rows again, when nobody starts anything.
#[derive(Clone, Debug, Default)]
pub(crate) struct KnownStarts {
    files: Vec<FileStarts>,
    ids: Vec<Arc<Starts<u64>>>,
}

impl KnownStarts {
    /// Those of what is upstream of a cache.
    pub(crate) fn of(template: &dyn Template) -> KnownStarts {
        let mut known = KnownStarts::default();
        template.add_starts(&mut known);
        known
    }

    pub(crate) fn push_files(&mut self, starts: &FileStarts) {
        self.files.push(starts.clone());
    }

    pub(crate) fn push_streams(&mut self, streams: &StreamStarts) {
        self.ids.push(Arc::clone(&streams.starts));
    }

    pub(crate) fn push_numbered(&mut self, numbered: &NumberedStarts) {
        self.ids.push(Arc::clone(&numbered.0));
    }

    pub(crate) fn push_salts(&mut self, salts: &Salts) {
        self.ids.push(Arc::clone(&salts.0));
    }

    /// Those that came since `counted`, which are counted then, as they are kept beside the rows of a cache, which others give again.
    pub(crate) fn since(&self, counted: &mut CountedStarts) -> SavedStarts {
        counted.files.resize(self.files.len(), 0);
        counted.ids.resize(self.ids.len(), 0);
        let files = self.files.iter().zip(&mut counted.files);
        let ids = self.ids.iter().zip(&mut counted.ids);
        let saved = |(starts, count): (&FileStarts, &mut u64)| {
            starts.0.added_since(count).iter().filter_map(FilesStart::to_saved).collect()
        };
        SavedStarts {
            files: files.map(saved).collect(),
            ids: ids.map(|(starts, count)| starts.added_since(count)).collect(),
        }
    }

    /// Whether `saved` has as many sources and steps; others do not tell the rows of these.
    pub(crate) fn are_of_steps_of(&self, saved: &SavedStarts) -> bool {
        self.files.len() == saved.files.len() && self.ids.len() == saved.ids.len()
    }

    /// Adds what was kept, of the same steps.
    pub(crate) fn add_saved(&self, saved: SavedStarts) {
        for (own, starts) in self.files.iter().zip(saved.files) {
            own.0.extend(starts.into_iter().map(FilesStart::of_saved));
        }
        for (own, ids) in self.ids.iter().zip(saved.ids) {
            own.extend(ids);
        }
    }

    /// Adds those of the same steps of another iterator, which are not there if these are the same.
    pub(crate) fn learn(&self, others: &KnownStarts) {
        if self.files.len() != others.files.len() || self.ids.len() != others.ids.len() {
            return;
        }
        for (own, other) in self.files.iter().zip(&others.files) {
            if !Arc::ptr_eq(&own.0, &other.0) {
                own.0.extend(other.0.added_since(&mut 0));
            }
        }
        for (own, other) in self.ids.iter().zip(&others.ids) {
            if !Arc::ptr_eq(own, other) {
                own.extend(other.added_since(&mut 0));
            }
        }
    }
}

/// How many of each of [`KnownStarts`] were seen.
#[derive(Debug, Default)]
pub(crate) struct CountedStarts {
    files: Vec<u64>,
    ids: Vec<u64>,
}

/// What [`KnownStarts`] are on disk.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SavedStarts {
    files: Vec<Vec<SavedFiles>>,
    ids: Vec<Vec<u64>>,
}

impl SavedStarts {
    pub(crate) fn is_empty(&self) -> bool {
        self.files.iter().all(Vec::is_empty) && self.ids.iter().all(Vec::is_empty)
    }

    #[cfg(test)]
    pub(crate) fn ids(&self) -> &[Vec<u64>] {
        &self.ids
    }
}

/// What was saved in all: at most as much of each source as is remembered.
#[derive(Debug, Default)]
pub(crate) struct SavedBefore {
    files: Vec<HashSet<SavedFiles>>,
    ids: Vec<HashSet<u64>>,
}

impl SavedBefore {
    /// Adds `saved`, and leaves in it only what is new, and of that as much as there is room for.
    pub(crate) fn add(&mut self, saved: &mut SavedStarts) {
        fn add<T: Clone + Eq + Hash>(all: &mut Vec<HashSet<T>>, saved: &mut [Vec<T>]) {
            all.resize_with(saved.len(), HashSet::default);
            for (all, saved) in all.iter_mut().zip(saved) {
                saved.retain(|start| all.len() < MAX_STARTS && all.insert(start.clone()));
            }
        }
        add(&mut self.files, &mut saved.files);
        add(&mut self.ids, &mut saved.ids);
    }
}

/// The first id, the id of the element around, and the paths.
type SavedFiles = (u64, Option<u64>, Vec<String>);

/// The iterations of a source that numbers its elements from 0 on.
#[derive(Clone, Debug)]
pub(crate) struct NumberedStarts(Arc<Starts<u64>>);

impl Default for NumberedStarts {
    /// The first iteration is there also if a cache gives its elements, and the source is not started.
    fn default() -> NumberedStarts {
        NumberedStarts(Arc::new(Starts::new(Some(0))))
    }
}

impl NumberedStarts {
    /// Notes one that begins. Not of nested sources: there may be as many as elements, and their rows have other ids outside.
    pub(crate) fn add(&self, scope: &Scope) {
        if scope.outer.is_none() && scope.first_id() != 0 {
            self.0.add(scope.first_id());
        }
    }

    /// Which of its `count` elements it is.
    pub(crate) fn origin(&self, sought: Sought, count: u64) -> Option<Origin> {
        let number_of = |first_id: &u64| {
            let number = sought.id.wrapping_sub(*first_id);
            (number < count.min(MAX_ROWS)).then_some(number)
        };
        let number = self.0.find(number_of).filter(|_| !sought.is_of_stream)?;
        Some(Origin::of_number(sought, None, Some(number)))
    }
}

/// The salts that a step added to ids, one an iteration.
#[derive(Clone, Debug)]
pub(crate) struct Salts(Arc<Starts<u64>>);

impl Default for Salts {
    fn default() -> Salts {
        // Iteration 0 adds nothing, and is what is upstream of a cache: one that is never started, since a cache behind it is full, had that.
        Salts(Arc::new(Starts::new(Some(0))))
    }
}

impl Salts {
    pub(crate) fn add(&self, salt: u64) {
        if salt != 0 {
            self.0.add(salt);
        }
    }

    /// The row of `input` that it is.
    pub(crate) fn origin(&self, sought: Sought, input: &dyn Template) -> Option<Origin> {
        self.0.find(|salt| input.origin(sought.before_salt(*salt)?))
    }
}

/// The elements of which several rows were made, by their ids. Those have ids mixed of theirs and their number.
#[derive(Clone, Debug)]
pub(crate) struct StreamStarts {
    starts: Arc<Starts<u64>>,
    making: Making,
}

impl Default for StreamStarts {
    fn default() -> StreamStarts {
        StreamStarts { starts: Arc::new(Starts::new(None)), making: Making::Dataset }
    }
}

impl StreamStarts {
    /// Of a step that takes elements apart.
    pub(crate) fn of_slices() -> StreamStarts {
        StreamStarts { making: Making::Slices, ..StreamStarts::default() }
    }

    /// Notes that elements are taken apart. Not inside another, as below.
    pub(crate) fn add_taken_apart(&self, scope: &Scope, ids: &Ids) {
        if scope.outer.is_none() {
            self.starts.extend(ids.iter());
        }
    }

    /// Notes that a dataset was made of the element `id`. Not of those inside another: there its row is what is told.
    pub(crate) fn add(&self, scope: &Scope, id: u64) {
        if scope.outer.is_none() {
            self.starts.add(id);
        }
    }

    /// Of which element of `input` the row's dataset was made, and which of its rows it is.
    pub(crate) fn origin(&self, sought: Sought, input: &dyn Template) -> Option<Origin> {
        if sought.is_of_stream {
            return None;
        }
        self.starts.find(|&id| {
            let number = unmix(id, sought.id);
            let around = (number < MAX_ROWS).then(|| input.origin(Sought::row(id)))??;
            let made_of = Some((Box::new(around), self.making));
            Some(Origin { made_of, ..Origin::of_number(sought, None, Some(number)) })
        })
    }
}

/// The iterations of a reader of files, or its streams.
#[derive(Clone, Debug)]
pub(crate) struct FileStarts(Arc<Starts<FilesStart>>);

#[derive(Clone, Debug)]
struct FilesStart {
    first_id: u64,
    /// The id of the element around.
    outer_id: Option<u64>,
    paths: Arc<Vec<PathBuf>>,
}

impl FileStarts {
    /// Of files that are known before anything starts. Their first iteration is there also if a cache gives its rows.
    pub(crate) fn of(paths: &Arc<Vec<PathBuf>>) -> FileStarts {
        let start = FilesStart { first_id: 0, outer_id: None, paths: Arc::clone(paths) };
        FileStarts(Arc::new(Starts::new(Some(start))))
    }

    /// Of files that come with elements.
    pub(crate) fn of_elements() -> FileStarts {
        FileStarts(Arc::new(Starts::new(None)))
    }

    /// Notes one that begins; the first iteration of files of the plan is known without.
    pub(crate) fn add(&self, scope: &Scope, paths: &Arc<Vec<PathBuf>>) {
        let (first_id, outer_id) = (scope.first_id(), scope.outer.as_ref().map(|outer| outer.id));
        if first_id != 0 || outer_id.is_some() {
            self.0.add(FilesStart { first_id, outer_id, paths: Arc::clone(paths) });
        }
    }

    /// Which file it is of, and which row there.
    pub(crate) fn origin(&self, sought: Sought, kind: RowKind) -> Option<Origin> {
        let (path, number) = self.0.find(|start| {
            let (path, number) =
                if sought.is_of_stream { start.stream_row(sought) } else { start.row(sought) }?;
            Some((path.to_owned(), number))
        })?;
        Some(Origin::of_number(sought, Some((path, kind)), number))
    }
}

impl FilesStart {
    /// `None`: what cannot be written.
    fn to_saved(&self) -> Option<SavedFiles> {
        let paths = self.paths.iter().map(|path| path.to_str().map(str::to_owned));
        Some((self.first_id, self.outer_id, paths.collect::<Option<_>>()?))
    }

    fn of_saved((first_id, outer_id, paths): SavedFiles) -> FilesStart {
        let paths = paths.into_iter().map(PathBuf::from).collect();
        FilesStart { first_id, outer_id, paths: Arc::new(paths) }
    }

    fn row(&self, sought: Sought) -> Option<(&Path, Option<u64>)> {
        self.paths.iter().enumerate().find_map(|(file, path)| {
            let number = sought.id.wrapping_sub(first_id_of_file(self.first_id, file));
            (number < MAX_ROWS).then_some((path.as_path(), Some(number)))
        })
    }

    /// As [`FilesStart::row`], for a row that was numbered in the stream of an element.
    fn stream_row(&self, sought: Sought) -> Option<(&Path, Option<u64>)> {
        let number = unmix(self.outer_id?, sought.id);
        match &self.paths[..] {
            // With several nobody knows where one ends.
            [path] if number < MAX_ROWS => Some((path, sought.is_counted.then_some(number))),
            _ => None,
        }
    }
}

/// The id of the first row of a file of a source whose first id is `first_id`.
pub(crate) fn first_id_of_file(first_id: u64, file: usize) -> u64 {
    mix(first_id, file as u64 + 1)
}

#[cfg(test)]
mod tests {
    use super::has_word;

    #[test]
    fn what_an_element_says_of_itself_is_told_by_whole_words() {
        let cases = [
            ("image.decode_bmp: a BMP of 2 bytes", "BM", false),
            ("cannot read y.jpg: no such file", "y.jpg", true),
            ("cannot read 'a/y.jpg'", "y.jpg", true),
            ("cannot read my.jpg", "y.jpg", false),
            ("cannot read y.jpgs, but y.jpg", "y.jpg", true),
            ("é", "é", true),
        ];
        for (message, text, expected) in cases {
            assert_eq!(has_word(message, text), expected, "{text} in {message}");
        }
    }
}
