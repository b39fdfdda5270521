//! The first row of CSV files: the names of the columns, and which of them are kept.

use feedline_formats::csv::CsvFields;

use super::bad_row::{BadRow, quoted};
use super::loss::{Loss, skippable};
use super::options::{OnError, Options, argument, meant};
use super::places::Places;
use super::row_files::RowFile;
use super::source::nothing_else;
use crate::error::{Error, Result};
use crate::memory;

/// The header that all files have.
pub(super) struct Header {
    pub(super) names: Vec<String>,
    /// Where it was read, for errors about it.
    file: String,
}

/// Reads the header of every file and takes it out of the rows; all must be equal.
///
/// Where bad rows are skipped, a file without a header that can be read, or with another one than the first file, is lost:
/// nothing says what its rows mean.
pub(super) fn read_headers(files: &mut [RowFile], delimiter: u8, on_error: OnError) -> Result<Header> {
    let mut first: Option<Header> = None;
    for file in &mut *files {
        if file.places.loss(0).is_some() {
            continue;
        }
        let lost = match skippable(read_header(file, delimiter), on_error)? {
            Ok(Ok(names)) => {
                let header = first.get_or_insert_with(|| Header {
                    names: names.clone(),
                    file: file.file.path.display().to_string(),
                });
                match header.difference(&names) {
                    None => continue,
                    Some(found) => Loss::new(&found, SAME_COLUMNS),
                }
            }
            Ok(Err(loss)) | Err(loss) => loss,
        };
        if on_error == OnError::Fail {
            let mut bad = lost.of_one_row().bad_row(0, &file.file.path);
            bad.line = (file.file.size > 0).then_some(1);
            let message = bad.finding().to_string();
            let hint =
                bad.hint.unwrap_or_else(|| "give the first row of the file the names of its columns".into());
            return Err(Error::Argument { message, hint });
        }
        file.places = Places::all_lost(lost);
    }
    match (first, files.first()) {
        (Some(header), _) => Ok(header),
        (None, Some(file)) => Err(nothing_else(&lost_file(file))),
        (None, None) => Err(argument("there is no input", "give the files to convert")),
    }
}

impl Header {
    /// In what another file's header is not this one.
    fn difference(&self, names: &[String]) -> Option<String> {
        let found = match self.names.iter().zip(names).position(|(a, b)| a != b) {
            Some(index) => {
                format!("column {} is `{}` there and `{}` here", index + 1, self.names[index], names[index])
            }
            None if self.names.len() == names.len() => return None,
            None => format!("{} columns there, {} here", self.names.len(), names.len()),
        };
        Some(format!("the header is not that of {}: {found}", self.file))
    }
}

const SAME_COLUMNS: &str = "convert files of different columns in separate runs, or make the headers equal";
const EMPTY_FILE: &str = "the file is empty, expected a row of column names";

/// The entry of a file that is lost altogether.
fn lost_file(file: &RowFile) -> BadRow {
    let path = &file.file.path;
    file.places.loss(0).map_or_else(|| BadRow::new(0, path, EMPTY_FILE), |loss| loss.bad_row(0, path))
}

/// Takes the header out of the rows of a file; the loss of the file if it has none.
fn read_header(file: &mut RowFile, delimiter: u8) -> Result<Result<Vec<String>, Loss>> {
    if file.places.len() == 0 {
        return Ok(Err(Loss::new(
            EMPTY_FILE,
            "the first row must name the columns; add it, or leave the file out",
        )));
    }
    let path = &file.file.path;
    let place = file.places.range(0);
    let num_bytes = place.end - place.start;
    let mut bytes = Vec::new();
    memory::resize(&mut bytes, num_bytes).map_err(|_| Error::memory(path, "hold the header", num_bytes))?;
    file.file.blob()?.read_exact_at(&mut bytes, place.start)?;
    let mut fields = CsvFields::default();
    fields.parse(&bytes, delimiter).map_err(|error| Error::data(path, error.at_byte(place.start)))?;
    let mut names = Vec::with_capacity(fields.len());
    for (index, name) in fields.iter(&bytes).enumerate() {
        let Ok(text) = std::str::from_utf8(name) else {
            let reason = format!("the name of column {} is not UTF-8: {}", index + 1, quoted(name));
            return Ok(Err(Loss::new(
                &reason,
                "save the file as UTF-8, or rename the column in plain letters",
            )));
        };
        names.push(text.to_owned());
    }
    file.places.take_first();
    Ok(Ok(names))
}

/// A header of one column that holds what other files separate columns by was meant to be several: nobody wants rows as
/// single strings.
pub(super) fn check_delimiter(header: &Header) -> Result<()> {
    let [name] = &header.names[..] else { return Ok(()) };
    let Some(separator) = [';', '\t', '|', ','].into_iter().find(|&separator| name.contains(separator))
    else {
        return Ok(());
    };
    let shown = if separator == '\t' { "\\t".to_owned() } else { separator.to_string() };
    let message = format!("{}: line 1: the header is one column, `{}`", header.file, name.escape_debug());
    let hint =
        format!("say what separates the fields: `--delimiter '{shown}'`; `--delimiter ,` takes it as it is");
    Err(argument(message, hint))
}

/// The fields to keep, sorted by their columns' names.
pub(super) fn choose(header: &Header, options: &Options) -> Result<Vec<usize>> {
    let Header { names, file } = header;
    for (name, _) in &options.types {
        find(header, name, "--types")?;
    }
    let mut chosen = match &options.columns {
        None => (0..names.len()).collect(),
        Some(columns) => {
            columns.iter().map(|name| find(header, name, "--columns")).collect::<Result<Vec<_>>>()?
        }
    };
    chosen.sort_by(|&a, &b| names[a].cmp(&names[b]));
    if let Some(&unnamed) = chosen.iter().find(|&&field| names[field].is_empty()) {
        let message = format!("{file}: line 1: column {} has no name", unnamed + 1);
        return Err(argument(message, "name it, or choose the columns to keep: `--columns a,b`"));
    }
    if let Some(pair) = chosen.windows(2).find(|pair| names[pair[0]] == names[pair[1]]) {
        let message = format!("{file}: line 1: two columns are named `{}`", names[pair[0]]);
        return Err(argument(message, "rename one of them, or choose the columns to keep: `--columns a,b`"));
    }
    Ok(chosen)
}

fn find(header: &Header, name: &str, option: &str) -> Result<usize> {
    header.names.iter().position(|known| known == name).ok_or_else(|| {
        let message = format!("`{option}` names `{name}`, which is no column of {}", header.file);
        argument(
            message,
            format!("the columns are {}{}", header.names.join(", "), meant(name, &header.names)),
        )
    })
}
