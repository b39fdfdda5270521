//! A folder with one folder of images per class.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use feedline_formats::example::ExampleWriter;
use feedline_image::{ImageError, ImageInfo, check_complete, probe};
use feedline_io::{Blob, Error as IoError, Listing, ListingWatch, LocalBlob, remote_path, survey_folder};

use super::bad_row::BadRow;
use super::image_change::{ImageChange, ImageCounts};
use super::inputs::{InputFile, sift};
use super::loss::{Loss, skippable};
use super::options::{ColumnType, OnError, Options, argument};
use super::source::{Sink, Source};
use crate::error::{Error, Result};
use crate::memory;

/// Endings of names that are images. A file with another ending is left alone and counted: beside images lie lists,
/// licences and what an operating system leaves. A file *without* an ending counts as an image, because whole data sets
/// come like that, and one that is none is then reported rather than passed over. So are images of kinds that are not read.
const IMAGE_ENDINGS: [&str; 19] = [
    "jpg", "jpeg", "jpe", "jfif", "png", "gif", "bmp", "webp", "dib", //
    "tif", "tiff", "heic", "heif", "avif", "jxl", "jp2", "ppm", "pgm", "tga",
];

/// Folders of images, listed.
pub(super) struct ImageFolder {
    /// Sorted by class, then by path; before them those in no class, which are lost.
    pub(super) images: Vec<ImageFile>,
    /// The names of the classes, sorted; an image's label is the place of its class here.
    pub(super) classes: Vec<String>,
    /// Files that are no images by their names.
    pub(super) num_ignored: u64,
}

/// One image.
pub(super) struct ImageFile {
    file: InputFile,
    /// How much of the path is that of the folder given by the user.
    root_bytes: usize,
    bytes: u64,
    class: u32,
}

impl ImageFile {
    /// The path within the folder given by the user: `cat/1.jpg`.
    fn name(&self) -> &[u8] {
        let name = &self.file.path.as_os_str().as_encoded_bytes()[self.root_bytes..];
        name.strip_prefix(b"/").unwrap_or(name)
    }
}

impl ImageFolder {
    pub(super) fn list(roots: &[OsString], on_error: OnError) -> Result<ImageFolder> {
        // Folders of one name in several roots are one class.
        let mut classes: BTreeMap<OsString, Vec<(&OsStr, PathBuf)>> = BTreeMap::new();
        let mut folder = ImageFolder { images: Vec::new(), classes: Vec::new(), num_ignored: 0 };
        for root in roots {
            let RootEntries { folders, stray } = root_entries(root)?;
            for (name, path) in folders {
                classes.entry(name).or_default().push((root, path));
            }
            for path in stray {
                let loss = Loss::new(NO_CLASS, NAME_CLASS).of_one_row();
                if on_error == OnError::Fail {
                    return Err(Error::Row(Box::new(loss.bad_row(0, &path))));
                }
                // Lost, with a place of its own before all classes.
                let file = InputFile { path, loss: Some(loss) };
                folder.images.push(ImageFile { file, root_bytes: root.len(), bytes: 0, class: 0 });
            }
        }
        for (class, (name, folders)) in classes.into_iter().enumerate() {
            let name = name.into_string().map_err(|name| {
                argument(format!("the class {} is not named in UTF-8", name.display()), "rename the folder")
            })?;
            if name.contains(['\n', '\r']) {
                let hint = "rename the folder: class names are written one a line";
                return Err(argument(format!("the name of the class {name:?} contains a line end"), hint));
            }
            for (root, path) in folders {
                folder.list_class(root, &path, class as u32, on_error)?;
            }
            folder.classes.push(name);
        }
        if folder.images.is_empty() {
            return Err(no_image(roots, &folder));
        }
        Ok(folder)
    }

    /// Lists a class. One without images keeps its label, or those of all classes behind it would move.
    fn list_class(&mut self, root: &OsStr, path: &Path, class: u32, on_error: OnError) -> Result<()> {
        let listing = class_listing(path)?;
        let sizes: Vec<u64> = listing.files.iter().map(|entry| entry.size).collect();
        let mut sizes = sizes.into_iter();
        for mut file in sift(listing, on_error)? {
            // Both are in the order of paths.
            let bytes = if file.loss.is_none() { sizes.next().unwrap_or(0) } else { 0 };
            if file.path.extension().is_some() && is_image_name(&file.path) {
                file.loss = file.loss.map(Loss::of_one_row);
            }
            // What cannot be read is never passed over: without an ending it may be a folder of images.
            if file.loss.is_some() || is_image_name(&file.path) {
                self.images.push(ImageFile { file, root_bytes: root.len(), bytes, class });
            } else {
                self.num_ignored += 1;
            }
        }
        Ok(())
    }

    pub(super) fn files(&self) -> impl Iterator<Item = &InputFile> {
        self.images.iter().map(|image| &image.file)
    }
}

/// What is in a class folder; a link that leads nowhere is a class that cannot be read.
fn class_listing(path: &Path) -> Result<Listing> {
    match fs::metadata(path) {
        Ok(_) => Ok(survey_folder(path, &ListingWatch::default())?),
        Err(error) => {
            let error = IoError::io(path, "list the class folder", error).with_hint(
                "the link's target is missing or out of reach; remove the link or restore its target",
            );
            Ok(Listing { files: Vec::new(), unreadable: vec![error] })
        }
    }
}

fn no_image(roots: &[OsString], folder: &ImageFolder) -> Error {
    let roots: Vec<String> = roots.iter().map(|root| root.display().to_string()).collect();
    let found = match (folder.classes.len(), folder.num_ignored) {
        (0, _) => "there is no class folder in it".to_owned(),
        (_, 0) => "its class folders are empty".to_owned(),
        (_, count) => format!("no file in its class folders has the name of an image ({count} in all)"),
    };
    let hint = "give a folder that holds one folder of images per class: `photos/cat/1.jpg`; for other files say what \
                they are: `'folder/*.csv'`";
    argument(format!("{}: {found}", roots.join(", ")), hint)
}

const NO_CLASS: &str = "the image is in no class folder";
const NAME_CLASS: &str = "put it into a folder named as its class, or give the folder above this one";

/// What is in a folder given by the user.
#[derive(Default)]
struct RootEntries {
    /// The class folders with their names, and links that lead nowhere and may have been some; hidden ones are none.
    folders: Vec<(OsString, PathBuf)>,
    /// The images beside them, in the order of paths.
    stray: Vec<PathBuf>,
}

fn root_entries(root: &OsStr) -> Result<RootEntries> {
    let failed = |error| {
        let operation = "list the class folders of";
        if let Some(error) = remote_path(root, operation) {
            return error;
        }
        let error = IoError::io(root, operation, error);
        let hint =
            "give the folder that holds one folder of images per class: `photos` for `photos/cat/1.jpg`";
        error.or_hint(hint)
    };
    let mut entries = RootEntries::default();
    for entry in fs::read_dir(root).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let (name, path) = (entry.file_name(), entry.path());
        if name.as_encoded_bytes().starts_with(b".") {
            continue;
        }
        let leads_nowhere = || entry.file_type().is_ok_and(|kind| kind.is_symlink()) && !path.exists();
        if path.is_dir() || leads_nowhere() {
            entries.folders.push((name, path));
        } else if path.extension().is_some() && is_image_name(&path) {
            entries.stray.push(path);
        }
    }
    entries.stray.sort();
    Ok(entries)
}

pub(super) fn is_image_name(path: &Path) -> bool {
    match path.extension().map(OsStr::to_ascii_lowercase) {
        None => true,
        Some(ending) => IMAGE_ENDINGS.iter().any(|known| ending == *known),
    }
}

/// What can be written of an image, by name.
pub(super) const COLUMNS: [(&str, ColumnType); 7] = [
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
    change: ImageChange,
    on_error: OnError,
}

impl ImageSource {
    pub(super) fn new(folder: ImageFolder, options: &Options) -> ImageSource {
        let names = COLUMNS.map(|(name, _)| name);
        let columns = options.columns.as_deref().unwrap_or_default();
        let is_chosen = |name: &str| columns.is_empty() || columns.iter().any(|column| column == name);
        let (chosen, change) = (names.map(is_chosen), options.images);
        ImageSource { folder, chosen, change, on_error: options.on_error }
    }

    /// Reads an image; the loss of it, where that is to be skipped.
    fn read(&self, image: &ImageFile, bytes: &mut Vec<u8>) -> Result<Result<(), Loss>> {
        if let Some(loss) = &image.file.loss {
            return Ok(Err(loss.clone()));
        }
        let path = &image.file.path;
        let mut read = || -> Result<()> {
            let blob = LocalBlob::open(path)?;
            memory::resize(bytes, blob.size())
                .map_err(|_| Error::memory(path, "hold the image", blob.size()))?;
            Ok(blob.read_exact_at(bytes, 0)?)
        };
        // Whatever is wrong with a file, it is one image.
        Ok(skippable(read(), self.on_error)?.map_err(Loss::of_one_row))
    }

    fn encode_image(&self, row: u64, bytes: &mut Vec<u8>, sink: &mut Sink) -> Result<()> {
        let image = &self.folder.images[row as usize];
        let path = &image.file.path;
        if let Err(loss) = self.read(image, bytes)? {
            return sink.bad(loss.bad_row(row, path));
        }
        sink.reserve(path, bytes.len())?;
        let mut counts = ImageCounts::default();
        let (info, changed) = match self.checked(bytes, &mut counts) {
            Ok(checked) => checked,
            Err(error) => {
                let text = error.to_string();
                let reason = text.lines().next().unwrap_or_default();
                let hint = error.hint().unwrap_or("replace or remove the file");
                return sink.bad(BadRow::new(row, path, reason).hint(hint));
            }
        };
        let bytes = changed.as_deref().unwrap_or(bytes);
        let format = info.format.to_string().to_ascii_lowercase();
        let class = &self.folder.classes[image.class as usize];
        let numbers = [i64::from(info.height), i64::from(image.class), i64::from(info.width)];
        let texts = [class.as_bytes(), image.name(), format.as_bytes(), bytes];
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
        })
        .map(|()| sink.images.add(&counts))
        .or_else(|error| sink.bad(BadRow::new(row, path, error.reason()).hint(error.hint())))
    }

    /// What an image is, and what it becomes where it is changed.
    fn checked(
        &self,
        bytes: &[u8],
        counts: &mut ImageCounts,
    ) -> Result<(ImageInfo, Option<Vec<u8>>), ImageError> {
        let info = probe(bytes)?;
        check_complete(bytes, &info)?;
        let changed = self.change.apply(bytes, counts)?;
        let info = changed.as_deref().map_or(Ok(info), probe)?;
        Ok((info, changed))
    }

    pub(super) fn num_ignored(&self) -> u64 {
        self.folder.num_ignored
    }
}

impl Source for ImageSource {
    fn num_rows(&self) -> u64 {
        self.folder.images.len() as u64
    }

    fn num_lost(&self) -> u64 {
        self.folder.files().filter(|file| file.loss.is_some()).count() as u64
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
