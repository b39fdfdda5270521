//! Which format the bytes are in, going by their beginning.

use crate::error::{ImageError, ImageErrorKind};
use crate::info::ImageFormat;

pub(crate) const PNG_SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Beginnings that decide. BMP and `WebP` need a look further on.
const SIGNATURES: [(&[u8], ImageFormat); 4] = [
    (b"\xff\xd8\xff", ImageFormat::Jpeg),
    (PNG_SIGNATURE, ImageFormat::Png),
    (b"GIF87a", ImageFormat::Gif),
    (b"GIF89a", ImageFormat::Gif),
];

pub(crate) fn sniff(bytes: &[u8]) -> Result<ImageFormat, ImageError> {
    for (signature, format) in SIGNATURES {
        if bytes.starts_with(signature) {
            return Ok(format);
        }
    }
    if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        return Ok(ImageFormat::WebP);
    }
    if bytes.starts_with(b"BM") && is_bmp_header_size(bytes) {
        return Ok(ImageFormat::Bmp);
    }
    Err(beginning_of_a_signature(bytes).or_else(|| damaged_bmp(bytes)).unwrap_or_else(|| unknown(bytes)))
}

/// "BM" alone is also the beginning of words; the size of the header that follows has few values.
fn is_bmp_header_size(bytes: &[u8]) -> bool {
    match bytes.get(14..18) {
        Some(&[size, 0, 0, 0]) => matches!(size, 12 | 16 | 40 | 52 | 56 | 64 | 108 | 124),
        _ => false,
    }
}

/// A file header of a BMP, by the zeros in it that no text has, and behind it the size of no image header.
fn damaged_bmp(bytes: &[u8]) -> Option<ImageError> {
    let size = u32::from_le_bytes(bytes.get(14..18)?.try_into().ok()?);
    let message = format!("the image header has {size} bytes, expected 12, 16, 40, 52, 56, 64, 108 or 124");
    let is_bmp = bytes.starts_with(b"BM") && bytes.get(6..10) == Some(&[0; 4]);
    is_bmp.then(|| ImageError::corrupt(ImageFormat::Bmp, 14, message))
}

/// A few bytes that agree with a format and end before they decide.
fn beginning_of_a_signature(bytes: &[u8]) -> Option<ImageError> {
    let cut = |format, needed: usize| {
        let message = format!("the signature needs {needed} bytes, found {}", bytes.len());
        ImageError::truncated(format, 0, message)
    };
    if bytes.is_empty() {
        return Some(ImageError::new(
            ImageErrorKind::Truncated,
            None,
            0,
            "there are no bytes, expected an image",
        ));
    }
    for (signature, format) in SIGNATURES {
        if signature.starts_with(bytes) {
            return Some(cut(format, signature.len()));
        }
    }
    if b"RIFF".starts_with(&bytes[..bytes.len().min(4)])
        && b"WEBP".starts_with(bytes.get(8..).unwrap_or_default())
        && bytes.len() < 12
    {
        return Some(cut(ImageFormat::WebP, 12));
    }
    // A text could begin so too; a file header has zeros from its seventh byte on.
    if b"BM".starts_with(&bytes[..bytes.len().min(2)])
        && bytes.len() < 18
        && (bytes.len() <= 6 || bytes.contains(&0))
    {
        return Some(cut(ImageFormat::Bmp, 18));
    }
    None
}

fn unknown(bytes: &[u8]) -> ImageError {
    let first = &bytes[..bytes.len().min(12)];
    let hex: Vec<String> = first.iter().map(|byte| format!("{byte:02x}")).collect();
    let (looks_like, hint) = looks_like(bytes);
    let message =
        format!("found {}{looks_like}, expected the signature of JPEG, PNG, GIF, BMP or WebP", hex.join(" "));
    let error = ImageError::new(ImageErrorKind::UnknownFormat, None, 0, message);
    match hint {
        Some(hint) => error.with_hint(hint),
        None => error,
    }
}

const CONVERT: Option<&str> = Some("this format is not supported; convert the image to JPEG, PNG or WebP");
const UNPACK: Option<&str> = Some("unpack it before it is read as an image");
const DOWNLOAD: Option<&str> =
    Some("the server answered with this text in place of the image; fetch it again");

/// Beginnings of what is often found where an image should be.
const LOOK_ALIKES: [(&[u8], &str, Option<&str>); 19] = [
    (b"II*\0", "TIFF", CONVERT),
    (b"MM\0*", "TIFF", CONVERT),
    (b"\xff\x0a", "JPEG XL", CONVERT),
    (b"\0\0\0\x0cJXL ", "JPEG XL", CONVERT),
    (b"\0\0\0\x0cjP  ", "JPEG 2000", CONVERT),
    (b"8BPS", "Photoshop", CONVERT),
    (b"\0\0\x01\0", "a Windows icon", CONVERT),
    (b"%PDF", "PDF", CONVERT),
    (b"\x1f\x8b", "gzip", UNPACK),
    (b"PK\x03\x04", "a zip archive", UNPACK),
    (b"\x28\xb5\x2f\xfd", "zstd", UNPACK),
    (b"BZh", "bzip2", UNPACK),
    (b"\xfd7zXZ", "xz", UNPACK),
    (b"RIFF", "a RIFF file other than WebP (sound or video)", None),
    (b"\x93NUMPY", "a NumPy array", Some("read it as an array, not as an image")),
    (
        b"version https://git-lfs",
        "a Git LFS pointer",
        Some("the file itself was not fetched; run `git lfs pull`"),
    ),
    (b"data:image", "a data URL", Some("decode the base64 after the comma first")),
    (b"/9j/", "a JPEG in base64", Some("decode the base64 first")),
    (b"iVBORw0KGgo", "a PNG in base64", Some("decode the base64 first")),
];

/// ", which looks like …", and what to do about it.
fn looks_like(bytes: &[u8]) -> (String, Option<&'static str>) {
    let say = |name: &str| format!(", which looks like {name}");
    if bytes.get(4..8) == Some(b"ftyp") {
        let name = match bytes.get(8..12) {
            Some(b"avif" | b"avis") => "AVIF",
            Some(b"heic" | b"heix" | b"mif1" | b"msf1" | b"hevc") => "HEIC",
            _ => "a video (MP4 or alike)",
        };
        return (say(name), CONVERT);
    }
    for (beginning, name, hint) in LOOK_ALIKES {
        if bytes.starts_with(beginning) {
            return (say(name), hint);
        }
    }
    let text = &bytes[..bytes.len().min(256)];
    let trimmed = text.trim_ascii_start();
    let begins = |tag: &[u8]| trimmed.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag));
    if begins(b"<!doctype html") || begins(b"<html") || begins(b"<head") {
        return (say("a web page (HTML)"), DOWNLOAD);
    }
    if begins(b"<svg") || (begins(b"<?xml") && memchr::memmem::find(text, b"<svg").is_some()) {
        return (say("SVG"), CONVERT);
    }
    if begins(b"<?xml") || begins(b"<error") {
        return (say("XML"), DOWNLOAD);
    }
    if begins(b"{") || begins(b"[") {
        return (say("JSON"), DOWNLOAD);
    }
    let is_text = |byte: &u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace() || *byte >= 0x80;
    if std::str::from_utf8(&text[..text.len().min(64)]).is_ok() && text.iter().all(is_text) {
        return (
            say("text"),
            Some("put the image itself here; if the text is its path or address, fetch it from there"),
        );
    }
    if text.iter().all(|byte| *byte == 0) {
        return (", only zeros".to_owned(), Some("the file was allocated and never written; fetch it again"));
    }
    (String::new(), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_bytes_are_shown_and_named() {
        let cases: [(&[u8], &str, &str); 15] = [
            (
                b"  <!DOCTYPE HTML><p>",
                "found 20 20 3c 21 44 4f 43 54 59 50 45 20, which looks like a web page",
                "server",
            ),
            (b"II*\0\x08", "TIFF", "convert"),
            (b"\0\0\0\x1cftypavif", "AVIF", "convert"),
            (b"\0\0\0\x1cftypheic", "HEIC", "convert"),
            (b"\0\0\0\x1cftypisom", "a video", "convert"),
            (b"\x1f\x8b\x08\0", "gzip", "unpack"),
            (b"RIFF\x10\0\0\0WAVEfmt ", "a RIFF file other than WebP", ""),
            (b"{\"error\": 403}", "JSON", "server"),
            (b"<?xml version='1.0'?><Error>", "XML", "server"),
            (b"<?xml version='1.0'?><svg>", "SVG", "convert"),
            (b"images/0001.jpg", "text", "the image itself"),
            (b"BMW is a maker of cars", "text", "fetch it"),
            (b"/9j/4AAQSkZJRg", "a JPEG in base64", "decode the base64"),
            (&[0; 40], "only zeros", "never written"),
            (b"\x01\x02\x03\xff", "found 01 02 03 ff, expected the signature of JPEG", ""),
        ];
        for (bytes, found, hint) in cases {
            let error = sniff(bytes).unwrap_err();
            assert_eq!(error.kind(), ImageErrorKind::UnknownFormat, "{error}");
            assert!(error.to_string().contains(found), "{error}");
            assert!(error.hint().unwrap_or_default().contains(hint), "{error}");
        }
    }

    #[test]
    fn a_cut_signature_is_called_cut() {
        let cases: [(&[u8], Option<ImageFormat>); 8] = [
            (b"", None),
            (b"\xff\xd8", Some(ImageFormat::Jpeg)),
            (b"\x89PNG\r", Some(ImageFormat::Png)),
            (b"GIF8", Some(ImageFormat::Gif)),
            (b"RI", Some(ImageFormat::WebP)),
            (b"RIFF\x10\0\0\0WE", Some(ImageFormat::WebP)),
            (b"B", Some(ImageFormat::Bmp)),
            (b"BM\x10\0\0", Some(ImageFormat::Bmp)),
        ];
        for (bytes, format) in cases {
            let error = sniff(bytes).unwrap_err();
            assert_eq!((error.kind(), error.format()), (ImageErrorKind::Truncated, format), "{bytes:?}");
        }
    }
}
