//! The house has a direction: which crate may use which, and which heavy dependency lives where.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use std::process::Command;

use serde_json::Value;

/// Each crate of the house with the ones it may use. An arrow here is a decision: see ARCHITECTURE.md before adding one.
const MAY_USE: &[(&str, &[&str])] = &[
    ("feedline-data", &[]),
    ("feedline-formats", &["feedline-data"]),
    ("feedline-image", &["feedline-data"]),
    ("feedline-plan", &["feedline-data"]),
    ("feedline-io", &["feedline-data"]),
    (
        "feedline-exec",
        &["feedline-data", "feedline-formats", "feedline-image", "feedline-plan", "feedline-io"],
    ),
    ("feedline-gpu", &["feedline-data", "feedline-plan", "feedline-exec"]),
    (
        "feedline",
        &[
            "feedline-data",
            "feedline-formats",
            "feedline-image",
            "feedline-plan",
            "feedline-io",
            "feedline-exec",
            "feedline-gpu",
        ],
    ),
    ("feedline-python", &["feedline"]),
    ("feedline-cli", &["feedline"]),
    // The stages of the decoder, to be timed one by one: nothing that other programs should see.
    ("feedline-bench", &["feedline", "feedline-image"]),
];

/// Dependencies too heavy or too catching to appear in more than one crate, and the one they belong to.
const FENCED: &[(&str, &str)] = &[
    ("pyo3", "feedline-python"),
    ("numpy", "feedline-python"),
    ("cudarc", "feedline-gpu"),
    ("tokio", "feedline-io"),
    ("async-std", "feedline-io"),
    ("smol", "feedline-io"),
    ("object_store", "feedline-io"),
    ("reqwest", "feedline-io"),
    ("clap", "feedline-cli"),
    ("indicatif", "feedline-cli"),
];

/// Formats and plan are bytes in, bytes out: what would do I/O or start threads has no place in them.
const PURE: &[&str] = &["feedline-data", "feedline-formats", "feedline-image", "feedline-plan"];
const IMPURE_DEPENDENCIES: &[&str] =
    &["rayon", "crossbeam", "crossbeam-channel", "memmap2", "tempfile", "glob", "libc"];

fn packages() -> Vec<Value> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version", "1", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

/// The names a package depends on; tests may use what they like.
fn dependencies(package: &Value) -> Vec<&str> {
    let dependencies = package["dependencies"].as_array().unwrap();
    dependencies.iter().filter(|dep| dep["kind"] != "dev").map(|dep| dep["name"].as_str().unwrap()).collect()
}

#[test]
fn crates_use_only_what_they_may() {
    for package in &packages() {
        let name = package["name"].as_str().unwrap();
        let Some((_, allowed)) = MAY_USE.iter().find(|(crate_name, _)| *crate_name == name) else {
            panic!("crate `{name}` has no place in the house yet: decide what it may use, in this test");
        };
        for used in dependencies(package) {
            if MAY_USE.iter().any(|(crate_name, _)| *crate_name == used) {
                assert!(allowed.contains(&used), "`{name}` must not depend on `{used}`");
            }
        }
    }
}

#[test]
fn heavy_dependencies_stay_behind_their_fence() {
    for package in &packages() {
        let name = package["name"].as_str().unwrap();
        for used in dependencies(package) {
            if let Some((_, home)) = FENCED.iter().find(|(fenced, _)| *fenced == used) {
                assert_eq!(name, *home, "`{used}` belongs in `{home}` alone");
            }
            assert!(
                !PURE.contains(&name) || !IMPURE_DEPENDENCIES.contains(&used),
                "`{name}` must not need `{used}`"
            );
        }
    }
}
