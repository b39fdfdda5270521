//! Steps that join datasets or take elements apart: `zip`, `concatenate`, `unbatch`.

use feedline::data::block::Tensor;
use feedline::data::{DType, ElementSpec, Shape, Structure, TensorSpec};
use feedline::{Dataset, Symbolic};

use crate::engine_support::{check, floats, numbers};
use crate::{Case, gives, refused, run};

pub(crate) const CASES: &[Case] = &[
    ("zip_unequal", || {
        let parts = [numbers(&[1, 2, 3, 4]), numbers(&[1, 2, 3, 4, 5]), floats(&[1.0, 2.0])];
        let zipped = Dataset::zip(&Structure::Tuple(parts.map(Structure::Leaf).to_vec()));
        gives(&zipped, ["(1, 1, 1.0)", "(2, 2, 2.0)"]);
    }),
    ("zip_namedtuple", || {
        // Rust has no named tuples; a dict is what has names.
        let parts = [("x", Dataset::range(3).into()), ("y", Dataset::range_step(3, 6, 1).into())];
        let zipped = Dataset::zip(&Structure::dict(parts));
        gives(&zipped, ["{'x': 0, 'y': 3}", "{'x': 1, 'y': 4}", "{'x': 2, 'y': 5}"]);
    }),
    ("shard_zip", || {
        let parts = vec![Dataset::range(10).into(), Dataset::range_step(10, 0, -1).into()];
        gives(&Dataset::zip(&Structure::Tuple(parts)).shard(5, 2), ["(2, 8)", "(7, 3)"]);
    }),
    ("concat_shape_relax", concat_shape_relax),
    ("concat_type_mismatch", concat_type_mismatch),
    ("unbatch_mismatch", unbatch_mismatch),
];

#[test]
fn joins() {
    run(CASES);
}

fn concat_shape_relax() {
    let rows = |count: usize, widths: [usize; 2]| {
        let tensors = widths.map(|width| {
            let values = (0..count as i64).flat_map(|row| vec![row; width]).collect();
            Structure::Leaf(Tensor::from_vec(vec![count, width], values))
        });
        Dataset::from_tensor_slices(Structure::Tuple(tensors.to_vec()))
    };
    let both = rows(4, [20, 4]).concatenate(&rows(5, [20, 15]));
    assert_eq!(both.element_spec().unwrap().to_string(), "(int64[20], int64[?])");
    let expected = [(4, 4), (5, 15)].into_iter().flat_map(|(count, width)| {
        (0..count).map(move |row| format!("({:?}, {:?})", [row; 20], vec![row; width]))
    });
    gives(&both, expected);
    assert_eq!(both.cardinality().unwrap(), 9);
}

fn concat_type_mismatch() {
    let named = |name: &'static str| Dataset::range(3).map(move |x| Symbolic::dict([(name, x)]));
    let tuple = |length: usize| Dataset::range(3).map(move |x| Symbolic::tuple(vec![x; length]));
    refused(&Dataset::range(3).concatenate(&floats(&[1.0])), "is int64 here and float32 there");
    refused(&named("a").concatenate(&named("b")), "concatenate: ");
    refused(&tuple(2).concatenate(&tuple(3)), "concatenate: ");
}

fn unbatch_mismatch() {
    let tensors =
        [7, 8, 9].map(|length| Structure::Leaf(Tensor::from_vec(vec![length], vec![0_i64; length])));
    let known = Dataset::from_tensors(Structure::Tuple(tensors.to_vec()));
    refused(&known.unbatch(), "the tensor[0] has 7 slices, the tensor[1] 8");
    // Lengths that are only known at run time: an error in the element's place.
    let spec = ElementSpec::Leaf(TensorSpec::new(DType::Int64, Shape::new(vec![None])));
    let pair = ElementSpec::Tuple(vec![spec.clone(), spec]);
    let unknown = Dataset::range(3).map_native("lengthen", pair, |element| {
        let value = element.leaves()[0].as_slice::<i64>()[0];
        let of_length = |length: usize| Structure::Leaf(Tensor::from_vec(vec![length], vec![value; length]));
        Ok(Structure::Tuple(vec![of_length(1), of_length(if value == 1 { 2 } else { 1 })]))
    });
    let items = check(&unknown.unbatch());
    assert!(items[1].starts_with("error: element 1: unbatch: "), "{items:?}");
    assert_eq!([&items[0], &items[2]], ["(0, 0)", "(2, 2)"]);
    assert_eq!(items.len(), 3);
}
