//! `feedline preview`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use feedline::formats::example::nearest;
use feedline::io::shown;
use feedline::preview::{Augmentation, PreviewOptions, Previewed, preview};
use serde_json::json;

use super::common::count;
use crate::ui::Ui;

/// Show what augmentations make of images, as one picture
///
/// Writes a contact sheet: a row for each image, first as it is, then several draws of the augmentations, in the order given. They are the
/// operations of the library, drawn by its rules: what is seen is what training gets.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Record files or patterns such as 'train-*.tfrecord' (`feedline help` explains patterns), or a folder of images, or images: 'photos/*.jpg'
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<OsString>,

    /// The PNG to write
    #[arg(long, short, value_name = "FILE", default_value = "preview.png")]
    out: PathBuf,

    /// The feature of the records that holds an image; needed where several do
    #[arg(long, value_name = "FEATURE")]
    image: Option<String>,

    /// What is done to each image, in this order: crop, flip, color, randaugment, trivialaugment, autoaugment, rotate, blur, erase
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', default_value = "crop,flip", value_parser = parse_augmentation)]
    augment: Vec<Augmentation>,

    /// Images to show
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u16).range(1..=200))]
    images: u16,

    /// Draws of each
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u16).range(1..=63))]
    draws: u16,

    /// Side of a picture, in pixels
    #[arg(long, value_name = "PIXELS", default_value_t = 160, value_parser = clap::value_parser!(u32).range(8..=1024))]
    size: u32,

    /// Other draws for another number
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    seed: i64,
}

const EXAMPLES: &str = "\
Examples:
  feedline preview photos/ --augment crop,flip,color -o sheet.png
  feedline preview 'train-*.tfrecord' --augment crop,flip,randaugment,erase
  feedline preview photos/ --augment trivialaugment --images 3 --draws 12 --seed 7";

pub(crate) fn run(arguments: &Arguments, ui: &Ui) -> feedline::Result<ExitCode> {
    let options = PreviewOptions {
        inputs: arguments.inputs.clone(),
        image: arguments.image.clone(),
        augmentations: arguments.augment.clone(),
        num_images: usize::from(arguments.images),
        num_draws: usize::from(arguments.draws),
        side: arguments.size,
        seed: arguments.seed,
        out: arguments.out.clone(),
    };
    let Previewed { num_images, left_out } = preview(&options)?;
    if ui.json {
        ui.result(json!({
            "images": num_images,
            "draws": arguments.draws,
            "file": arguments.out.to_string_lossy(),
            "left_out": left_out,
        }));
    } else {
        let images = count(num_images as u64, "image");
        ui.note(format_args!(
            "{images}, {} each: {}",
            count(u64::from(arguments.draws), "draw"),
            shown(&arguments.out)
        ));
    }
    if !left_out.is_empty() {
        ui.problem(format_args!("{} left out, not to be decoded:", count(left_out.len() as u64, "image")));
        left_out.iter().for_each(|why| ui.problem(why));
    }
    Ok(ExitCode::SUCCESS)
}

fn parse_augmentation(text: &str) -> Result<Augmentation, String> {
    let names = Augmentation::ALL.map(|(name, _)| name);
    let found = Augmentation::ALL.iter().find(|(name, _)| *name == text);
    found.map(|&(_, augmentation)| augmentation).ok_or_else(|| {
        let near = nearest(text, names).map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        format!("there is {}{near}", names.join(", "))
    })
}
