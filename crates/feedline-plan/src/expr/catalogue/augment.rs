//! What image training does to pictures besides cropping them: `ops::image` in Rust, `fl.image` in Python, beside [`super::image`].

use super::Operation;

catalogue! {
    "image.";
    /// Augmentations. All of them are in [`ops::image`](crate::ops::image), too.
    ///
    /// ```
    /// use feedline_data::{DType, ElementSpec, Shape, TensorSpec};
    /// use feedline_plan::{Symbolic, ops};
    ///
    /// let image = TensorSpec::new(DType::UInt8, Shape::fixed(&[224, 224, 3]));
    /// let image = Symbolic::of_spec(&ElementSpec::Leaf(image));
    /// let image = ops::image::rand_augment(image, 2, 9, 31, "nearest", [0.0], 7);
    /// let image = ops::image::random_erasing(image, 0.25, [0.02, 0.33], [0.3, 3.3], [0.0], 8);
    /// assert_eq!(image.to_structure()?.map(|expr| expr.spec().to_string()).to_string(), "uint8[224, 224, 3]");
    /// # Ok::<(), feedline_plan::PlanError>(())
    /// ```
    functions {}

    /// White becomes black: `255 − value`, of uint8.
    invert(image: Tensor) "torchvision.transforms.functional.invert", infer::image::bytes, Light, can_fail;
    /// Values that are not below `threshold` inverted, of uint8.
    solarize(image: Tensor, threshold: Float = 128.0)
        "torchvision.transforms.functional.solarize", infer::image::solarize, Light, can_fail;
    /// The highest `bits` bits of each value, 0 to 8, of uint8.
    posterize(image: Tensor, bits: Int) "torchvision.transforms.functional.posterize", infer::image::posterize, Light, can_fail;
    /// Each channel's histogram made as flat as can be, of uint8.
    equalize(image: Tensor) "torchvision.transforms.functional.equalize", infer::image::bytes, Light, can_fail;
    /// Each channel stretched so that its darkest value becomes 0 and its brightest 255, of uint8.
    autocontrast(image: Tensor)
        "torchvision.transforms.functional.autocontrast", infer::image::bytes, Light, can_fail;
    /// Between the image smoothed over nine pixels (a factor of 0) and the image (1), or beyond (2 is sharper), of uint8. Pixels at the
    /// edge stay. Pillow's results, to the byte.
    adjust_sharpness(image: Tensor, sharpness_factor: Float)
        "torchvision.transforms.functional.adjust_sharpness", infer::image::sharpness, Light, can_fail;
    /// The image blurred by a Gaussian of `kernel_size` pixels (width and height, or one for both; odd) and the deviation `sigma` (one for
    /// both, or for x and y), mirrored at the edges. An image that is too small to be mirrored is an error of its element.
    gaussian_blur(image: Tensor, kernel_size: Axis, sigma: Floats)
        "torchvision.transforms.functional.gaussian_blur", infer::image::gaussian_blur, Heavy, can_fail;
    /// `gaussian_blur` with a deviation from `sigma[0]` to `sigma[1]`.
    random_gaussian_blur(image: Tensor, kernel_size: Axis, sigma: Floats, seed: Int)
        "torchvision.transforms.GaussianBlur (other values)", infer::image::random_gaussian_blur, Heavy, can_fail, is_random;
    /// The image turned by `angle` degrees with the clock, scaled, sheared by `shear` degrees (along x, or along x and y), and moved by
    /// `translate` pixels (x and y), about `center` (x and y from the upper left corner; `none`: the middle). `interpolation` is `nearest` or
    /// `bilinear`; `fill` is what lies outside, one number or one for each channel. Pillow's results, for uint8 to the byte.
    affine(
        image: Tensor, angle: Float = 0.0, translate: Floats, scale: Float = 1.0, shear: Floats, interpolation: Text, fill: Floats,
        center: OptionalFloats = Attribute::None
    ) "torchvision.transforms.functional.affine", infer::image::affine, Light, can_fail;
    /// The image turned by `angle` degrees against the clock, about `center` (x and y from the upper left corner; `none`: the middle). With
    /// `expand` the result is as large as it takes to hold all of it. Otherwise as `affine`.
    rotate(image: Tensor, angle: Float, interpolation: Text, expand: Bool = false, center: OptionalFloats = Attribute::None, fill: Floats)
        "torchvision.transforms.functional.rotate", infer::image::rotate, Light, can_fail;
    /// `affine` with an angle within `degrees`, moved by up to the parts `translate` of width and height (`none`: not at all), scaled
    /// within `scale` (`none`: not at all), sheared within `shear` (two numbers for x, or four for x and y; `none`: not at all).
    random_affine(
        image: Tensor, degrees: Floats, translate: OptionalFloats = Attribute::None,
        scale: OptionalFloats = Attribute::None, shear: OptionalFloats = Attribute::None, interpolation: Text, fill: Floats,
        center: OptionalFloats = Attribute::None, seed: Int
    ) "torchvision.transforms.RandomAffine (other values)", infer::image::random_affine, Light, can_fail, is_random;
    /// `rotate` with an angle within `degrees`.
    random_rotation(
        image: Tensor, degrees: Floats, interpolation: Text, expand: Bool = false, center: OptionalFloats = Attribute::None, fill: Floats, seed: Int
    ) "torchvision.transforms.RandomRotation (other values)", infer::image::random_rotation, Light, can_fail, is_random;
    /// With probability `p` a random part of the image gets `value`: one number, one for each channel, or `none` for noise (a normal
    /// distribution, of floats). Its area is from `scale[0]` to `scale[1]` of the image, its height by width from `ratio[0]` to `ratio[1]`;
    /// after ten tries that do not fit the image stays as it is.
    random_erasing(image: Tensor, p: Float = 0.5, scale: Floats, ratio: Floats, value: OptionalFloats, seed: Int)
        "torchvision.transforms.RandomErasing (other values)", infer::image::random_erasing, Light, can_fail, is_random;
    /// A part of the image of the size `mask_size` (height and width, or one for both) gets `value`, one number or one for each channel. Its
    /// middle is anywhere in the image, so that a part of it may lie outside.
    random_cutout(image: Tensor, mask_size: Axis, value: Floats, seed: Int)
        "tfa.image.random_cutout (other values)", infer::image::random_cutout, Light, can_fail, is_random;
    /// `num_ops` changes of an image of uint8, each drawn from fourteen (shear, move, turn, brightness, colour, contrast, sharpness, posterize,
    /// solarize, autocontrast, equalize, none), at the strength `magnitude` of `num_magnitude_bins`, in either direction. `interpolation` and
    /// `fill` as `affine`. Changes are Pillow's.
    rand_augment(
        image: Tensor, num_ops: Int = 2, magnitude: Int = 9, num_magnitude_bins: Int = 31, interpolation: Text, fill: Floats, seed: Int
    ) "torchvision.transforms.RandAugment (other values)", infer::image::rand_augment, Heavy, can_fail, is_random;
    /// One change of an image of uint8, drawn as `rand_augment` does it, at a strength that is drawn too, from a wider range.
    trivial_augment_wide(image: Tensor, num_magnitude_bins: Int = 31, interpolation: Text, fill: Floats, seed: Int)
        "torchvision.transforms.TrivialAugmentWide (other values)", infer::image::trivial_augment_wide, Heavy, can_fail, is_random;
    /// One of the 25 pairs of changes that `AutoAugment` found on `ImageNet`, of an image of uint8; each of the two is made with its own
    /// probability, at its own strength, in either direction.
    auto_augment(image: Tensor, interpolation: Text, fill: Floats, seed: Int)
        "torchvision.transforms.AutoAugment (other values)", infer::image::auto_augment, Heavy, can_fail, is_random;
    /// A batch of images and of labels (one-hot, or already mixed: a row of floats each), each mixed with the one before it: `λ` of its own
    /// and `1 − λ` of the other, `λ` drawn once for the batch from a Beta distribution of `alpha` and `alpha`. Gives both. Channels may stand
    /// anywhere.
    mixup(images: Tensor, labels: Tensor, alpha: Float = 1.0, seed: Int)
        "torchvision.transforms.v2.MixUp (other values)", infer::image::mixup, Light, can_fail, is_random;
    /// A batch of images and of labels (one-hot, or already mixed: a row of floats each), where a box of each image is that of the one before
    /// it, and labels are mixed by its area. The box, drawn once for the batch, has `1 − λ` of the image, `λ` from a Beta
    /// distribution of `alpha` and `alpha`, and its middle anywhere. Gives both. `layout` is `NHWC` or, where channels come first, `NCHW`.
    cutmix(images: Tensor, labels: Tensor, alpha: Float = 1.0, seed: Int, layout: Text)
        "torchvision.transforms.v2.CutMix (other values)", infer::image::cutmix, Light, can_fail, is_random;
}
