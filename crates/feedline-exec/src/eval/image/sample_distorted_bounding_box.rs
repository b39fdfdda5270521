//! Parts of images that are drawn, with so much of their objects.

use feedline_data::DType;
use feedline_data::block::Column;
use feedline_plan::expr::Call;

use super::super::rows::RowsOf;
use super::super::{Arguments, Value};
use super::Failure;
use super::decode::integers;
use super::random::{below, uniform, words};

pub(in super::super) fn sample_distorted_bounding_box(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let (call, ids) = (arguments.call, arguments.ids);
    let [sizes, boxes] = [0, 1].map(|index| RowsOf::new(arguments.inputs[index]));
    let mut drawn = Vec::with_capacity(arguments.rows);
    for row in 0..arguments.rows {
        let objects = boxes.column().as_slice::<f32>()[boxes.range(row)].as_chunks::<4>().0;
        let result = image_size(&integers(&sizes, row))
            .and_then(|size| Ok((size, draw(call, ids.get(row), size, &objects_in(size, objects, call)?))));
        match result {
            Ok(result) => drawn.push(result),
            Err(failure) => {
                failure.tell(arguments, row);
                drawn.push(([1; 2], Part { y: 0, x: 0, height: 1, width: 1 }));
            }
        }
    }
    let rows = arguments.rows;
    let triples = |numbers: Vec<[i64; 3]>| match sizes.column().dtype() {
        DType::Int32 => {
            Column::from_vec(vec![3], rows, numbers.iter().flatten().map(|&n| n as i32).collect())
        }
        _ => Column::from_vec(vec![3], rows, numbers.concat()),
    };
    let begins = triples(drawn.iter().map(|(_, part)| [part.y as i64, part.x as i64, 0]).collect());
    let lengths =
        triples(drawn.iter().map(|(_, part)| [part.height as i64, part.width as i64, -1]).collect());
    let corners = drawn.iter().flat_map(|&([height, width], part)| {
        let part_of = |place: usize, size: usize| place as f32 / size as f32;
        let (bottom, right) = (part.y + part.height, part.x + part.width);
        [part_of(part.y, height), part_of(part.x, width), part_of(bottom, height), part_of(right, width)]
    });
    let found = Column::from_vec(vec![1, 1, 4], rows, corners.collect());
    vec![Value::Rows(begins), Value::Rows(lengths), Value::Rows(found)]
}

/// A part of an image, in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Part {
    y: usize,
    x: usize,
    height: usize,
    width: usize,
}

impl Part {
    fn area(&self) -> f64 {
        self.height as f64 * self.width as f64
    }

    /// How many pixels both have.
    fn shared(&self, other: &Part) -> f64 {
        let shared = |start: usize, len: usize, other: usize, other_len: usize| {
            (start + len).min(other + other_len).saturating_sub(start.max(other)) as f64
        };
        shared(self.y, self.height, other.y, other.height) * shared(self.x, self.width, other.x, other.width)
    }
}

fn image_size(numbers: &[i64]) -> Result<[usize; 2], Failure> {
    let side = |size: i64| usize::try_from(size).ok().filter(|size| (1..1 << 31).contains(size));
    match *numbers {
        [height, width, _] if side(height).is_some() && side(width).is_some() => {
            Ok([height as usize, width as usize])
        }
        _ => Err(format!("image_size is {numbers:?}, expected height, width and channels").into()),
    }
}

/// The objects of an image, in pixels.
fn objects_in([height, width]: [usize; 2], objects: &[[f32; 4]], call: &Call) -> Result<Vec<Part>, Failure> {
    if objects.is_empty() {
        if call.flag("use_image_if_no_bounding_boxes") {
            return Ok(vec![Part { y: 0, x: 0, height, width }]);
        }
        return Err(Failure::Data {
            message: "the image has no bounding boxes".to_owned(),
            hint: Some("use_image_if_no_bounding_boxes takes the whole image then".to_owned()),
        });
    }
    let part = |object: &[f32; 4]| {
        let &[y1, x1, y2, x2] = object;
        let is_within = |from: f32, to: f32| 0.0 <= from && from <= to && to <= 1.0;
        if !is_within(y1, y2) || !is_within(x1, x2) {
            let message = format!("bounding box {object:?} is not y1, x1, y2, x2 from 0 to 1");
            return Err(message.into());
        }
        let place = |part: f32, size: usize| (part * size as f32) as usize;
        let (y, x) = (place(y1, height), place(x1, width));
        Ok(Part { y, x, height: place(y2, height) - y, width: place(x2, width) - x })
    };
    objects.iter().map(part).collect()
}

/// The first part drawn that covers enough of an object; the whole image if none does.
fn draw(call: &Call, id: u64, [height, width]: [usize; 2], objects: &[Part]) -> Part {
    let (areas, aspects) = (call.floats("area_range"), call.floats("aspect_ratio_range"));
    let covered = call.float("min_object_covered") as f32;
    // An object of no pixels cannot be covered, as in TensorFlow.
    let objects: Vec<&Part> = objects.iter().filter(|object| object.area() >= 1.0).collect();
    let image = height as f64 * width as f64;
    for attempt in 0..call.int("max_attempts") as u32 {
        let drawn = words(call, id, attempt);
        let aspect = uniform(drawn[0], aspects[0], aspects[1]);
        let Some((rows, columns)) =
            size_within(image * areas[0], image * areas[1], aspect, [height, width], drawn[1])
        else {
            continue;
        };
        let part = Part {
            y: below(drawn[2], height - rows + 1),
            x: below(drawn[3], width - columns + 1),
            height: rows,
            width: columns,
        };
        let covers = |object: &&Part| (part.shared(object) / object.area()) as f32 >= covered;
        if objects.iter().any(covers) {
            return part;
        }
    }
    Part { y: 0, x: 0, height, width }
}

/// Height and width of an area within limits and of an aspect, within an image; all heights that do are as likely.
fn size_within(
    least: f64,
    most: f64,
    aspect: f64,
    [height, width]: [usize; 2],
    word: u32,
) -> Option<(usize, usize)> {
    let columns_of = |rows: usize| (rows as f64 * aspect).round() as usize;
    let fits = |rows: usize| {
        let columns = columns_of(rows);
        let area = rows as f64 * columns as f64;
        (1..=height).contains(&rows) && (1..=width).contains(&columns) && least <= area && area <= most
    };
    // The rows that fit lie side by side. These limits are right but for the rounding of columns.
    let mut low = ((least / aspect).sqrt().floor() as usize).saturating_sub(1).max(1);
    let high = ((most / aspect).sqrt() + 1.0).min((width as f64 + 0.5) / aspect).min(height as f64);
    let mut high = high.floor() as usize;
    while low < high && !fits(low) {
        low += 1;
    }
    while low < high && !fits(high) {
        high -= 1;
    }
    (low <= high && fits(low)).then(|| {
        let rows = low + below(word, high - low + 1);
        (rows, columns_of(rows))
    })
}
