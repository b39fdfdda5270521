//! Gaussian blur, of a given or a drawn deviation.

use feedline_data::Native;
use feedline_data::block::Ids;
use feedline_image::Raster;
use feedline_image::augment::{GaussianBlur, Level};
use feedline_plan::expr::Call;

use super::super::rows::once_for_constants;
use super::super::{Arguments, Value};
use super::Failure;
use super::each::{EachImage, each_image};
use super::random::{uniform, words_of};

/// Width and height of the kernel of a call.
fn kernel_size(call: &Call) -> [usize; 2] {
    match call.ints("kernel_size").unwrap_or_default()[..] {
        [width, height] => [width as usize, height as usize],
        [both] => [both as usize; 2],
        _ => unreachable!("the plan checked the size"),
    }
}

pub(in super::super) fn gaussian_blur(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let sigma = arguments.call.floats("sigma");
    let blur = GaussianBlur::new(kernel_size(arguments.call), [sigma[0], *sigma.last().expect("one or two")]);
    once_for_constants(arguments, |arguments| vec![each_image(arguments, &Given(blur))])
}

pub(in super::super) fn random_gaussian_blur(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let (call, ids) = (arguments.call, arguments.ids);
    vec![Value::Rows(each_image(arguments, &Drawn { call, ids }))]
}

struct Given(GaussianBlur);

impl EachImage for Given {
    fn run<S: Level + Native>(
        &self,
        _: usize,
        _: usize,
        image: &Raster<'_, S>,
        out: &mut Vec<S>,
    ) -> Result<(usize, usize), Failure> {
        blurred(&self.0, image, out)
    }
}

struct Drawn<'a> {
    call: &'a Call,
    ids: &'a Ids,
}

impl EachImage for Drawn<'_> {
    fn run<S: Level + Native>(
        &self,
        row: usize,
        index: usize,
        image: &Raster<'_, S>,
        out: &mut Vec<S>,
    ) -> Result<(usize, usize), Failure> {
        let limits = self.call.floats("sigma");
        let sigma = uniform(words_of(self.call, self.ids.get(row), index, 0)[0], limits[0], limits[1]);
        blurred(&GaussianBlur::new(kernel_size(self.call), [sigma; 2]), image, out)
    }
}

fn blurred<S: Level>(
    blur: &GaussianBlur,
    image: &Raster<'_, S>,
    out: &mut Vec<S>,
) -> Result<(usize, usize), Failure> {
    let [width, height] = blur.least_size();
    if image.height < height || image.width < width {
        let message = format!(
            "the image is {} x {}, its edges can be mirrored from {height} x {width} on",
            image.height, image.width
        );
        return Err(Failure::Data { message, hint: Some("a smaller kernel_size needs less".to_owned()) });
    }
    blur.run(image, out);
    Ok((image.height, image.width))
}
