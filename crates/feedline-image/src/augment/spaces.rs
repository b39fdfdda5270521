//! What recipes choose from: which changes, and how strong each is at a magnitude.

use super::change::Change;

/// A change without its strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "they are the changes")]
pub enum ChangeKind {
    Identity,
    ShearX,
    ShearY,
    TranslateX,
    TranslateY,
    Rotate,
    Brightness,
    Color,
    Contrast,
    Sharpness,
    Posterize,
    Solarize,
    AutoContrast,
    Equalize,
    Invert,
}

/// How strong changes get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// Of `RandAugment` and `AutoAugment`.
    Usual,
    /// Of `TrivialAugmentWide`.
    Wide,
}

/// The strength that is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// From 0, the weakest, to below `num_bins`.
    pub magnitude: usize,
    /// How many magnitudes there are; at least 2.
    pub num_bins: usize,
    /// The other direction, of changes that have one.
    pub is_negative: bool,
}

impl Wanted {
    /// The number at this magnitude, where `first` is at the weakest and `last` at the strongest.
    fn between(&self, first: f64, last: f64) -> f64 {
        // In single precision, from the nearer end, and rounded once, as torch has it: a hair decides which byte a product is cut to.
        let (first, last) = (first as f32, last as f32);
        let step = (last - first) / (self.num_bins - 1) as f32;
        f64::from(if self.magnitude < self.num_bins / 2 {
            step.mul_add(self.magnitude as f32, first)
        } else {
            (-step).mul_add((self.num_bins - 1 - self.magnitude) as f32, last)
        })
    }
}

impl Space {
    /// What `RandAugment` and `TrivialAugmentWide` choose from.
    pub const KINDS: [ChangeKind; 14] = [
        ChangeKind::Identity,
        ChangeKind::ShearX,
        ChangeKind::ShearY,
        ChangeKind::TranslateX,
        ChangeKind::TranslateY,
        ChangeKind::Rotate,
        ChangeKind::Brightness,
        ChangeKind::Color,
        ChangeKind::Contrast,
        ChangeKind::Sharpness,
        ChangeKind::Posterize,
        ChangeKind::Solarize,
        ChangeKind::AutoContrast,
        ChangeKind::Equalize,
    ];

    /// The change of that kind and strength for an image of that height and width.
    pub fn change(self, kind: ChangeKind, wanted: Wanted, height: usize, width: usize) -> Change {
        // 150 / 331: the original moved images of 331 pixels by up to 150.
        let (shear, turn, enhance, bits, [along_x, along_y]) = match self {
            Space::Usual => (0.3, 30.0, 0.9, 4.0, [width, height].map(|size| 150.0 / 331.0 * size as f64)),
            Space::Wide => (0.99, 135.0, 0.99, 6.0, [32.0; 2]),
        };
        let signed = |most: f64| wanted.between(0.0, most) * if wanted.is_negative { -1.0 } else { 1.0 };
        match kind {
            ChangeKind::Identity => Change::Identity,
            ChangeKind::ShearX => Change::ShearX(signed(shear)),
            ChangeKind::ShearY => Change::ShearY(signed(shear)),
            ChangeKind::TranslateX => Change::TranslateX(signed(along_x)),
            ChangeKind::TranslateY => Change::TranslateY(signed(along_y)),
            ChangeKind::Rotate => Change::Rotate(signed(turn)),
            ChangeKind::Brightness => Change::Brightness(signed(enhance)),
            ChangeKind::Color => Change::Color(signed(enhance)),
            ChangeKind::Contrast => Change::Contrast(signed(enhance)),
            ChangeKind::Sharpness => Change::Sharpness(signed(enhance)),
            ChangeKind::Posterize => {
                Change::Posterize(8 - wanted.between(0.0, bits).round_ties_even() as u32)
            }
            ChangeKind::Solarize => Change::Solarize(wanted.between(255.0, 0.0)),
            ChangeKind::AutoContrast => Change::AutoContrast,
            ChangeKind::Equalize => Change::Equalize,
            ChangeKind::Invert => Change::Invert,
        }
    }
}

/// Two changes, each with how likely it is and its magnitude of ten.
pub type Policy = [(ChangeKind, f64, usize); 2];

/// The policies `AutoAugment` found on `ImageNet`; one is drawn for each image.
pub const AUTO_AUGMENT_IMAGENET: [Policy; 25] = {
    use ChangeKind::{
        AutoContrast, Color, Contrast, Equalize, Invert, Posterize, Rotate, Sharpness, ShearX, Solarize,
    };
    [
        [(Posterize, 0.4, 8), (Rotate, 0.6, 9)],
        [(Solarize, 0.6, 5), (AutoContrast, 0.6, 0)],
        [(Equalize, 0.8, 0), (Equalize, 0.6, 0)],
        [(Posterize, 0.6, 7), (Posterize, 0.6, 6)],
        [(Equalize, 0.4, 0), (Solarize, 0.2, 4)],
        [(Equalize, 0.4, 0), (Rotate, 0.8, 8)],
        [(Solarize, 0.6, 3), (Equalize, 0.6, 0)],
        [(Posterize, 0.8, 5), (Equalize, 1.0, 0)],
        [(Rotate, 0.2, 3), (Solarize, 0.6, 8)],
        [(Equalize, 0.6, 0), (Posterize, 0.4, 6)],
        [(Rotate, 0.8, 8), (Color, 0.4, 0)],
        [(Rotate, 0.4, 9), (Equalize, 0.6, 0)],
        [(Equalize, 0.0, 0), (Equalize, 0.8, 0)],
        [(Invert, 0.6, 0), (Equalize, 1.0, 0)],
        [(Color, 0.6, 4), (Contrast, 1.0, 8)],
        [(Rotate, 0.8, 8), (Color, 1.0, 2)],
        [(Color, 0.8, 8), (Solarize, 0.8, 7)],
        [(Sharpness, 0.4, 7), (Invert, 0.6, 0)],
        [(ShearX, 0.6, 5), (Equalize, 1.0, 0)],
        [(Color, 0.4, 0), (Equalize, 0.6, 0)],
        [(Equalize, 0.4, 0), (Solarize, 0.2, 4)],
        [(Solarize, 0.6, 5), (AutoContrast, 0.6, 0)],
        [(Invert, 0.6, 0), (Equalize, 1.0, 0)],
        [(Color, 0.6, 4), (Contrast, 1.0, 8)],
        [(Equalize, 0.8, 0), (Equalize, 0.6, 0)],
    ]
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn magnitudes_are_those_of_torch() {
        // `torch.linspace(0, most, num_bins)[magnitude].item()` of torch 2.15.0.
        for (most, num_bins, magnitude, expected) in TORCH {
            let wanted = Wanted { magnitude, num_bins, is_negative: false };
            assert_eq!(
                wanted.between(0.0, most).to_bits(),
                f64::to_bits(expected),
                "{most}, {magnitude} of {num_bins}"
            );
        }
    }

    const TORCH: [(f64, usize, usize, f64); 6] = [
        (0.9, 31, 9, 0.269_999_980_926_513_67),
        (0.9, 31, 20, 0.599_999_964_237_213_1),
        (0.99, 31, 19, 0.627_000_033_855_438_2),
        (0.99, 31, 25, 0.824_999_988_079_071),
        (30.0, 40, 25, 19.230_768_203_735_35),
        (135.0, 40, 22, 76.153_846_740_722_66),
    ];
}
