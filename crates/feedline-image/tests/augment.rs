//! What recipes choose from, against torchvision's own answers for images of Pillow's: see `augment/make.py`.

use feedline_image::augment::{AUTO_AUGMENT_IMAGENET, Canvas, ChangeKind, Interpolation, Space, Wanted};

const HEIGHT: usize = 9;
const WIDTH: usize = 10;

fn image() -> Vec<u8> {
    (0..HEIGHT * WIDTH * 3).map(|index| (20 + index * 7 % 101 + index % 3 * 40) as u8).collect()
}

const KINDS: [ChangeKind; 15] = {
    let mut kinds = [ChangeKind::Invert; 15];
    let mut index = 0;
    while index < Space::KINDS.len() {
        kinds[index] = Space::KINDS[index];
        index += 1;
    }
    kinds
};

fn kind_of(name: &str) -> ChangeKind {
    let found = KINDS.iter().find(|kind| format!("{kind:?}") == name);
    *found.unwrap_or_else(|| panic!("no change is called {name}"))
}

fn made(words: &[&str]) -> Vec<u8> {
    let [space, kind, magnitude, num_bins, sign, interpolation] = words else { panic!("{words:?}") };
    let space = if *space == "wide" { Space::Wide } else { Space::Usual };
    let wanted = Wanted {
        magnitude: magnitude.parse().expect("a number"),
        num_bins: num_bins.parse().expect("a number"),
        is_negative: *sign == "-",
    };
    let interpolation =
        if *interpolation == "bilinear" { Interpolation::Bilinear } else { Interpolation::Nearest };
    let mut canvas = Canvas {
        pixels: image(),
        height: HEIGHT,
        width: WIDTH,
        channels: 3,
        interpolation,
        fill: &[40, 90, 250],
        spare: Vec::new(),
    };
    canvas.apply(space.change(kind_of(kind), wanted, HEIGHT, WIDTH));
    canvas.pixels
}

#[test]
fn every_change_is_torchvisions() {
    let mut wrong = Vec::new();
    let lines: Vec<&str> = include_str!("augment/changes.txt").lines().collect();
    for line in &lines {
        let (case, hex) = line.rsplit_once(' ').expect("pixels at the end");
        let expected: Vec<u8> = (0..hex.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).expect("hex"))
            .collect();
        if made(&case.split(' ').collect::<Vec<_>>()) != expected {
            wrong.push(case);
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), lines.len(), wrong.join("\n"));
}

#[test]
fn policies_are_those_of_the_paper() {
    let shown = AUTO_AUGMENT_IMAGENET.map(|policy| {
        policy.map(|(kind, probability, magnitude)| format!("{kind:?} {probability:?} {magnitude}")).join(" ")
    });
    assert_eq!(shown.join("\n"), include_str!("augment/policies.txt").trim_end());
}

#[test]
fn images_without_pixels_stay() {
    for kind in KINDS {
        let mut canvas = Canvas {
            pixels: Vec::new(),
            height: 0,
            width: 5,
            channels: 3,
            interpolation: Interpolation::Nearest,
            fill: &[0],
            spare: Vec::new(),
        };
        let wanted = Wanted { magnitude: 3, num_bins: 10, is_negative: false };
        canvas.apply(Space::Usual.change(kind, wanted, 0, 5));
        assert!(canvas.pixels.is_empty());
    }
}
