//! Which calls can be computed along with the decoding of an image.

use feedline_data::DType;

use super::catalogue::arrays::operations::slice;
use super::catalogue::image::operations::{crop_to_bounding_box, decode_image, decode_jpeg};
use super::catalogue::image::{DECODE_IMAGE_AS_NEEDED, DECODE_JPEG_AS_NEEDED};
use super::catalogue::operations::strided_slice;
use super::{Attribute, Call, Operation, Slice, expand_slices};

impl Call {
    /// Whether it decodes what is, or may be, a JPEG, so that what comes right behind it may have only the part decoded that it needs. At a part of its
    /// size, or to another type, an image is decoded another way.
    pub fn decodes_parts(&self) -> bool {
        self.is_of(&decode_jpeg) && self.int("ratio") == 1
            || self.is_of(&decode_image)
                && self.dtype("dtype") == DType::UInt8
                && matches!(self.int("channels"), 0 | 1 | 3)
    }

    /// What it becomes where only what is needed is decoded.
    pub(crate) fn as_needed(&self) -> &'static Operation {
        if self.is_of(&decode_jpeg) { &DECODE_JPEG_AS_NEEDED } else { &DECODE_IMAGE_AS_NEEDED }
    }

    /// Whether it can be computed along with the decoding of the image it gets first.
    pub fn joins_decoding(&self) -> bool {
        self.operation.joins_decoding && (!self.is_of(&strided_slice) || self.part_sliced().is_some())
    }

    /// Whether which part of the image it takes is said by tensors, and nothing else is.
    pub fn takes_given_part(&self) -> bool {
        self.is_of(&crop_to_bounding_box) || self.is_of(&slice)
    }

    /// The rows and columns that slices take of an image, each with a begin and an end: `None` if they take something else than a part of it with all
    /// its channels.
    pub fn part_sliced(&self) -> Option<[(Option<i64>, Option<i64>); 2]> {
        let Attribute::Slices(slices) = self.attributes.first()? else { return None };
        match expand_slices(slices, 3).ok()?[..] {
            [
                Slice::Range { begin: top, end: bottom, step: 1 },
                Slice::Range { begin: left, end: right, step: 1 },
                Slice::ALL,
            ] => Some([(top, bottom), (left, right)]),
            _ => None,
        }
    }

    fn is_of(&self, operation: &'static Operation) -> bool {
        std::ptr::eq(self.operation, operation)
    }
}
