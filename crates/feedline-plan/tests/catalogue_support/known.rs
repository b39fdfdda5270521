//! Calls of the operations whose arguments are too particular to be found by trying.

use feedline_data::DType::{Float32, Int32, Int64, String};
use feedline_data::block::{Strings, Tensor};
use feedline_data::{DType, Shape, TensorSpec};
use feedline_plan::expr::{Attribute, Feature, Features};

use super::Given;

/// The tensors and the other arguments of the operation called `name`.
#[allow(clippy::too_many_lines, reason = "a list of equals: one arm an operation")]
pub(super) fn known(name: &str) -> Option<(Vec<Given>, Vec<Attribute>)> {
    let tensor = |dtype: DType, shape: &[usize]| Given::Input(TensorSpec::new(dtype, Shape::fixed(shape)));
    let image = || tensor(Float32, &[4, 4, 3]);
    let number = || tensor(Int64, &[]);
    let text = |word: &str| Attribute::from(word);
    let replaced = || Attribute::Int(65533);
    let range = |low: f64, high: f64| Attribute::Floats(vec![low, high]);
    let features = || {
        let feature = Feature::fixed_len(&[], Int64).with_default(vec![7_i64]);
        Attribute::Features(Features::from([("number", feature)]))
    };
    let keys = ["a", "b", "12"].iter().collect::<Strings>();
    Some(match name {
        "pad" => (
            vec![tensor(Float32, &[3]), tensor(Int64, &[1, 2]), tensor(Float32, &[])],
            vec![text("CONSTANT")],
        ),
        "image.decode_and_crop_jpeg" => {
            let attributes = vec![Attribute::Int(3), Attribute::Int(1), text("")];
            (vec![tensor(String, &[]), tensor(Int32, &[4])], attributes)
        }
        "image.crop_to_bounding_box" => {
            let size = || Given::Constant(Tensor::scalar(2_i64));
            (vec![image(), number(), number(), size(), size()], vec![])
        }
        "image.pad_to_bounding_box" => (vec![image()], [1, 1, 6, 6].map(Attribute::Int).into()),
        "image.crop_and_resize" => {
            let tensors = vec![tensor(Float32, &[1, 4, 4, 3]), tensor(Float32, &[2, 4]), tensor(Int32, &[2])];
            (tensors, vec![Attribute::Ints(vec![2, 2]), text("bilinear"), Attribute::Float(0.0)])
        }
        "image.sample_distorted_bounding_box" => {
            let (covered, attempts) = (Attribute::Float(0.1), Attribute::Int(100));
            let shares = [range(0.75, 1.33), range(0.05, 1.0)];
            let [ratios, areas] = shares;
            let others = vec![Attribute::Int(1), covered, ratios, areas, attempts, Attribute::Bool(true)];
            (vec![tensor(Int32, &[3]), tensor(Float32, &[1, 2, 4])], others)
        }
        "image.random_resized_crop" => {
            let (size, antialias) = (Attribute::Ints(vec![2, 2]), Attribute::Bool(false));
            let others = vec![
                size,
                range(0.1, 1.0),
                range(0.75, 1.33),
                text("bilinear"),
                antialias.clone(),
                antialias,
                Attribute::Int(1),
            ];
            (vec![image()], others)
        }
        "image.mixup" | "image.cutmix" => {
            let batch = vec![tensor(Float32, &[2, 4, 4, 3]), tensor(Float32, &[2, 5])];
            let layout = (name == "image.cutmix").then(|| text("NHWC"));
            (batch, [Attribute::Float(1.0), Attribute::Int(1)].into_iter().chain(layout).collect())
        }
        "image.encode_jpeg" => {
            let (no, dots) = (Attribute::Bool(false), Attribute::Int(300));
            let others = vec![
                text(""),
                Attribute::Int(90),
                no.clone(),
                no.clone(),
                no,
                text("in"),
                dots.clone(),
                dots,
                text(""),
            ];
            (vec![tensor(DType::UInt8, &[4, 4, 3])], others)
        }
        "strings.substr" => (vec![tensor(String, &[3]), number(), number()], vec![text("BYTE")]),
        "strings.unicode_decode" => (
            vec![tensor(String, &[3])],
            vec![text("UTF-8"), text("replace"), replaced(), Attribute::Bool(false)],
        ),
        "strings.unicode_split" => {
            (vec![tensor(String, &[3])], vec![text("UTF-8"), text("replace"), replaced()])
        }
        "strings.unicode_encode" => {
            (vec![tensor(Int32, &[3, 2])], vec![text("UTF-8"), text("replace"), replaced()])
        }
        "strings.unicode_transcode" => {
            let others =
                vec![text("UTF-8"), text("UTF-8"), text("replace"), replaced(), Attribute::Bool(false)];
            (vec![tensor(String, &[3])], others)
        }
        "parse_single_sequence_example" | "parse_sequence_example" => {
            let lists = Features::from([("list", Feature::fixed_len_sequence(&[], Int64))]);
            let shape: &[usize] = if name == "parse_sequence_example" { &[3] } else { &[] };
            (vec![tensor(String, shape)], vec![features(), Attribute::Features(lists)])
        }
        "sparse.to_dense" => {
            let tensors = vec![
                tensor(Int64, &[2, 1]),
                tensor(Float32, &[2]),
                tensor(Int64, &[1]),
                tensor(Float32, &[]),
            ];
            (tensors, vec![Attribute::Bool(true)])
        }
        "lookup.find" => {
            let table = Tensor::from_vec(vec![3], vec![5_i64, 6, 7]);
            let table = [Tensor::from_strings(vec![3], keys), table].map(Given::Constant);
            let [keys, values] = table;
            (vec![tensor(String, &[3]), keys, values, Given::Constant(Tensor::scalar(-1_i64))], vec![])
        }
        _ => return None,
    })
}
