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
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8))
    /// >>> ds.map(lambda x: fl.image.invert(x)).get_single_element()[..., 0]
    /// array([[245, 235],
    ///        [225, 215]], dtype=uint8)
    /// ```
    invert(image: Tensor) "torchvision.transforms.functional.invert", infer::image::bytes, Light, can_fail;
    /// Values that are not below `threshold` inverted, of uint8.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8))
    /// >>> ds.map(lambda x: fl.image.solarize(x, 25.0)).get_single_element()[..., 0]
    /// array([[ 10,  20],
    ///        [225, 215]], dtype=uint8)
    /// ```
    solarize(image: Tensor, threshold: Float = 128.0)
        "torchvision.transforms.functional.solarize", infer::image::solarize, Light, can_fail;
    /// The highest `bits` bits of each value, 0 to 8, of uint8.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8))
    /// >>> ds.map(lambda x: fl.image.posterize(x, 4)).get_single_element()[..., 0]
    /// array([[ 0, 16],
    ///        [16, 32]], dtype=uint8)
    /// ```
    posterize(image: Tensor, bits: Int) "torchvision.transforms.functional.posterize", infer::image::posterize, Light, can_fail;
    /// Each channel's histogram made as flat as can be, of uint8.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.repeat(np.arange(4, dtype=np.uint8), 256).reshape(32, 32, 1))
    /// >>> np.unique(ds.map(lambda x: fl.image.equalize(x)).get_single_element())
    /// array([  0,  85, 171, 255], dtype=uint8)
    /// ```
    equalize(image: Tensor) "torchvision.transforms.functional.equalize", infer::image::bytes, Light, can_fail;
    /// Each channel stretched so that its darkest value becomes 0 and its brightest 255, of uint8.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8))
    /// >>> ds.map(lambda x: fl.image.autocontrast(x)).get_single_element()[..., 0]
    /// array([[  0,  85],
    ///        [170, 255]], dtype=uint8)
    /// ```
    autocontrast(image: Tensor)
        "torchvision.transforms.functional.autocontrast", infer::image::bytes, Light, can_fail;
    /// Between the image smoothed over nine pixels (a factor of 0) and the image (1), or beyond (2 is sharper), of uint8. Pixels at the
    /// edge stay. Pillow's results, to the byte.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.array([[0, 0, 0], [0, 130, 0], [0, 0, 0]], np.uint8)[..., None])
    /// >>> ds.map(lambda x: fl.image.adjust_sharpness(x, 0.0)).get_single_element()[..., 0]
    /// array([[ 0,  0,  0],
    ///        [ 0, 50,  0],
    ///        [ 0,  0,  0]], dtype=uint8)
    /// ```
    adjust_sharpness(image: Tensor, sharpness_factor: Float)
        "torchvision.transforms.functional.adjust_sharpness", infer::image::sharpness, Light, can_fail;
    /// `invert` with probability `p`.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8)).repeat(100)
    /// >>> changed = ds.map(lambda x: fl.image.random_invert(x, seed=1))
    /// >>> sorted({int(x[0, 0, 0]) for x in changed})
    /// [10, 245]
    /// ```
    random_invert(image: Tensor, p: Float = 0.5, seed: Int)
        "torchvision.transforms.RandomInvert (other values)", infer::image::random_bytes, Light, can_fail, is_random;
    /// `solarize` with probability `p`.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.full((1, 1, 1), 200, np.uint8)).repeat(6)
    /// >>> [int(image.item()) for image in ds.map(lambda image: fl.image.random_solarize(image, 128, seed=1))]
    /// [55, 200, 55, 200, 200, 55]
    /// ```
    random_solarize(image: Tensor, threshold: Float, p: Float = 0.5, seed: Int)
        "torchvision.transforms.RandomSolarize (other values)", infer::image::random_solarize, Light, can_fail, is_random;
    /// `posterize` with probability `p`.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8)).repeat(100)
    /// >>> changed = ds.map(lambda x: fl.image.random_posterize(x, 2, seed=1))
    /// >>> sorted({int(x[1, 1, 0]) for x in changed})
    /// [0, 40]
    /// ```
    random_posterize(image: Tensor, bits: Int, p: Float = 0.5, seed: Int)
        "torchvision.transforms.RandomPosterize (other values)", infer::image::random_posterize, Light, can_fail, is_random;
    /// `equalize` with probability `p`.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.repeat(np.arange(4, dtype=np.uint8), 256).reshape(32, 32, 1)).repeat(100)
    /// >>> changed = ds.map(lambda x: fl.image.random_equalize(x, seed=1))
    /// >>> sorted({int(x[31, 31, 0]) for x in changed})
    /// [3, 255]
    /// ```
    random_equalize(image: Tensor, p: Float = 0.5, seed: Int)
        "torchvision.transforms.RandomEqualize (other values)", infer::image::random_bytes, Light, can_fail, is_random;
    /// `autocontrast` with probability `p`.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8)).repeat(100)
    /// >>> changed = ds.map(lambda x: fl.image.random_autocontrast(x, seed=1))
    /// >>> sorted({int(x[0, 1, 0]) for x in changed})
    /// [20, 85]
    /// ```
    random_autocontrast(image: Tensor, p: Float = 0.5, seed: Int)
        "torchvision.transforms.RandomAutocontrast (other values)", infer::image::random_bytes, Light, can_fail, is_random;
    /// `adjust_sharpness` with probability `p`.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.array([[0, 0, 0], [0, 130, 0], [0, 0, 0]], np.uint8)[..., None]).repeat(100)
    /// >>> changed = ds.map(lambda x: fl.image.random_adjust_sharpness(x, 0.0, seed=1))
    /// >>> sorted({int(x[1, 1, 0]) for x in changed})
    /// [50, 130]
    /// ```
    random_adjust_sharpness(image: Tensor, sharpness_factor: Float, p: Float = 0.5, seed: Int)
        "torchvision.transforms.RandomAdjustSharpness (other values)", infer::image::random_sharpness, Light, can_fail, is_random;
    /// The image blurred by a Gaussian of `kernel_size` pixels (width and height, or one for both; odd) and the deviation `sigma` (one for
    /// both, or for x and y), mirrored at the edges. An image that is too small to be mirrored is an error of its element.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> dot = np.zeros((3, 3, 1), np.uint8)
    /// >>> dot[1, 1] = 100
    /// >>> ds = fl.Dataset.from_tensors(dot).map(lambda image: fl.image.gaussian_blur(image, 3, 1.0))
    /// >>> print(next(iter(ds))[..., 0])
    /// [[30 25 30]
    ///  [25 20 25]
    ///  [30 25 30]]
    /// ```
    gaussian_blur(image: Tensor, kernel_size: Axis, sigma: Floats)
        "torchvision.transforms.functional.gaussian_blur", infer::image::gaussian_blur, Heavy, can_fail;
    /// `gaussian_blur` with a deviation from `sigma[0]` to `sigma[1]`.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.array([[0, 0, 0], [0, 100, 0], [0, 0, 0]], np.uint8)[..., None]).repeat(100)
    /// >>> blurred = [int(x[1, 1, 0]) for x in ds.map(lambda x: fl.image.random_gaussian_blur(x, 3, (0.5, 1.0), seed=1))]
    /// >>> min(blurred) < 30 and max(blurred) < 70
    /// True
    /// ```
    random_gaussian_blur(image: Tensor, kernel_size: Axis, sigma: Floats, seed: Int)
        "torchvision.transforms.GaussianBlur (other values)", infer::image::random_gaussian_blur, Heavy, can_fail, is_random;
    /// The image turned by `angle` degrees with the clock, scaled, sheared by `shear` degrees (along x, or along x and y), and moved by
    /// `translate` pixels (x and y), about `center` (x and y from the upper left corner; `none`: the middle). `interpolation` is `nearest` or
    /// `bilinear`; `fill` is what lies outside, one number or one for each channel. Pillow's results, for uint8 to the byte.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.arange(6, dtype=np.uint8).reshape(2, 3, 1))
    /// >>> print(next(iter(ds.map(lambda image: fl.image.affine(image, translate=(1, 0), fill=9))))[..., 0])
    /// [[9 0 1]
    ///  [9 3 4]]
    /// ```
    affine(
        image: Tensor, angle: Float = 0.0, translate: Floats, scale: Float = 1.0, shear: Floats, interpolation: Text, fill: Floats,
        center: OptionalFloats = Attribute::None
    ) "torchvision.transforms.functional.affine", infer::image::affine, Light, can_fail;
    /// The image turned by `angle` degrees against the clock, about `center` (x and y from the upper left corner; `none`: the middle). With
    /// `expand` the result is as large as it takes to hold all of it. Otherwise as `affine`.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.arange(6, dtype=np.uint8).reshape(2, 3, 1))
    /// >>> print(next(iter(ds.map(lambda image: fl.image.rotate(image, 90, expand=True))))[..., 0])
    /// [[2 5]
    ///  [1 4]
    ///  [0 3]]
    /// ```
    rotate(image: Tensor, angle: Float, interpolation: Text, expand: Bool = false, center: OptionalFloats = Attribute::None, fill: Floats)
        "torchvision.transforms.functional.rotate", infer::image::rotate, Light, can_fail;
    /// `affine` with an angle within `degrees`, moved by up to the parts `translate` of width and height (`none`: not at all), scaled
    /// within `scale` (`none`: not at all), sheared within `shear` (two numbers for x, or four for x and y; `none`: not at all).
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.ones((8, 8, 3), np.uint8))
    /// >>> next(iter(ds.map(lambda image: fl.image.random_affine(image, 10, (0.1, 0.1), seed=1)))).shape
    /// (8, 8, 3)
    /// ```
    random_affine(
        image: Tensor, degrees: Floats, translate: OptionalFloats = Attribute::None,
        scale: OptionalFloats = Attribute::None, shear: OptionalFloats = Attribute::None, interpolation: Text, fill: Floats,
        center: OptionalFloats = Attribute::None, seed: Int
    ) "torchvision.transforms.RandomAffine (other values)", infer::image::random_affine, Light, can_fail, is_random;
    /// `rotate` with an angle within `degrees`.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.array([[[10], [20]], [[30], [40]]], np.uint8))
    /// >>> ds.map(lambda x: fl.image.random_rotation(x, (90, 90), seed=1)).get_single_element()[..., 0]
    /// array([[20, 40],
    ///        [10, 30]], dtype=uint8)
    /// ```
    random_rotation(
        image: Tensor, degrees: Floats, interpolation: Text, expand: Bool = false, center: OptionalFloats = Attribute::None, fill: Floats, seed: Int
    ) "torchvision.transforms.RandomRotation (other values)", infer::image::random_rotation, Light, can_fail, is_random;
    /// With probability `p` a random part of the image gets `value`: one number, one for each channel, or `none` for noise (a normal
    /// distribution, of floats). Its area is from `scale[0]` to `scale[1]` of the image, its height by width from `ratio[0]` to `ratio[1]`;
    /// after ten tries that do not fit the image stays as it is.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.ones((8, 8, 1), np.uint8))
    /// >>> quarter = {"scale": (0.25, 0.25), "ratio": (1, 1)}
    /// >>> int(next(iter(ds.map(lambda image: fl.image.random_erasing(image, p=1.0, **quarter, seed=1)))).sum())
    /// 48
    /// ```
    random_erasing(image: Tensor, p: Float = 0.5, scale: Floats, ratio: Floats, value: OptionalFloats, seed: Int)
        "torchvision.transforms.RandomErasing (other values)", infer::image::random_erasing, Light, can_fail, is_random;
    /// A part of the image of the size `mask_size` (height and width, or one for both) gets `value`, one number or one for each channel. Its
    /// middle is anywhere in the image, so that a part of it may lie outside.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.ones([8, 8, 1], np.uint8)).repeat(100)
    /// >>> left = [int(x.sum()) for x in ds.map(lambda x: fl.image.random_cutout(x, 4, seed=1))]
    /// >>> min(left)  # of 64 pixels, where all of the mask is in the image
    /// 48
    /// ```
    random_cutout(image: Tensor, mask_size: Axis, value: Floats, seed: Int)
        "tfa.image.random_cutout (other values)", infer::image::random_cutout, Light, can_fail, is_random;
    /// `num_ops` changes of an image of uint8, each drawn from fourteen (shear, move, turn, brightness, colour, contrast, sharpness, posterize,
    /// solarize, autocontrast, equalize, none), at the strength `magnitude` of `num_magnitude_bins`, in either direction. `interpolation` and
    /// `fill` as `affine`. Changes are Pillow's.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.zeros([32, 32, 3], np.uint8))
    /// >>> ds.map(lambda x: fl.image.rand_augment(x, seed=1)).element_spec
    /// TensorSpec(shape=(32, 32, 3), dtype=fl.uint8)
    /// ```
    rand_augment(
        image: Tensor, num_ops: Int = 2, magnitude: Int = 9, num_magnitude_bins: Int = 31, interpolation: Text, fill: Floats, seed: Int
    ) "torchvision.transforms.RandAugment (other values)", infer::image::rand_augment, Heavy, can_fail, is_random;
    /// One change of an image of uint8, drawn as `rand_augment` does it, at a strength that is drawn too, from a wider range.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.zeros([32, 32, 3], np.uint8))
    /// >>> ds.map(lambda x: fl.image.trivial_augment_wide(x, seed=1)).element_spec
    /// TensorSpec(shape=(32, 32, 3), dtype=fl.uint8)
    /// ```
    trivial_augment_wide(image: Tensor, num_magnitude_bins: Int = 31, interpolation: Text, fill: Floats, seed: Int)
        "torchvision.transforms.TrivialAugmentWide (other values)", infer::image::trivial_augment_wide, Heavy, can_fail, is_random;
    /// One of the 25 pairs of changes that `AutoAugment` found on `ImageNet`, of an image of uint8; each of the two is made with its own
    /// probability, at its own strength, in either direction.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensors(np.zeros([32, 32, 3], np.uint8))
    /// >>> ds.map(lambda x: fl.image.auto_augment(x, seed=1)).element_spec
    /// TensorSpec(shape=(32, 32, 3), dtype=fl.uint8)
    /// ```
    auto_augment(image: Tensor, interpolation: Text, fill: Floats, seed: Int)
        "torchvision.transforms.AutoAugment (other values)", infer::image::auto_augment, Heavy, can_fail, is_random;
    /// A batch of images and of labels (one-hot, or already mixed: a row of floats each), each mixed with the one before it: `λ` of its own
    /// and `1 − λ` of the other, `λ` drawn once for the batch from a Beta distribution of `alpha` and `alpha`. Gives both. Channels may stand
    /// anywhere.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> ds = fl.Dataset.from_tensor_slices((np.ones((4, 8, 8, 3), np.float32), np.arange(4))).batch(4)
    /// >>> images, labels = next(iter(ds.map(lambda x, y: fl.image.mixup(x, y, alpha=0.2, num_classes=10, seed=1))))
    /// >>> images.shape, labels.shape, labels.sum(axis=1)
    /// ((4, 8, 8, 3), (4, 10), array([1., 1., 1., 1.], dtype=float32))
    /// ```
    mixup(images: Tensor, labels: Tensor, alpha: Float = 1.0, seed: Int)
        "torchvision.transforms.v2.MixUp (other values)", infer::image::mixup, Light, can_fail, is_random;
    /// A batch of images and of labels (one-hot, or already mixed: a row of floats each), where a box of each image is that of the one before
    /// it, and labels are mixed by its area. The box, drawn once for the batch, has `1 − λ` of the image, `λ` from a Beta
    /// distribution of `alpha` and `alpha`, and its middle anywhere. Gives both. `layout` is `NHWC` or, where channels come first, `NCHW`.
    ///
    /// ```python
    /// >>> import feedline as fl, numpy as np
    /// >>> images = np.array([0, 1], np.float32).reshape(2, 1, 1, 1) * np.ones([2, 8, 8, 1], np.float32)
    /// >>> ds = fl.Dataset.from_tensors((images, np.eye(2, dtype=np.float32)))
    /// >>> mixed, labels = ds.map(lambda x, y: fl.image.cutmix(x, y, seed=1)).get_single_element()
    /// >>> np.allclose(mixed.mean((1, 2, 3)), labels[:, 1])  # labels say how much of which image there is
    /// True
    /// ```
    cutmix(images: Tensor, labels: Tensor, alpha: Float = 1.0, seed: Int, layout: Text)
        "torchvision.transforms.v2.CutMix (other values)", infer::image::cutmix, Light, can_fail, is_random;
}
