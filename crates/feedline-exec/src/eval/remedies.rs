//! What to do where an operation fails for an element, and whose fault that is.
//!
//! Kernels that know more about a failure say it themselves ([`Arguments::fail_with_hint`](super::Arguments::fail_with_hint)). For all others there is
//! what can be said of the operation, here. Every operation of which the catalogue says that it can fail has an entry, which a test looks after.

use crate::error::ExecErrorKind::{self, Data, Resource, Value};

/// What is known of the failures of an operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Remedy {
    /// Whose fault it is.
    pub(super) kind: ExecErrorKind,
    /// What to do.
    pub(super) hint: &'static str,
}

/// That of the operation called `name`.
pub(super) fn remedy_of(name: &str) -> Remedy {
    let known = REMEDIES.iter().find(|(_, _, names)| names.contains(&name));
    let (kind, hint) = known.map_or((Value, SHAPES), |(kind, hint, _)| (*kind, *hint));
    Remedy { kind, hint }
}

/// Of all operations that are not named: nothing is wrong with their values, but shapes that are known only now may not go together.
const SHAPES: &str = "the sizes must fit together, and `shape(x)` tells them: pad, reshape or slice before, or leave elements out with `filter`";

/// The kind, what to do, and the operations it is true of.
const REMEDIES: &[(ExecErrorKind, &str, &[&str])] = &[
    (
        Value,
        "put something else in the place of zeros first, `where(y == 0, 1, y)`, or leave such elements out with `filter`; \
         floats divided by zero are inf or nan",
        &["floordiv", "floormod"],
    ),
    (Value, "cast to a float first, or keep exponents from going below zero with `maximum(y, 0)`", &["pow"]),
    (
        Value,
        "a tensor keeps its number of values, which `size(x)` tells; one size may be -1, which follows from the others",
        &["reshape", "reshape_to"],
    ),
    (
        Value,
        "places count from 0 to the size, which `shape(x)` tells; `clip_by_value` keeps them in it, `filter` leaves elements out",
        &[
            "strided_slice",
            "slice",
            "gather",
            "batch_gather",
            "gather_nd",
            "scatter_nd",
            "tensor_scatter_nd_update",
            "argmax",
            "argmin",
            "top_k",
            "strings.substr",
        ],
    ),
    (
        Value,
        SHAPES,
        &[
            "stack",
            "concat",
            "squeeze",
            "split",
            "unstack",
            "boolean_mask",
            "broadcast_to",
            "matmul",
            "einsum",
            "searchsorted",
            "unique",
            "unique_with_counts",
            "strings.join",
            "strings.reduce_join",
            "random_shuffle",
        ],
    ),
    (
        Value,
        "sizes and counts that are computed of an element must not be below zero, nor larger than memory: `clip_by_value` keeps them in bounds",
        &[
            "fill",
            "range",
            "linspace",
            "tile",
            "repeat",
            "roll",
            "pad",
            "strings.as_string",
            "strings.regex_replace",
        ],
    ),
    (
        Value,
        "elements are not of the shape they were said to have: correct the shape, or leave others out with `filter`",
        &["ensure_shape"],
    ),
    (
        Value,
        "the data is not what the function was written for: leave such elements out with `filter`, or count them with `on_error`",
        &[
            "assert_equal",
            "assert_none_equal",
            "assert_less",
            "assert_less_equal",
            "assert_greater",
            "assert_greater_equal",
            "assert_rank",
            "assert_rank_at_least",
        ],
    ),
    (
        Value,
        "`is_finite` tells which values are not numbers: replace them with `where`, or leave such elements out with `filter`",
        &["check_numerics"],
    ),
    (
        Value,
        "what a function inside this one gets and gives must fit what it is called with",
        &["cond", "switch_case", "map_fn", "foldl", "scan"],
    ),
    (Value, "raise maximum_iterations, or have the condition end the loop earlier", &["while_loop"]),
    (
        Value,
        "bounds and weights that are computed of an element must leave something to draw from: minval below maxval, weights that are numbers",
        &["random_integers", "random_categorical"],
    ),
    (
        Value,
        "splits and lengths must add up to the number of values, and splits must not go down",
        &["ragged.from_nested_row_splits", "ragged.from_row_lengths"],
    ),
    (
        Value,
        "deltas are other than 0, which `where` can see to, and starts, limits and deltas are lists of one length or single numbers",
        &["ragged.range"],
    ),
    (
        Value,
        "rows must fit into the shape that was asked for: leave it out to have it follow from the longest",
        &["ragged.to_tensor", "ragged.to_sparse"],
    ),
    (Value, "indices must lie within the dense shape, each once and in order", &["sparse.to_dense"]),
    (
        Value,
        "leave other strings out with `filter` (`strings.regex_full_match` tells them), or count them with `on_error`",
        &["strings.to_number"],
    ),
    (
        Value,
        "the separator and the pieces must be strings of one shape: `shape(x)` tells it",
        &["strings.bytes_split", "strings.split"],
    ),
    (
        Data,
        "the text is not in the encoding that was named: name its own, or pass errors='replace' or 'ignore'",
        &[
            "strings.unicode_decode",
            "strings.unicode_split",
            "strings.unicode_encode",
            "strings.unicode_transcode",
        ],
    ),
    (
        Resource,
        "go on without such files with `on_error` or `ignore_errors`; `list_files` lists those that are there",
        &["read_file", "write_file"],
    ),
    (
        Data,
        "is it of another type, or cut off? `on_error` goes on without such elements, and keeps them in a file",
        &[
            "decode_raw",
            "parse_single_example",
            "parse_example",
            "parse_single_sequence_example",
            "parse_sequence_example",
            "decode_csv",
            "decode_csv_record",
            "decode_json",
            "decode_compressed",
            "decode_base64",
            "parse_tensor",
        ],
    ),
    (
        Data,
        "`on_error` goes on without images that cannot be decoded, and keeps them in a file; `feedline inspect` shows it",
        &[
            "image.decode_jpeg",
            "image.decode_and_crop_jpeg",
            "image.decode_png",
            "image.decode_gif",
            "image.decode_bmp",
            "image.decode_webp",
            "image.decode_image",
            "image.extract_jpeg_shape",
            "image.adjust_jpeg_quality",
            "image.random_jpeg_quality",
        ],
    ),
    (
        Value,
        "crops, boxes and paddings must lie within the image, whose height and width `shape(image)` tells: resize before, or use random_resized_crop or \
         resize_with_crop_or_pad, which take any size",
        &[
            "image.central_crop",
            "image.crop_to_bounding_box",
            "image.pad_to_bounding_box",
            "image.random_crop",
            "image.random_resized_crop",
            "image.resize_with_crop_or_pad",
            "image.crop_and_resize",
            "image.sample_distorted_bounding_box",
        ],
    ),
    (
        Value,
        "the operation takes images of height, width and channels, or batches of them, that are not empty: `shape(image)` tells what this is",
        &[
            "image.adjust_brightness",
            "image.adjust_contrast",
            "image.adjust_gamma",
            "image.adjust_hue",
            "image.adjust_saturation",
            "image.adjust_sharpness",
            "image.affine",
            "image.apply_orientation",
            "image.auto_augment",
            "image.autocontrast",
            "image.cutmix",
            "image.encode_jpeg",
            "image.encode_png",
            "image.equalize",
            "image.flip_left_right",
            "image.flip_up_down",
            "image.gaussian_blur",
            "image.grayscale_to_rgb",
            "image.hsv_to_rgb",
            "image.invert",
            "image.mixup",
            "image.normalize",
            "image.per_image_standardization",
            "image.posterize",
            "image.rand_augment",
            "image.random_adjust_sharpness",
            "image.random_affine",
            "image.random_autocontrast",
            "image.random_brightness",
            "image.random_contrast",
            "image.random_cutout",
            "image.random_equalize",
            "image.random_erasing",
            "image.random_flip_left_right",
            "image.random_flip_up_down",
            "image.random_gamma",
            "image.random_gaussian_blur",
            "image.random_hue",
            "image.random_invert",
            "image.random_posterize",
            "image.random_rot90",
            "image.random_rotation",
            "image.random_saturation",
            "image.random_solarize",
            "image.resize",
            "image.resize_with_pad",
            "image.rgb_to_grayscale",
            "image.rgb_to_hsv",
            "image.rot90",
            "image.rotate",
            "image.solarize",
            "image.trivial_augment_wide",
        ],
    ),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use feedline_plan::expr::catalogue::CATALOGUE;

    use super::*;

    #[test]
    fn every_operation_that_can_fail_says_what_to_do_and_no_other() {
        let failing: BTreeSet<&str> = CATALOGUE
            .iter()
            .filter(|operation| operation.can_fail)
            .map(|operation| operation.name_as_written())
            .collect();
        let named: Vec<&str> = REMEDIES.iter().flat_map(|(_, _, names)| names.iter().copied()).collect();
        assert_eq!(named.iter().copied().collect::<BTreeSet<&str>>(), failing);
        assert_eq!(named.len(), failing.len(), "each once");
        assert!(REMEDIES.iter().all(|(_, hint, _)| !hint.is_empty()));
    }
}
