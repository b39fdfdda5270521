//! Recipes: for each image changes are drawn, and only those are made.

use feedline_image::augment::{AUTO_AUGMENT_IMAGENET, Canvas, Change, Space, Wanted};
use feedline_plan::expr::Call;

use super::super::{Arguments, Value};
use super::each::{each_of_bytes, levels_of};
use super::random::{below, unit, words_of};
use super::warp::interpolation_of;
use super::{Dims, Failure};

/// The changes of an image, in their order; four words at a time are drawn with the last argument.
type Choice = fn(&Call, &Dims, &dyn Fn(u32) -> [u32; 4]) -> Vec<Change>;

pub(in super::super) fn rand_augment(arguments: &mut Arguments<'_>) -> Vec<Value> {
    augmented(arguments, |call, image, draw| {
        let number = |name| call.int(name) as usize;
        (0..number("num_ops"))
            .map(|index| {
                let words = draw(index as u32);
                let wanted = Wanted {
                    magnitude: number("magnitude"),
                    num_bins: number("num_magnitude_bins"),
                    is_negative: is_negative(words[1]),
                };
                let kind = Space::KINDS[below(words[0], Space::KINDS.len())];
                Space::Usual.change(kind, wanted, image.height, image.width)
            })
            .collect()
    })
}

pub(in super::super) fn trivial_augment_wide(arguments: &mut Arguments<'_>) -> Vec<Value> {
    augmented(arguments, |call, image, draw| {
        let words = draw(0);
        let num_bins = call.int("num_magnitude_bins") as usize;
        let wanted =
            Wanted { magnitude: below(words[2], num_bins), num_bins, is_negative: is_negative(words[1]) };
        let kind = Space::KINDS[below(words[0], Space::KINDS.len())];
        vec![Space::Wide.change(kind, wanted, image.height, image.width)]
    })
}

pub(in super::super) fn auto_augment(arguments: &mut Arguments<'_>) -> Vec<Value> {
    augmented(arguments, |_, image, draw| {
        let policy = &AUTO_AUGMENT_IMAGENET[below(draw(0)[0], AUTO_AUGMENT_IMAGENET.len())];
        let chosen = policy.iter().enumerate().filter_map(|(index, &(kind, probability, magnitude))| {
            let words = draw(1 + index as u32);
            let wanted = Wanted { magnitude, num_bins: 10, is_negative: is_negative(words[1]) };
            (unit(words[0]) < probability)
                .then(|| Space::Usual.change(kind, wanted, image.height, image.width))
        });
        chosen.collect()
    })
}

fn is_negative(word: u32) -> bool {
    word >> 31 == 1
}

fn augmented(arguments: &mut Arguments<'_>, choice: Choice) -> Vec<Value> {
    let (call, ids) = (arguments.call, arguments.ids);
    let interpolation = interpolation_of(call);
    let (mut pixels, mut spare) = (Vec::new(), Vec::new());
    let column = each_of_bytes(arguments, |row, index, image, bytes| {
        if !matches!(image.channels, 1 | 3) {
            return Err(format!("takes 1 or 3 channels, not {}", image.channels).into());
        }
        let fill = levels_of::<u8>(call, "fill", image.channels)?;
        let changes = choice(call, image, &|draw| words_of(call, ids.get(row), index, draw));
        let mut canvas = Canvas {
            pixels: std::mem::take(&mut pixels),
            height: image.height,
            width: image.width,
            channels: image.channels,
            interpolation,
            fill: &fill,
            spare: std::mem::take(&mut spare),
        };
        canvas.pixels.clear();
        canvas.pixels.extend_from_slice(bytes);
        changes.into_iter().for_each(|change| canvas.apply(change));
        bytes.copy_from_slice(&canvas.pixels);
        (pixels, spare) = (canvas.pixels, canvas.spare);
        Ok::<(), Failure>(())
    });
    vec![Value::Rows(column)]
}
