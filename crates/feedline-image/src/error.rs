//! What is wrong with an image: at which byte, what was found, what was expected.

use crate::info::ImageFormat;
use std::fmt;

/// What is wrong with an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ImageErrorKind {
    /// The bytes begin like no format we know.
    UnknownFormat,
    /// The bytes end before the image does.
    Truncated,
    /// The header says that the image has no pixels.
    ZeroDimension,
    /// The header says that the image has more pixels than the limit.
    TooManyPixels,
    /// The structure is broken, or a checksum is wrong.
    Corrupt,
    /// The image is fine, but of a kind that is not decoded.
    Unsupported,
    /// The call asks for what the image does not have; the image is fine.
    Argument,
}

/// An image that cannot be used, and why.
///
/// The caller knows which file and record the bytes came from, and puts that before this text:
///
/// ```text
/// PNG, byte 33: the IDAT chunk needs 1036 bytes, found 400
/// hint: the image was cut short while it was written or downloaded; fetch it again
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct ImageError(Box<Inner>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Inner {
    kind: ImageErrorKind,
    format: Option<ImageFormat>,
    offset: Option<usize>,
    message: String,
    hint: Option<&'static str>,
}

impl ImageError {
    pub(crate) fn new(
        kind: ImageErrorKind,
        format: Option<ImageFormat>,
        offset: impl Into<Option<usize>>,
        message: impl Into<String>,
    ) -> Self {
        let hint = match kind {
            ImageErrorKind::Truncated => {
                Some("the image was cut short while it was written or downloaded; fetch it again")
            }
            ImageErrorKind::Corrupt => {
                Some("the image is damaged, or a program wrote it wrong; fetch it again, or save it anew")
            }
            _ => None,
        };
        let offset = offset.into();
        Self(Box::new(Inner { kind, format, offset, message: message.into(), hint }))
    }

    pub(crate) fn corrupt(
        format: ImageFormat,
        offset: impl Into<Option<usize>>,
        message: impl Into<String>,
    ) -> Self {
        Self::new(ImageErrorKind::Corrupt, Some(format), offset, message)
    }

    pub(crate) fn truncated(format: ImageFormat, offset: usize, message: impl Into<String>) -> Self {
        Self::new(ImageErrorKind::Truncated, Some(format), offset, message)
    }

    pub(crate) fn with_hint(mut self, hint: &'static str) -> Self {
        self.0.hint = Some(hint);
        self
    }

    /// What is wrong.
    pub fn kind(&self) -> ImageErrorKind {
        self.0.kind
    }

    /// The format, where the first bytes say it.
    pub fn format(&self) -> Option<ImageFormat> {
        self.0.format
    }

    /// Where in the bytes: the start of the part that is wrong, or where they end too soon. None where it is not known, as of what a
    /// library finds that does not say it, and where it is not the bytes that are wrong.
    pub fn offset(&self) -> Option<usize> {
        self.0.offset
    }

    /// What to do about it, where we know.
    pub fn hint(&self) -> Option<&str> {
        self.0.hint
    }
}

impl fmt::Display for ImageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { format, offset, message, hint, .. } = &*self.0;
        match format {
            Some(format) => write!(f, "{format}")?,
            None => f.write_str("image")?,
        }
        if let Some(offset) = offset {
            write!(f, ", byte {offset}")?;
        }
        write!(f, ": {message}")?;
        match hint {
            Some(hint) => write!(f, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for ImageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { kind, format, offset, message, hint } = &*self.0;
        f.debug_struct("ImageError")
            .field("kind", kind)
            .field("format", format)
            .field("offset", offset)
            .field("message", message)
            .field("hint", hint)
            .finish()
    }
}

impl std::error::Error for ImageError {}
