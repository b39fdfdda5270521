//! The operations of images: `ops::image` in Rust, `fl.image` in Python.
//!
//! An image is a tensor of height × width × channels; what stands before these three, a batch, is gone through one by one.

use super::{Argument, ArgumentKind, Cost, Operation, infer};

/// `decode_jpeg` of an image of which what comes right behind it may need a part only: the same pixels where they are needed. The
/// optimizer's (`crop_and_scale_in_decode`), so it is in no list.
pub static DECODE_JPEG_AS_NEEDED: Operation =
    Operation { name: "image.decode_jpeg_as_needed", ..copied(&operations::decode_jpeg) };

/// `decode_image` in the same way, of what turns out to be a JPEG; other formats are decoded whole.
pub static DECODE_IMAGE_AS_NEEDED: Operation =
    Operation { name: "image.decode_image_as_needed", ..copied(&operations::decode_image) };

/// The shape of what `decode_jpeg` would give, from the header alone where it is a JPEG. The optimizer's
/// (`read_shape_from_header`), so it is in no list.
pub static DECODED_JPEG_SHAPE: Operation = Operation {
    name: "image.decoded_jpeg_shape",
    arguments: &[
        Argument { name: "contents", kind: ArgumentKind::Tensor, default: None },
        Argument { name: "channels", kind: ArgumentKind::Int, default: None },
        Argument { name: "ratio", kind: ArgumentKind::Int, default: None },
        Argument { name: "dct_method", kind: ArgumentKind::Text, default: None },
        Argument { name: "out_type", kind: ArgumentKind::DType, default: None },
    ],
    infer: infer::image::decoded_jpeg_shape,
    cost: Cost::Light,
    any_size: false,
    decodes_image: false,
    ..copied(&operations::decode_jpeg)
};

const fn copied(operation: &Operation) -> Operation {
    Operation {
        name: operation.name,
        tensorflow: operation.tensorflow,
        arguments: operation.arguments,
        infer: operation.infer,
        cost: operation.cost,
        can_fail: operation.can_fail,
        is_random: operation.is_random,
        joins_decoding: operation.joins_decoding,
        is_by_value: operation.is_by_value,
        gives: operation.gives,
        any_size: operation.any_size,
        decodes_image: operation.decodes_image,
        doc: operation.doc,
    }
}

catalogue! {
    "image.";
    /// Images: decoded, cropped, scaled, turned, coloured. Names and results are those of `tf.image`.
    ///
    /// ```
    /// use feedline_data::{DType, ElementSpec, TensorSpec};
    /// use feedline_plan::{Symbolic, ops};
    ///
    /// let bytes = Symbolic::of_spec(&ElementSpec::Leaf(TensorSpec::scalar(DType::String)));
    /// let image = ops::image::decode_jpeg(bytes, 3, 1, "");
    /// let image = ops::image::random_resized_crop(image, [224, 224], [0.08, 1.0], [0.75, 1.333], "bilinear", false, false, 7);
    /// let image = ops::image::random_flip_left_right(image, 8);
    /// let image = ops::image::normalize(image, [123.675, 116.28, 103.53], [58.395, 57.12, 57.375]);
    /// assert_eq!(image.to_structure()?.map(|expr| expr.spec().to_string()).to_string(), "float32[224, 224, 3]");
    /// # Ok::<(), feedline_plan::PlanError>(())
    /// ```
    functions {
        pub use crate::expr::catalogue::augment::functions::*;
    }

    /// The pixels of a JPEG, those of libjpeg-turbo's default settings byte for byte. `channels` is 0 (as stored), 1 (gray)
    /// or 3; `ratio` 1, 2, 4 or 8 decodes at that part of the size. `dct_method` is a hint that changes nothing: the
    /// transform is always the accurate one. A PNG, or a GIF of one frame, is decoded too; other formats are an error of their element. So is an
    /// image that ends before its last pixel without an end mark (with one, the rest is gray, and without one all may be there), announces
    /// restart markers and has others, or is damaged and progressive; not if all that uses it is a crop or a resize right behind it, in the same
    /// function, of a size that is no tensor, and needs only rows above the damage. Other damage gives odd pixels, those of libjpeg-turbo.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.full([8, 8, 3], 128, np.uint8))
    /// >>> ds.map(lambda x: fl.image.decode_jpeg(fl.image.encode_jpeg(x))).get_single_element().shape
    /// (8, 8, 3)
    /// ```
    decode_jpeg(contents: Tensor, channels: Int = 0, ratio: Int = 1, dct_method: Text)
        "tf.io.decode_jpeg", infer::image::decode_jpeg, Heavy, can_fail, any_size, decodes_image;
    /// A part of a JPEG: `crop_window` is its first row, first column, height and width. Decodes no more than that; what
    /// is below it is not looked at. The pixels are those of the whole image (TensorFlow's differ by a few levels at the edges, where
    /// colours are stored at half size). With a `ratio` of 2, 4 or 8 it is a part of the image at that part of its size. A window that is not
    /// within the image is an error of its element, and so is what is no JPEG.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.full([8, 8, 3], 128, np.uint8))
    /// >>> ds.map(lambda x: fl.image.decode_and_crop_jpeg(fl.image.encode_jpeg(x), [2, 0, 4, 8])).get_single_element().shape
    /// (4, 8, 3)
    /// ```
    decode_and_crop_jpeg(contents: Tensor, crop_window: Indices, channels: Int = 0, ratio: Int = 1, dct_method: Text)
        "tf.io.decode_and_crop_jpeg", infer::image::decode_and_crop_jpeg, Heavy, can_fail, any_size, decodes_image;
    /// The pixels of a PNG; or of a JPEG, or of a GIF of one frame. `channels` is 0 (as stored), 1 (gray), 3 or 4; `dtype` is uint8 or
    /// uint16, and samples of another width are scaled to it.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8))
    /// >>> ds.map(lambda x: fl.image.decode_png(fl.image.encode_png(x))).get_single_element()[..., 0]
    /// array([[10, 20],
    ///        [30, 40]], dtype=uint8)
    /// ```
    decode_png(contents: Tensor, channels: Int = 0, dtype: DType = DType::UInt8)
        "tf.io.decode_png", infer::image::decode_png, Heavy, can_fail, any_size, decodes_image;
    /// All frames of a GIF, as it is shown: frames × height × width × 3. Frames that cover a part of the picture change that
    /// part of the one before. A JPEG, PNG or `WebP` is taken, too.
    ///
    /// ```python
    /// >>> gif = b"GIF89a\x01\0\x01\0\x80\0\0\xff\0\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;"
    /// >>> fl.Dataset.from_tensors(gif).map(lambda x: fl.image.decode_gif(x)).get_single_element()
    /// array([[[[255,   0,   0]]]], dtype=uint8)
    /// ```
    decode_gif(contents: Tensor) "tf.io.decode_gif", infer::image::decode_gif, Heavy, can_fail, any_size, decodes_image;
    /// The pixels of a BMP that is not compressed, of 8 (gray), 24 or 32 bits a pixel. `channels` is 0 (as stored), 3 or 4, or 1 of a gray one.
    ///
    /// ```python
    /// >>> head = b"BM\x3a\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\x01\0\0\0\x01\0\0\0\x01\0\x18\0" + bytes(24)
    /// >>> pixel = bytes([50, 100, 200, 0])  # blue, green, red, and one to fill up the row
    /// >>> fl.Dataset.from_tensors(head + pixel).map(lambda x: fl.image.decode_bmp(x)).get_single_element()
    /// array([[[200, 100,  50]]], dtype=uint8)
    /// ```
    decode_bmp(contents: Tensor, channels: Int = 0) "tf.io.decode_bmp", infer::image::decode_bmp, Heavy, can_fail, any_size, decodes_image;
    /// All frames of a `WebP`, lossy or lossless: frames × height × width × channels, also of one that does not move. Frames behind the first may
    /// be a level off. `channels` is 0 (as stored), 3 or 4.
    ///
    /// ```python
    /// >>> webp = b"RIFF\x1a\0\0\0WEBPVP8L\x0d\0\0\0\x2f\0\0\0\x10\x07\x10\x11\x11\x88\x88\xfe\x07\0"
    /// >>> fl.Dataset.from_tensors(webp).map(lambda x: fl.image.decode_webp(x)).get_single_element().shape
    /// (1, 1, 1, 4)
    /// ```
    decode_webp(contents: Tensor, channels: Int = 0)
        "tf.io.decode_webp", infer::image::decode_webp, Heavy, can_fail, any_size, decodes_image;
    /// The pixels of a JPEG, PNG, GIF, BMP or `WebP`, which it is by its first bytes. `dtype` is uint8, uint16 (PNG keeps its bits, of others
    /// 255 is 65280) or float32, from 0 to 1. A GIF or `WebP` has all its frames, so that the number of dimensions is not known before it is
    /// read; without `expand_animations` it is the first frame, as of the other formats.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8))
    /// >>> ds.map(lambda x: fl.image.decode_image(fl.image.encode_png(x), expand_animations=False)).get_single_element()[..., 0]
    /// array([[10, 20],
    ///        [30, 40]], dtype=uint8)
    /// ```
    decode_image(contents: Tensor, channels: Int = 0, dtype: DType = DType::UInt8, expand_animations: Bool = true)
        "tf.io.decode_image", infer::image::decode_image, Heavy, can_fail, any_size, decodes_image;
    /// Height, width and channels of a JPEG, from its header alone.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.zeros([48, 64, 3], np.uint8))
    /// >>> ds.map(lambda x: fl.image.extract_jpeg_shape(fl.image.encode_jpeg(x))).get_single_element()
    /// array([48, 64,  3], dtype=int32)
    /// ```
    extract_jpeg_shape(contents: Tensor, output_type: DType = DType::Int32)
        "tf.io.extract_jpeg_shape", infer::image::extract_jpeg_shape, Light, can_fail;
    /// How the camera was held, as a JPEG's Exif data has it: a number from 1 to 8, for `apply_orientation`. 1, which is upright,
    /// where there is none, also for what is no JPEG.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.zeros([8, 8, 3], np.uint8))
    /// >>> ds.map(lambda x: fl.image.exif_orientation(fl.image.encode_jpeg(x))).get_single_element()
    /// np.int32(1)
    /// ```
    exif_orientation(contents: Tensor) "PIL.Image.Exif", infer::image::exif_orientation, Light;
    /// Whether bytes begin as those of a JPEG do, of a tensor of any shape.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.zeros([8, 8, 3], np.uint8))
    /// >>> ds.map(lambda x: fl.image.is_jpeg([fl.image.encode_jpeg(x), fl.image.encode_png(x)])).get_single_element()
    /// array([ True, False])
    /// ```
    is_jpeg(contents: Tensor) "tf.io.is_jpeg", infer::image::is_jpeg, Light;
    /// The image as a JPEG, the bytes libjpeg-turbo writes: 1 channel as gray, 3 as colour with chroma at half size (4:2:0)
    /// or, without `chroma_downsampling`, at full size. `format` is empty, or `grayscale` or `rgb`, which the image must then be.
    /// `density_unit` is `in` or `cm`; `xmp_metadata` is a text that readers of images find beside the pixels.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.zeros([8, 8, 3], np.uint8))
    /// >>> ds.map(lambda x: fl.image.encode_jpeg(x)).get_single_element()[:4]
    /// b'\xff\xd8\xff\xe0'
    /// ```
    encode_jpeg(
        image: Tensor, format: Text, quality: Int = 95, progressive: Bool = false, optimize_size: Bool = false,
        chroma_downsampling: Bool = true, density_unit: Text, x_density: Int = 300, y_density: Int = 300, xmp_metadata: Text
    )
        "tf.io.encode_jpeg", infer::image::encode_jpeg, Heavy, can_fail;
    /// The image as a PNG, or each of a batch of images: uint8 or uint16, 1 to 4 channels. `compression` is from 0 to 9, −1 for the usual.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.zeros([8, 8, 3], np.uint8))
    /// >>> ds.map(lambda x: fl.image.encode_png(x)).get_single_element()[:4]
    /// b'\x89PNG'
    /// ```
    encode_png(image: Tensor, compression: Int = -1) "tf.io.encode_png", infer::image::encode_png, Heavy, can_fail;

    /// The image at another size, as float32 (by `nearest` in its own type). `size` is height and width, or one number for the
    /// shorter side. Methods are `nearest`, `bilinear`, `bicubic`, `area`, `lanczos3`, `lanczos5`, `gaussian` and `mitchellcubic`,
    /// all with TensorFlow's half-pixel centres; `antialias` widens the filter where the image shrinks. With `preserve_aspect_ratio` `size` is
    /// the most there may be. With `fast_scale` a JPEG that `decode_jpeg` decodes right before, and that becomes less than half as high and wide,
    /// is decoded at a half, a quarter or an eighth of its size, never below the size it gets: faster, and other pixels than those of the
    /// whole image scaled.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8))
    /// >>> ds.map(lambda x: fl.image.resize(x, [1, 2])).get_single_element()[..., 0]
    /// array([[20., 30.]], dtype=float32)
    /// ```
    resize(
        images: Tensor, size: AxisOrTensor, method: Text, preserve_aspect_ratio: Bool = false, antialias: Bool = false, fast_scale: Bool = false
    )
        "tf.image.resize", infer::image::resize, Heavy, can_fail, joins_decoding;
    /// The image scaled to fit into height and width, in the middle of zeros.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8))
    /// >>> ds.map(lambda x: fl.image.resize_with_pad(x, 2, 4)).get_single_element()[..., 0]
    /// array([[ 0., 10., 20.,  0.],
    ///        [ 0., 30., 40.,  0.]], dtype=float32)
    /// ```
    resize_with_pad(image: Tensor, target_height: IntOrTensor, target_width: IntOrTensor, method: Text, antialias: Bool = false)
        "tf.image.resize_with_pad", infer::image::resize_with_pad, Heavy, can_fail;
    /// The middle of the image, or the image in the middle of zeros, in each dimension as needed.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8))
    /// >>> ds.map(lambda x: fl.image.resize_with_crop_or_pad(x, 1, 4)).get_single_element()[..., 0]
    /// array([[ 0, 10, 20,  0]], dtype=uint8)
    /// ```
    resize_with_crop_or_pad(image: Tensor, target_height: IntOrTensor, target_width: IntOrTensor)
        "tf.image.resize_with_crop_or_pad", infer::image::resize_with_crop_or_pad, Light, can_fail, joins_decoding;
    /// The middle part of the image, `central_fraction` of its height and width.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.arange(16, dtype=np.uint8).reshape(4, 4, 1))
    /// >>> ds.map(lambda x: fl.image.central_crop(x, 0.5)).get_single_element()[..., 0]
    /// array([[ 5,  6],
    ///        [ 9, 10]], dtype=uint8)
    /// ```
    central_crop(image: Tensor, central_fraction: FloatOrTensor) "tf.image.central_crop", infer::image::central_crop, Light, can_fail, joins_decoding;
    /// A part of the image. One that is not within it is an error of its element.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8))
    /// >>> ds.map(lambda x: fl.image.crop_to_bounding_box(x, 1, 0, 1, 2)).get_single_element()[..., 0]
    /// array([[30, 40]], dtype=uint8)
    /// ```
    crop_to_bounding_box(
        image: Tensor, offset_height: Indices, offset_width: Indices, target_height: Indices, target_width: Indices
    ) "tf.image.crop_to_bounding_box", infer::image::crop_to_bounding_box, Light, can_fail, joins_decoding;
    /// The image in a larger one of zeros. One that does not fit is an error of its element.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8))
    /// >>> ds.map(lambda x: fl.image.pad_to_bounding_box(x, 1, 0, 3, 3)).get_single_element()[..., 0]
    /// array([[ 0,  0,  0],
    ///        [10, 20,  0],
    ///        [30, 40,  0]], dtype=uint8)
    /// ```
    pad_to_bounding_box(
        image: Tensor, offset_height: IntOrTensor, offset_width: IntOrTensor, target_height: IntOrTensor,
        target_width: IntOrTensor
    )
        "tf.image.pad_to_bounding_box", infer::image::pad_to_bounding_box, Light, can_fail;
    /// The image with left and right exchanged.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8))
    /// >>> ds.map(lambda x: fl.image.flip_left_right(x)).get_single_element()[..., 0]
    /// array([[20, 10],
    ///        [40, 30]], dtype=uint8)
    /// ```
    flip_left_right(image: Tensor) "tf.image.flip_left_right", infer::image::moved, Light, can_fail, joins_decoding;
    /// The image with top and bottom exchanged.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8))
    /// >>> ds.map(lambda x: fl.image.flip_up_down(x)).get_single_element()[..., 0]
    /// array([[30, 40],
    ///        [10, 20]], dtype=uint8)
    /// ```
    flip_up_down(image: Tensor) "tf.image.flip_up_down", infer::image::moved, Light, can_fail, joins_decoding;
    /// The image turned by 90 degrees against the clock, `k` times.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8))
    /// >>> ds.map(lambda x: fl.image.rot90(x)).get_single_element()[..., 0]
    /// array([[20, 40],
    ///        [10, 30]], dtype=uint8)
    /// ```
    rot90(image: Tensor, k: IntOrTensor = 1) "tf.image.rot90", infer::image::rot90, Light, can_fail;
    /// The image turned and mirrored upright, by the orientation that `exif_orientation` found. A number that is not from 1 to 8 is
    /// an error of its element.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8))
    /// >>> ds.map(lambda x: fl.image.apply_orientation(x, 6)).get_single_element()[..., 0]
    /// array([[30, 10],
    ///        [40, 20]], dtype=uint8)
    /// ```
    apply_orientation(image: Tensor, orientation: Indices)
        "PIL.ImageOps.exif_transpose", infer::image::apply_orientation, Light, can_fail;
    /// Parts of a batch of images, each scaled to `crop_size`, as float32. `boxes` has a row of `y1, x1, y2, x2` for each, where 0 is the
    /// first row or column and 1 the last (from above to below 0 to 1 is allowed, and mirrors where the first is the larger); `box_indices`
    /// says of which image. `method` is `bilinear` or `nearest`; `extrapolation_value` is what lies outside of an image. An index that
    /// no image has is an error of its element.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.arange(9, dtype=np.uint8).reshape(1, 3, 3, 1))
    /// >>> ds = ds.map(lambda images: fl.image.crop_and_resize(images, [[0, 0, 1, 1], [0, 0, 0.5, 0.5]], [0, 0], (2, 2)))
    /// >>> print(next(iter(ds))[..., 0])
    /// [[[0. 2.]
    ///   [6. 8.]]
    /// <BLANKLINE>
    ///  [[0. 1.]
    ///   [3. 4.]]]
    /// ```
    crop_and_resize(
        image: Tensor, boxes: Tensor, box_indices: Indices, crop_size: AxisOrTensor, method: Text, extrapolation_value: Float = 0.0
    ) "tf.image.crop_and_resize", infer::image::crop_and_resize, Heavy, can_fail;
    /// A random part of an image of `image_size` (height, width, channels) that shows enough of what is in it: where it begins, its size
    /// (of all channels: −1) and the box itself. `bounding_boxes` has the objects, one × number × `y1, x1, y2, x2`, from 0 to 1. The part
    /// covers at least `min_object_covered` of one of them, its width by height is within `aspect_ratio_range`, its area within
    /// `area_range` of the image; after `max_attempts` tries it is the whole image. Without objects that is an error of its element,
    /// or with `use_image_if_no_bounding_boxes` the whole image is the object.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.zeros((100, 80, 3), np.uint8))
    /// >>> def crop(image):
    /// ...     box = [[[0.2, 0.2, 0.8, 0.8]]]
    /// ...     begin, size, _ = fl.image.sample_distorted_bounding_box(fl.shape(image), box, seed=1)
    /// ...     return fl.image.crop_to_bounding_box(image, begin[0], begin[1], size[0], size[1])
    /// >>> next(iter(ds.map(crop))).ndim
    /// 3
    /// ```
    sample_distorted_bounding_box(
        image_size: Indices, bounding_boxes: Tensor, seed: Int, min_object_covered: Float = 0.1, aspect_ratio_range: Floats,
        area_range: Floats, max_attempts: Int = 100, use_image_if_no_bounding_boxes: Bool = false
    ) "tf.image.sample_distorted_bounding_box (other values)", infer::image::sample_distorted_bounding_box, Light, can_fail, is_random;
    /// A part of a tensor of any number of dimensions, of the size given, at a random place of each element. One that is too small is an
    /// error of its element.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.zeros([8, 8, 1]))
    /// >>> ds.map(lambda x: fl.image.random_crop(x, [2, 2, 1], seed=1)).get_single_element().shape
    /// (2, 2, 1)
    /// ```
    random_crop(value: Tensor, size: AxisOrTensor, seed: Int)
        "tf.image.random_crop (other values)", infer::image::random_crop, Light, can_fail, is_random, joins_decoding;
    /// A random part of the image, scaled to a size: the crop of image training, drawn as torchvision draws it. Its
    /// area is from `scale[0]` to `scale[1]` of the image, its width by height from `ratio[0]` to `ratio[1]`, uniform in the
    /// logarithm; after ten tries that do not fit it is the middle. Scaled as `resize` does it, to float32, also with its
    /// `fast_scale`.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.zeros((100, 80, 3), np.uint8))
    /// >>> ds = ds.map(lambda image: fl.image.random_resized_crop(image, (32, 32), seed=1))
    /// >>> next(iter(ds)).shape
    /// (32, 32, 3)
    /// ```
    random_resized_crop(
        image: Tensor, size: Axis, scale: Floats, ratio: Floats, method: Text, antialias: Bool = false, fast_scale: Bool = false,
        seed: Int
    ) "torchvision.transforms.RandomResizedCrop (other values)", infer::image::random_resized_crop, Heavy, can_fail, is_random, joins_decoding;
    /// The image, or with left and right exchanged, each for half of the elements.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8)).repeat(1000)
    /// >>> flipped = sum(int(x[0, 0, 0]) != 10 for x in ds.map(lambda x: fl.image.random_flip_left_right(x, seed=1)))
    /// >>> 400 < flipped < 600
    /// True
    /// ```
    random_flip_left_right(image: Tensor, seed: Int)
        "tf.image.random_flip_left_right (other values)", infer::image::moved, Light, can_fail, is_random, joins_decoding;
    /// The image, or with top and bottom exchanged, each for half of the elements.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8)).repeat(1000)
    /// >>> flipped = sum(int(x[0, 0, 0]) != 10 for x in ds.map(lambda x: fl.image.random_flip_up_down(x, seed=1)))
    /// >>> 400 < flipped < 600
    /// True
    /// ```
    random_flip_up_down(image: Tensor, seed: Int)
        "tf.image.random_flip_up_down (other values)", infer::image::moved, Light, can_fail, is_random, joins_decoding;

    /// The image turned by no, one, two or three quarters, each for a quarter of the elements.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8)).repeat(100)
    /// >>> sorted({int(x[0, 0, 0]) for x in ds.map(lambda x: fl.image.random_rot90(x, seed=1))})
    /// [10, 20, 30, 40]
    /// ```
    random_rot90(image: Tensor, seed: Int)
        "tf.image.rot90 (at random)", infer::image::random_rot90, Light, can_fail, is_random;

    /// The image in another type, scaled: the largest integer of a type is 1.0 as a float. With `saturate` what does not fit
    /// stops at the limits, and a float as an integer does so always.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.array([[[0], [51], [255]]], np.uint8))
    /// >>> ds.map(lambda x: fl.image.convert_image_dtype(x, fl.float32)).get_single_element()[..., 0].round(3)
    /// array([[0. , 0.2, 1. ]], dtype=float32)
    /// ```
    convert_image_dtype(image: Tensor, dtype: DType, saturate: Bool = false)
        "tf.image.convert_image_dtype", infer::image::convert_dtype, Light;
    /// `(image − mean) · (1 / std)` as float32, with a mean and a standard deviation for each channel, or one for all, in the
    /// units of the image: from 0 to 255 where it was decoded or resized.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.full((2, 2, 3), 123, np.uint8))
    /// >>> next(iter(ds.map(lambda image: fl.image.normalize(image, layout="NCHW")))).shape
    /// (3, 2, 2)
    /// ```
    normalize(image: Tensor, mean: Floats, std: Floats)
        "torchvision.transforms.Normalize", infer::image::normalize, Light, can_fail, joins_decoding;
    /// The image as float32 with a mean of 0 and a variance of 1, of the whole image; the deviation is at least
    /// 1 / √(number of values).
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8))
    /// >>> ds.map(lambda x: fl.image.per_image_standardization(x)).get_single_element()[..., 0].round(3)
    /// array([[-1.342, -0.447],
    ///        [ 0.447,  1.342]], dtype=float32)
    /// ```
    per_image_standardization(image: Tensor)
        "tf.image.per_image_standardization", infer::image::standardize, Light, can_fail;
    /// One channel from three: 0.2989 of red, 0.587 of green, 0.114 of blue.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.array([[[200, 100, 50]]], np.uint8))
    /// >>> ds.map(lambda x: fl.image.rgb_to_grayscale(x)).get_single_element()
    /// array([[[124]]], dtype=uint8)
    /// ```
    rgb_to_grayscale(images: Tensor) "tf.image.rgb_to_grayscale", infer::image::to_gray, Light, can_fail;
    /// Three channels of one.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.array([[[7]]], np.uint8))
    /// >>> ds.map(lambda x: fl.image.grayscale_to_rgb(x)).get_single_element()
    /// array([[[7, 7, 7]]], dtype=uint8)
    /// ```
    grayscale_to_rgb(images: Tensor) "tf.image.grayscale_to_rgb", infer::image::from_gray, Light, can_fail;
    /// Hue, saturation and value of red, green and blue: floats from 0 to 1. Half precision is computed in single.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.array([[[0.5, 0.25, 0.25]]], np.float32))
    /// >>> ds.map(lambda x: fl.image.rgb_to_hsv(x)).get_single_element()
    /// array([[[0. , 0.5, 0.5]]], dtype=float32)
    /// ```
    rgb_to_hsv(images: Tensor) "tf.image.rgb_to_hsv", infer::image::float_colours, Light, can_fail;
    /// Red, green and blue of hue, saturation and value: floats from 0 to 1. Half precision is computed in single.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.array([[[0.0, 0.5, 0.5]]], np.float32))
    /// >>> ds.map(lambda x: fl.image.hsv_to_rgb(x)).get_single_element()
    /// array([[[0.5 , 0.25, 0.25]]], dtype=float32)
    /// ```
    hsv_to_rgb(images: Tensor) "tf.image.hsv_to_rgb", infer::image::float_colours, Light, can_fail;
    /// The image with `delta`, in the units of floats from 0 to 1, added.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.array([[[200, 100, 50]]], np.uint8))
    /// >>> ds.map(lambda x: fl.image.adjust_brightness(x, 0.1)).get_single_element()
    /// array([[[225, 125,  75]]], dtype=uint8)
    /// ```
    adjust_brightness(image: Tensor, delta: FloatOrTensor) "tf.image.adjust_brightness", infer::image::brightness, Light, can_fail;
    /// The distance of every value from the mean of its channel times a factor.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8))
    /// >>> ds.map(lambda x: fl.image.adjust_contrast(x, 2.0)).get_single_element()[..., 0]
    /// array([[ 0, 15],
    ///        [35, 55]], dtype=uint8)
    /// ```
    adjust_contrast(images: Tensor, contrast_factor: FloatOrTensor)
        "tf.image.adjust_contrast", infer::image::contrast, Light, can_fail;
    /// The image with its saturation times a factor.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.array([[[200, 100, 50]]], np.uint8))
    /// >>> ds.map(lambda x: fl.image.adjust_saturation(x, 0.5)).get_single_element()
    /// array([[[200, 150, 125]]], dtype=uint8)
    /// ```
    adjust_saturation(image: Tensor, saturation_factor: FloatOrTensor)
        "tf.image.adjust_saturation", infer::image::saturation, Light, can_fail;
    /// The image with its hue turned by `delta`, from −1 to 1 for once around.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.array([[[200, 100, 50]]], np.uint8))
    /// >>> ds.map(lambda x: fl.image.adjust_hue(x, 0.5)).get_single_element()
    /// array([[[ 50, 150, 200]]], dtype=uint8)
    /// ```
    adjust_hue(image: Tensor, delta: FloatOrTensor) "tf.image.adjust_hue", infer::image::hue, Light, can_fail;
    /// `gain · image ^ gamma`, of values from 0 to 1.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.array([[[0.5], [1.0]]], np.float32))
    /// >>> ds.map(lambda x: fl.image.adjust_gamma(x, 2.0)).get_single_element()[..., 0]
    /// array([[0.25, 1.  ]], dtype=float32)
    /// ```
    adjust_gamma(image: Tensor, gamma: FloatOrTensor = 1.0, gain: FloatOrTensor = 1.0)
        "tf.image.adjust_gamma", infer::image::gamma, Light, can_fail;
    /// The image encoded as a JPEG and decoded again. `dct_method` is a hint that changes nothing: the transform is always the accurate one.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.full([8, 8, 3], 100, np.uint8))
    /// >>> ds.map(lambda x: fl.image.adjust_jpeg_quality(x, 50)).get_single_element().shape
    /// (8, 8, 3)
    /// ```
    adjust_jpeg_quality(image: Tensor, jpeg_quality: IntOrTensor, dct_method: Text)
        "tf.image.adjust_jpeg_quality", infer::image::jpeg_quality, Heavy, can_fail;
    /// `adjust_brightness` with a delta from −`max_delta` to `max_delta`.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.array([[[0.5]]], np.float32)).repeat(100)
    /// >>> values = [x[0, 0].tolist() for x in ds.map(lambda x: fl.image.random_brightness(x, 0.1, seed=1))]
    /// >>> all(0.4 <= value <= 0.6 for value, in values)
    /// True
    /// ```
    random_brightness(image: Tensor, max_delta: Float, seed: Int)
        "tf.image.random_brightness (other values)", infer::image::random_delta, Light, can_fail, is_random;
    /// `adjust_contrast` with a factor from `lower` to `upper`.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.array([[[1.0], [3.0]]], np.float32)).repeat(100)
    /// >>> values = [x[0, 0].tolist() for x in ds.map(lambda x: fl.image.random_contrast(x, 0.5, 1.5, seed=1))]
    /// >>> all(0.5 <= value <= 1.5 for value, in values)
    /// True
    /// ```
    random_contrast(image: Tensor, lower: Float, upper: Float, seed: Int)
        "tf.image.random_contrast (other values)", infer::image::random_factor, Light, can_fail, is_random;
    /// `adjust_saturation` with a factor from `lower` to `upper`.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.array([[[1.0, 0.5, 0.0]]], np.float32)).repeat(100)
    /// >>> values = [x[0, 0].tolist() for x in ds.map(lambda x: fl.image.random_saturation(x, 0.5, 1.0, seed=1))]
    /// >>> all(red == 1 and 0 <= blue <= 0.5 for red, green, blue in values)
    /// True
    /// ```
    random_saturation(image: Tensor, lower: Float, upper: Float, seed: Int)
        "tf.image.random_saturation (other values)", infer::image::random_saturation, Light, can_fail, is_random;
    /// `adjust_hue` with a delta from −`max_delta` to `max_delta`.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.array([[[1.0, 0.0, 0.0]]], np.float32)).repeat(100)
    /// >>> values = [x[0, 0].tolist() for x in ds.map(lambda x: fl.image.random_hue(x, 0.5, seed=1))]
    /// >>> all(round(max(value), 3) == 1 for value in values)  # as bright as before
    /// True
    /// ```
    random_hue(image: Tensor, max_delta: Float, seed: Int)
        "tf.image.random_hue (other values)", infer::image::random_hue, Light, can_fail, is_random;
    /// `adjust_gamma` with a gamma from `lower` to `upper`.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.array([[[0.5]]], np.float32)).repeat(100)
    /// >>> values = [x[0, 0].tolist() for x in ds.map(lambda x: fl.image.random_gamma(x, 1.0, 2.0, seed=1))]
    /// >>> all(0.25 <= value <= 0.5 for value, in values)
    /// True
    /// ```
    random_gamma(image: Tensor, lower: Float, upper: Float, gain: Float = 1.0, seed: Int)
        "tf.image.adjust_gamma (at random)", infer::image::random_factor, Light, can_fail, is_random;
    /// `adjust_jpeg_quality` with a quality from `min_jpeg_quality` to below `max_jpeg_quality`, or that one where both are the same.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.full([8, 8, 3], 128, np.uint8)).repeat(10)
    /// >>> values = [x[0, 0].tolist() for x in ds.map(lambda x: fl.image.random_jpeg_quality(x, 50, 90, seed=1))]
    /// >>> {x[0] for x in values}
    /// {128}
    /// ```
    random_jpeg_quality(image: Tensor, min_jpeg_quality: Int, max_jpeg_quality: Int, seed: Int)
        "tf.image.random_jpeg_quality (other values)", infer::image::random_jpeg_quality, Heavy, can_fail, is_random;
}
