//! A folder of images, a folder inside for each class.

use std::ffi::OsStr;
use std::fs;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use feedline_data::Structure;
use feedline_data::block::{Strings, Tensor};
use feedline_io::{
    Error as IoError, ErrorKind as IoErrorKind, ListingWatch, remote_path, shown, survey_folder,
};
use feedline_plan::{Symbolic, ops};

use super::Dataset;
use crate::{Error, Result};

/// Endings of the names of images that are decoded. Beside images lie lists, licences and what an operating system leaves.
const ENDINGS: [&str; 9] = ["jpg", "jpeg", "jpe", "jfif", "png", "gif", "bmp", "webp", "dib"];

/// The images of a folder, and what their labels mean: a [`Dataset`] that knows more.
#[derive(Clone, Debug)]
pub struct ImageFolder {
    dataset: Dataset,
    class_names: Vec<String>,
    file_paths: Vec<PathBuf>,
}

impl ImageFolder {
    /// The classes; a label is a place among them.
    pub fn class_names(&self) -> &[String] {
        &self.class_names
    }

    /// All files, in the order of the elements.
    pub fn file_paths(&self) -> &[PathBuf] {
        &self.file_paths
    }

    /// The elements, `(bytes, label)` each.
    pub fn dataset(&self) -> &Dataset {
        &self.dataset
    }
}

impl Deref for ImageFolder {
    type Target = Dataset;

    fn deref(&self) -> &Dataset {
        &self.dataset
    }
}

impl Dataset {
    /// The images in the folders of `path`, of which each is a class: `(bytes, label)`, sorted by class and file. A label is the place of
    /// the class among all folders, sorted ([`ImageFolder::class_names`]); hidden ones are none. Folders in those of classes are looked through, and files that are
    /// no images by their names left alone.
    ///
    /// ```
    /// use feedline::Dataset;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// for name in ["cats", "dogs"] {
    ///     std::fs::create_dir(folder.path().join(name))?;
    ///     std::fs::write(folder.path().join(name).join("1.jpg"), "a picture")?;
    /// }
    /// let images = Dataset::image_folder(folder.path())?;
    /// assert_eq!(images.class_names(), ["cats", "dogs"]);
    /// assert_eq!(images.batch(2).iterator()?.next().unwrap()?.leaves()[1].as_slice::<i64>(), [0, 1]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If there is no such folder, or no image in it, or a part of it cannot be looked through.
    #[track_caller]
    pub fn image_folder(path: impl AsRef<Path>) -> Result<ImageFolder> {
        listed(path.as_ref(), folders_in(path.as_ref())?, &ListingWatch::default())
    }

    /// As [`Dataset::image_folder`], of these classes alone, whose labels are their places here.
    ///
    /// # Errors
    /// As there; if there is no folder of such a name, or a class is named twice.
    #[track_caller]
    pub fn image_folder_of<S: Into<String>>(
        path: impl AsRef<Path>,
        class_names: impl IntoIterator<Item = S>,
    ) -> Result<ImageFolder> {
        let class_names = class_names.into_iter().map(Into::into).collect();
        Dataset::image_folder_watched(path, Some(class_names), &ListingWatch::default())
    }

    /// As [`Dataset::image_folder_of`], or, without classes, as [`Dataset::image_folder`]; another thread sees how many files were found by
    /// `watch`, and may stop it.
    ///
    /// # Errors
    /// As there; if it was stopped.
    #[track_caller]
    pub fn image_folder_watched(
        path: impl AsRef<Path>,
        class_names: Option<Vec<String>>,
        watch: &ListingWatch,
    ) -> Result<ImageFolder> {
        let folder = path.as_ref();
        let found = folders_in(folder)?;
        let Some(class_names) = class_names else { return listed(folder, found, watch) };
        if let Some(missing) = class_names.iter().find(|name| !found.contains(name)) {
            return Err(Error::Argument {
                message: format!("image_folder: {} has no folder for the class {missing:?}", shown(folder)),
                hint: format!("its folders are {found:?}"),
            });
        }
        let repeated =
            class_names.iter().enumerate().find(|(place, name)| class_names[..*place].contains(name));
        if let Some((_, name)) = repeated {
            return Err(Error::Argument {
                message: format!("image_folder: class_names has {name:?} twice, and a class has one label"),
                hint: "give each class once, in the order of its labels".into(),
            });
        }
        listed(folder, class_names, watch)
    }
}

#[track_caller]
fn listed(folder: &Path, class_names: Vec<String>, watch: &ListingWatch) -> Result<ImageFolder> {
    let mut file_paths = Vec::new();
    let mut labels = Vec::new();
    for (label, name) in (0_i64..).zip(&class_names) {
        file_paths.extend(images_in(&folder.join(name), watch)?);
        labels.resize(file_paths.len(), label);
    }
    if file_paths.is_empty() {
        let example = folder.join("cats").join("1.jpg");
        let error = IoError::new(IoErrorKind::NoMatch, folder, OPERATION, "there are no images");
        let hint = format!("each class has a folder of its own in it, such as {}", shown(&example));
        return Err(error.with_hint(hint).into());
    }
    let paths: Strings = file_paths.iter().map(|path| path.as_os_str().as_encoded_bytes()).collect();
    let parts =
        [Tensor::from_strings(vec![paths.len()], paths), Tensor::from_vec(vec![labels.len()], labels)];
    let files = Dataset::from_tensor_slices(Structure::Tuple(parts.map(Structure::Leaf).into()));
    let dataset = files.map(|file| Symbolic::tuple([ops::read_file(file.at(0)), file.at(1)]));
    Ok(ImageFolder { dataset, class_names, file_paths })
}

/// What is tried, as errors tell it.
const OPERATION: &str = "list the images of";

/// The names of the folders in a folder, sorted.
fn folders_in(folder: &Path) -> Result<Vec<String>> {
    if let Some(error) = remote_path(folder.as_os_str(), OPERATION) {
        return Err(error.into());
    }
    if !folder.is_dir() {
        let error = IoError::new(IoErrorKind::NotFound, folder, OPERATION, "there is no folder of this name");
        return Err(error.into());
    }
    let failed = |error| IoError::io(folder, OPERATION, error);
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.file_name().as_encoded_bytes().starts_with(b".") || !entry.path().is_dir() {
            continue;
        }
        names.push(entry.file_name().into_string().map_err(|name| Error::Argument {
            message: format!("image_folder: the class {} is not named in UTF-8", name.display()),
            hint: "rename the folder".into(),
        })?);
    }
    names.sort_unstable();
    Ok(names)
}

/// The images in the folder of a class and in those inside, sorted folder by folder.
fn images_in(folder: &Path, watch: &ListingWatch) -> Result<Vec<PathBuf>> {
    let listing = survey_folder(folder, watch)?;
    // What is no image by its name is left alone, also where it cannot be looked at; without an ending it may be a folder of them.
    let is_lost = |error: &IoError| error.location().extension().is_none() || is_image(error.location());
    if let Some(error) = listing.unreadable.into_iter().find(is_lost) {
        return Err(error.into());
    }
    let mut paths: Vec<PathBuf> =
        listing.files.into_iter().map(|file| file.location).filter(|path| is_image(path)).collect();
    paths.sort_unstable();
    Ok(paths)
}

fn is_image(path: &Path) -> bool {
    let ending = path.extension().map(OsStr::to_ascii_lowercase);
    ending.is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of such files, each of which holds its own name.
    fn folder_of(names: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in names {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, name).unwrap();
        }
        folder
    }

    fn shown_elements(images: &ImageFolder) -> Vec<(String, i64)> {
        let elements = images.iterator().unwrap().map(|element| {
            let element = element.unwrap();
            let [bytes, label] = element.leaves()[..] else { panic!("a pair") };
            (String::from_utf8_lossy(bytes.strings().unwrap().get(0)).into_owned(), label.as_slice()[0])
        });
        elements.collect()
    }

    #[test]
    fn images_are_sorted_by_class_and_file() {
        let folder = folder_of(&[
            "dogs/2.JPG",
            "dogs/1.png",
            "dogs/a-1.gif",
            "dogs/a/2.webp",
            "cats/deep/3.jpeg",
            "cats/notes.txt",
            ".hidden/4.jpg",
            "5.jpg",
            "empty/readme",
        ]);
        let images = Dataset::image_folder(folder.path()).unwrap();
        assert_eq!(images.class_names(), ["cats", "dogs", "empty"]);
        let expected = [
            ("cats/deep/3.jpeg", 0),
            ("dogs/1.png", 1),
            ("dogs/2.JPG", 1),
            ("dogs/a/2.webp", 1),
            ("dogs/a-1.gif", 1),
        ];
        assert_eq!(shown_elements(&images), expected.map(|(name, label)| (name.to_owned(), label)));
        assert_eq!(images.file_paths().len(), 5);
        assert_eq!(images.file_paths()[1], folder.path().join("dogs/1.png"));
        assert_eq!(images.dataset().element_spec().unwrap().to_string(), "(string[], int64[])");
        let chosen = Dataset::image_folder_of(folder.path(), ["dogs", "cats"]).unwrap();
        assert_eq!(
            shown_elements(&chosen).into_iter().map(|(_, label)| label).collect::<Vec<_>>(),
            [0, 0, 0, 0, 1]
        );
    }

    #[test]
    fn what_is_wrong_is_told() {
        let folder = folder_of(&["dogs/1.jpg", "text/2.txt"]);
        let path = |name: &str| folder.path().join(name);
        let told = |found: Result<ImageFolder>| found.unwrap_err().to_string();
        let cases = [
            (told(Dataset::image_folder(path("nowhere"))), "there is no folder of this name\nhint: "),
            (told(Dataset::image_folder(path("dogs/1.jpg"))), "there is no folder of this name\nhint: "),
            (
                told(Dataset::image_folder(path("dogs"))),
                "there are no images\nhint: each class has a folder of its own",
            ),
            (told(Dataset::image_folder_of(folder.path(), ["text"])), "there are no images\nhint: "),
            (
                told(Dataset::image_folder_of(folder.path(), ["dogs", "birds"])),
                "has no folder for the class \"birds\"\nhint: its folders are [\"dogs\", \"text\"]",
            ),
            (
                told(Dataset::image_folder_of(folder.path(), ["dogs", "text", "dogs"])),
                "class_names has \"dogs\" twice",
            ),
            (told(Dataset::image_folder("s3://bucket/images")), "s3://"),
        ];
        for (error, words) in cases {
            assert!(error.contains(words) && error.contains("\nhint: "), "{error}");
        }
        // A link that leads nowhere is an image that is lost, unless it is none.
        std::os::unix::fs::symlink("gone", path("dogs/list.txt")).unwrap();
        assert_eq!(Dataset::image_folder(folder.path()).unwrap().file_paths().len(), 1);
        std::os::unix::fs::symlink("gone", path("dogs/2.jpg")).unwrap();
        assert!(told(Dataset::image_folder(folder.path())).contains("2.jpg"));
    }
}
