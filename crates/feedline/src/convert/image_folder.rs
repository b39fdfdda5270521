//! A folder with one folder of images per class.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use feedline_formats::example::ExampleWriter;
use feedline_image::{check_complete, probe};
use feedline_io::{Blob, Error as IoError, ErrorKind as IoErrorKind, LocalBlob, list_files};

use super::bad_row::BadRow;
use super::options::{ColumnType, Options, argument, meant};
use super::source::{Sink, Source};
use crate::error::Result;

/// Endings of names that are images. A file with another ending is left alone and counted: beside images lie lists,
/// licences and what an operating system leaves. A file *without* an ending counts as an image, because whole data sets
/// come like that, and one that is none is then reported rather than passed over.
const IMAGE_ENDINGS: [&str; 9] = ["jpg", "jpeg", "jpe", "jfif", "png", "gif", "bmp", "webp", "dib"];

/// Folders of images, listed.
pub(super) struct ImageFolder {
    /// Sorted by class, then by path.
    pub(super) images: Vec<ImageFile>,
    /// The names of the classes, sorted; an image's label is the place of its class here.
    pub(super) classes: Vec<String>,
    /// Files that are no images by their names.
    pub(super) num_ignored: u64,
}

/// One image.
pub(super) struct ImageFile {
    path: PathBuf,
    /// How much of the path is that of the folder given by the user.
    root_bytes: usize,
    bytes: u64,
    class: u32,
}

impl ImageFile {
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The path within the folder given by the user: `cat/1.jpg`.
    fn name(&self) -> &[u8] {
        let name = &self.path.as_os_str().as_encoded_bytes()[self.root_bytes..];
        name.strip_prefix(b"/").unwrap_or(name)
    }
}

impl ImageFolder {
    pub(super) fn list(roots: &[String]) -> Result<ImageFolder> {
        // Folders of one name in several roots are one class.
        let mut classes: BTreeMap<OsString, Vec<(&str, PathBuf)>> = BTreeMap::new();
        for root in roots {
            for (name, path) in class_folders(root)? {
                classes.entry(name).or_default().push((root, path));
            }
        }
        let mut folder = ImageFolder { images: Vec::new(), classes: Vec::new(), num_ignored: 0 };
        for (class, (name, folders)) in classes.into_iter().enumerate() {
            let name = name.into_string().map_err(|name| {
                argument(format!("the class {} is not named in UTF-8", name.display()), "rename the folder")
            })?;
            if name.contains(['\n', '\r']) {
                let hint = "rename the folder: class names are written one a line";
                return Err(argument(format!("the name of the class {name:?} contains a line end"), hint));
            }
            for (root, path) in folders {
                folder.list_class(root, &path, class as u32)?;
            }
            folder.classes.push(name);
        }
        if folder.images.is_empty() {
            let hint = "give a folder that holds one folder of images per class: `photos/cat/1.jpg`";
            return Err(argument(
                format!("{}: no class folder in it holds an image", roots.join(", ")),
                hint,
            ));
        }
        Ok(folder)
    }

    fn list_class(&mut self, root: &str, path: &Path, class: u32) -> Result<()> {
        let pattern = format!("{}/**/*", literal(&path.to_string_lossy()));
        let found = match list_files(&[pattern]) {
            Ok(found) => found,
            // A class without images keeps its label, or those of all classes behind it would move.
            Err(error) if error.kind() == IoErrorKind::NoMatch => Vec::new(),
            Err(error) => return Err(error.into()),
        };
        for entry in found {
            if is_image_name(&entry.location) {
                let image =
                    ImageFile { path: entry.location, root_bytes: root.len(), bytes: entry.size, class };
                self.images.push(image);
            } else {
                self.num_ignored += 1;
            }
        }
        Ok(())
    }
}

/// The class folders in `root`, by name; hidden ones are none.
fn class_folders(root: &str) -> Result<Vec<(OsString, PathBuf)>> {
    let failed = |error| IoError::io(root, "list the class folders of", error);
    let mut folders = Vec::new();
    for entry in fs::read_dir(root).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let (name, path) = (entry.file_name(), entry.path());
        if name.as_encoded_bytes().starts_with(b".") {
            continue;
        }
        if path.is_dir() {
            folders.push((name, path));
        } else if path.extension().is_some() && is_image_name(&path) {
            let message = format!("{}: the image is in no class folder", path.display());
            return Err(argument(
                message,
                "put it into a folder named as its class, or give the folder above this one",
            ));
        }
    }
    Ok(folders)
}

/// `path` as a pattern that matches nothing else.
fn literal(path: &str) -> String {
    let mut pattern = String::with_capacity(path.len());
    for character in path.chars() {
        match character {
            '[' | '*' | '?' => pattern.extend(['[', character, ']']),
            _ => pattern.push(character),
        }
    }
    pattern
}

fn is_image_name(path: &Path) -> bool {
    match path.extension().map(OsStr::to_ascii_lowercase) {
        None => true,
        Some(ending) => IMAGE_ENDINGS.iter().any(|known| ending == *known),
    }
}

/// What can be written of an image, by name.
const COLUMNS: [(&str, ColumnType); 7] = [
    ("class", ColumnType::String),
    ("filename", ColumnType::String),
    ("format", ColumnType::String),
    ("height", ColumnType::Int64),
    ("image", ColumnType::String),
    ("label", ColumnType::Int64),
    ("width", ColumnType::Int64),
];

/// Images as Examples.
pub(super) struct ImageSource {
    folder: ImageFolder,
    /// Which of [`COLUMNS`] are written.
    chosen: [bool; COLUMNS.len()],
}

impl ImageSource {
    pub(super) fn new(folder: ImageFolder, options: &Options) -> Result<ImageSource> {
        if let Some((name, _)) = options.types.first() {
            let message = format!("`--types` names `{name}`, but the columns of images have their types");
            return Err(argument(message, "drop `--types`; `--columns` chooses what is written"));
        }
        let names = COLUMNS.map(|(name, _)| name);
        let columns = options.columns.as_deref().unwrap_or_default();
        if let Some(name) = columns.iter().find(|name| !names.contains(&name.as_str())) {
            let message = format!("`--columns` names `{name}`, which is no column of an image");
            return Err(argument(
                message,
                format!("the columns are {}{}", names.join(", "), meant(name, &names)),
            ));
        }
        let is_chosen = |name: &str| columns.is_empty() || columns.iter().any(|column| column == name);
        Ok(ImageSource { folder, chosen: names.map(is_chosen) })
    }

    fn encode_image(&self, row: u64, bytes: &mut Vec<u8>, sink: &mut Sink) -> Result<()> {
        let file = &self.folder.images[row as usize];
        let blob = LocalBlob::open(file.path())?;
        bytes.resize(blob.size() as usize, 0);
        blob.read_exact_at(bytes, 0)?;
        let info = match probe(bytes).and_then(|info| check_complete(bytes, &info).map(|()| info)) {
            Ok(info) => info,
            Err(error) => {
                let text = error.to_string();
                let reason = text.lines().next().unwrap_or_default();
                let hint = error.hint().unwrap_or("replace or remove the file");
                return sink.bad(BadRow::new(row, file.path(), reason).hint(hint));
            }
        };
        let format = info.format.to_string().to_ascii_lowercase();
        let class = &self.folder.classes[file.class as usize];
        let numbers = [i64::from(info.height), i64::from(file.class), i64::from(info.width)];
        let texts = [class.as_bytes(), file.name(), format.as_bytes(), bytes.as_slice()];
        let ([height, label, width], [class, name, format, image]) = (numbers.each_ref(), texts.each_ref());
        sink.record(|out| {
            use feedline_formats::example::FeatureValues::{Bytes, Int64};
            use std::slice::from_ref;
            let values = [
                Bytes(from_ref(class)),
                Bytes(from_ref(name)),
                Bytes(from_ref(format)),
                Int64(from_ref(height)),
                Bytes(from_ref(image)),
                Int64(from_ref(label)),
                Int64(from_ref(width)),
            ];
            let mut writer = ExampleWriter::new();
            for (((name, _), values), _) in
                COLUMNS.iter().zip(values).zip(self.chosen).filter(|(_, chosen)| *chosen)
            {
                writer.push(name, values);
            }
            writer.write(out);
        });
        Ok(())
    }

    pub(super) fn classes(&self) -> &[String] {
        &self.folder.classes
    }

    pub(super) fn num_ignored(&self) -> u64 {
        self.folder.num_ignored
    }
}

impl Source for ImageSource {
    fn num_rows(&self) -> u64 {
        self.folder.images.len() as u64
    }

    fn num_bytes(&self) -> u64 {
        self.folder.images.iter().map(|image| image.bytes).sum()
    }

    fn row_bytes(&self, row: u64) -> u64 {
        self.folder.images[row as usize].bytes
    }

    fn encode(&self, rows: &[u64], sink: &mut Sink) -> Result<()> {
        let mut bytes = Vec::new();
        rows.iter().try_for_each(|&row| self.encode_image(row, &mut bytes, sink))
    }

    fn columns(&self) -> Vec<(String, ColumnType)> {
        let chosen = COLUMNS.iter().zip(self.chosen).filter(|(_, chosen)| *chosen);
        chosen.map(|((name, column_type), _)| ((*name).to_owned(), *column_type)).collect()
    }
}
