//! Images at another size.

use feedline_data::DType;
use feedline_data::block::Column;
use feedline_image::{Filter, Raster, Resampler, Sample, Target};
use feedline_plan::expr::Call;
use feedline_plan::expr::image::{ResizeMethod, ResizeSize};

use super::super::Arguments;
use super::super::cast::as_float32;
use super::super::elementwise::dispatch;
use super::super::rows::RowsOf;
use super::given::Bounds;
use super::{Dims, Failure, each_row};

/// A part of an image, and the size it gets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scaling {
    pub(super) y: usize,
    pub(super) x: usize,
    pub(super) height: usize,
    pub(super) width: usize,
    pub(super) to_height: usize,
    pub(super) to_width: usize,
}

impl Scaling {
    pub(super) fn whole(image: &Dims, (to_height, to_width): (usize, usize)) -> Scaling {
        Scaling { y: 0, x: 0, height: image.height, width: image.width, to_height, to_width }
    }
}

/// How TensorFlow's `resize` makes pixels, by the arguments of a call.
pub(in super::super) fn filter_of(call: &Call) -> Filter {
    let antialias = call.flag("antialias");
    match ResizeMethod::of_call(call).expect("the plan checked the method") {
        ResizeMethod::Nearest => Filter::Nearest,
        ResizeMethod::Bilinear if antialias => Filter::Triangle { antialias },
        ResizeMethod::Bilinear => Filter::Bilinear,
        ResizeMethod::Bicubic if antialias => Filter::Cubic { antialias },
        ResizeMethod::Bicubic => Filter::Bicubic,
        ResizeMethod::Area => Filter::Area,
        ResizeMethod::Lanczos3 => Filter::Lanczos { radius: 3, antialias },
        ResizeMethod::Lanczos5 => Filter::Lanczos { radius: 5, antialias },
        ResizeMethod::Gaussian => Filter::Gaussian { antialias },
        ResizeMethod::MitchellCubic => Filter::Mitchell { antialias },
    }
}

/// The argument `size` of a call, where it is a value of the plan.
pub(in super::super) fn size_of(call: &Call) -> ResizeSize {
    ResizeSize::of_call(call, &call.ints("size").unwrap_or_default()).expect("the plan checked the size")
}

/// The images of each row, at the size `scaling` says.
pub(super) fn scaled(
    arguments: &mut Arguments<'_>,
    scaling: impl Fn(usize, &Dims) -> Result<Scaling, Failure>,
) -> Column {
    let filter = filter_of(arguments.call);
    let source = RowsOf::new(arguments.inputs[0]);
    match (filter, source.column().dtype()) {
        (Filter::Nearest, dtype) => dispatch!(widths dtype, Word => {
            let values = source.column().buffer().expect("numbers lie in a buffer").as_slice::<Word>();
            picked(arguments, &source, values, scaling).with_dtype(dtype)
        }),
        (_, DType::UInt8) => resampled(arguments, filter, &source, source.column().as_slice::<u8>(), scaling),
        (_, DType::Float32) => {
            resampled(arguments, filter, &source, source.column().as_slice::<f32>(), scaling)
        }
        _ => {
            let floats = as_float32(source.column());
            resampled(arguments, filter, &source, floats.as_slice::<f32>(), scaling)
        }
    }
}

/// The shape of row `row`, its images, and what becomes of them.
fn planned(
    source: &RowsOf<'_>,
    row: usize,
    scaling: &impl Fn(usize, &Dims) -> Result<Scaling, Failure>,
) -> Result<(Vec<usize>, Dims, Scaling), Failure> {
    let image = Dims::of(source.shape(row))?;
    if image.height == 0 || image.width == 0 {
        return Err(format!("an image of {} x {} has no pixels to scale", image.height, image.width).into());
    }
    let scaling = scaling(row, &image)?;
    let mut shape = source.shape(row).to_vec();
    let rank = shape.len();
    (shape[rank - 3], shape[rank - 2]) = (scaling.to_height, scaling.to_width);
    Ok((shape, image, scaling))
}

fn resampled<S: Sample>(
    arguments: &mut Arguments<'_>,
    filter: Filter,
    source: &RowsOf<'_>,
    samples: &[S],
    scaling: impl Fn(usize, &Dims) -> Result<Scaling, Failure>,
) -> Column {
    let mut resampler = arguments.scratch.take(Resampler::default);
    let bounds = Bounds::of(arguments);
    let column = each_row(arguments, |row, values| {
        let (shape, image, scaling) = planned(source, row, &scaling)?;
        bounds.check(&shape, std::mem::size_of::<f32>())?;
        values.reserve(shape.iter().product());
        let target = Target::new(scaling.to_height, scaling.to_width, filter);
        let stride = image.width * image.channels;
        for one in samples[source.range(row)].chunks_exact(image.len().max(1)) {
            let raster = Raster {
                samples: &one[scaling.y * stride + scaling.x * image.channels..],
                height: scaling.height,
                width: scaling.width,
                channels: image.channels,
                stride,
            };
            resampler.run(&raster, &target, |row| values.extend_from_slice(row));
        }
        Ok(shape)
    });
    arguments.scratch.put(resampler);
    column
}

fn picked<W: feedline_data::Native>(
    arguments: &mut Arguments<'_>,
    source: &RowsOf<'_>,
    words: &[W],
    scaling: impl Fn(usize, &Dims) -> Result<Scaling, Failure>,
) -> Column {
    let bounds = Bounds::of(arguments);
    each_row(arguments, |row, values| {
        let (shape, image, scaling) = planned(source, row, &scaling)?;
        bounds.check(&shape, std::mem::size_of::<W>())?;
        // As `Filter::Nearest` has it.
        let place = |index: usize, from: usize, to: usize| {
            (((index as f32 + 0.5) * (from as f32 / to as f32)).floor() as usize).min(from - 1)
        };
        let columns: Vec<usize> = (0..scaling.to_width)
            .map(|column| scaling.x + place(column, scaling.width, scaling.to_width))
            .collect();
        for one in words[source.range(row)].chunks_exact(image.len().max(1)) {
            for row in 0..scaling.to_height {
                let row = scaling.y + place(row, scaling.height, scaling.to_height);
                let line = &one[row * image.width * image.channels..][..image.width * image.channels];
                for column in &columns {
                    values.extend_from_slice(&line[column * image.channels..][..image.channels]);
                }
            }
        }
        Ok(shape)
    })
}
