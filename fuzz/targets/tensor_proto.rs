//! Tensors as messages: any bytes are a tensor or an error; a tensor is written and read back as the same.
#![no_main]

use feedline_formats::tensor_proto::{read, write};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Ok(tensor) = read(input) else { return };
    // One value may stand for many: not so many that a run takes long.
    if tensor.num_values() < 1 << 16 {
        let again = write(&tensor);
        assert_eq!(write(&read(&again).expect("written by us")), again);
    }
});
