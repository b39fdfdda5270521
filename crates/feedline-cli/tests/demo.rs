//! The tour runs on any machine, leaves nothing behind, and shows the same batches however they were prepared. How fast is not
//! tested.

mod cli_support;

use cli_support::Folder;

#[test]
fn every_row_has_the_same_batches() {
    let folder = Folder::new();
    let run = folder.run(&["demo", "--rows", "1000", "--steps", "3", "--threads", "2"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let (_, training) = run.stdout.split_once("\n7. train ").unwrap();
    assert!(training.contains("The accelerator is simulated: it takes "), "{training}");
    let rows: Vec<&str> = training.lines().filter(|line| line.contains(" ms a step ")).collect();
    let names = ["sequential", "+ parallel reads", "+ parallel map", "+ prefetch", "+ fused"];
    assert_eq!(rows.len(), names.len(), "{training}");
    let checksum = |row: &str| row.rsplit_once("batches ").unwrap().1.to_owned();
    for (row, name) in rows.iter().zip(names) {
        assert!(row.trim_start().starts_with(name), "{row}");
        assert!(row.contains("accelerator busy ") && row.contains(" %"), "{row}");
        assert_eq!(checksum(row), checksum(rows[0]), "{training}");
        assert_eq!(checksum(row).len(), 8, "{row}");
    }
    let fused = training.lines().find(|line| line.contains("fused means: ")).unwrap();
    for rule in [
        "fuse_maps",
        "parse_only_used_features",
        "crop_and_scale_in_decode",
        "fuse_map_and_batch",
        "fuse_shuffle_and_repeat",
    ] {
        assert!(fused.contains(rule), "{fused}");
    }
    assert_eq!(folder.names(), [""; 0]);
}

#[test]
fn scripts_get_the_same_as_people() {
    let folder = Folder::new();
    let run =
        |threads| folder.run(&["demo", "--rows", "1000", "--steps", "2", "--threads", threads, "--json"]);
    let (one, four) = (run("1"), run("4"));
    let checksums = |run: &cli_support::Run| -> Vec<String> {
        assert_eq!((run.code, run.stderr.as_str()), (0, ""));
        let result = run.json();
        let steps: Vec<&String> = result.as_object().unwrap().keys().collect();
        assert_eq!(steps, ["make", "convert", "verify", "index", "damage", "read", "train"]);
        let training = &result["train"];
        assert_eq!(training["steps"], 2);
        assert!(training["accelerator_ms"].as_f64().unwrap() > 0.0);
        let ways = training["ways"].as_array().unwrap();
        assert!(ways.iter().all(|way| way["step_ms"].as_f64().unwrap() > 0.0));
        assert!(ways.iter().all(|way| (0.0..=1.0).contains(&way["utilization"].as_f64().unwrap())));
        ways.iter().map(|way| way["checksum"].as_str().unwrap().to_owned()).collect()
    };
    let expected = vec![checksums(&one)[0].clone(); 5];
    assert_eq!(checksums(&one), expected);
    assert_eq!(checksums(&four), expected, "the same on any number of threads");
}
