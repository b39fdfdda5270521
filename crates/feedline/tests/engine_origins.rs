//! An element that fails tells where it came from: the file and its record, or its number in the source, in every mode, whatever stands
//! between the source and the step that failed.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod engine_support;
#[path = "engine_support/images.rs"]
mod images;

use std::fs;
use std::path::{Path, PathBuf};

use engine_support::{all_modes, check};
use feedline::data::block::Tensor;
use feedline::data::{DType, ElementSpec, Structure, TensorSpec};
use feedline::records::RecordWriter;
use feedline::{Dataset, ErrorPolicy, ExecError, Functions, Symbolic, ops};

/// Two files of JPEGs. Of `a` record 1 is damaged, of `b` record 2.
fn files(folder: &Path) -> [PathBuf; 2] {
    let contents = images::files();
    let gray = contents.strings().unwrap().get(4);
    [("a", 3, 1), ("b", 4, 2)].map(|(name, records, damaged)| {
        let path = folder.join(format!("{name}.tfrecord"));
        let mut writer = RecordWriter::create(&path, None).unwrap();
        for record in 0..records {
            writer.write(if record == damaged { b"no image" } else { gray }).unwrap();
        }
        writer.finish().unwrap();
        path
    })
}

fn decoded(bytes: Symbolic) -> Symbolic {
    ops::image::decode_jpeg(bytes, 1, 1, "")
}

/// What errors say before they say what is wrong, with the files' folder left out; sorted, where the order is random.
fn origins(folder: &Path, items: &[String]) -> Vec<String> {
    let folder = format!("{}/", folder.display());
    let mut origins: Vec<String> = items
        .iter()
        .filter_map(|item| item.strip_prefix("error: "))
        .map(|error| error.split(": image.decode_jpeg").next().unwrap().replace(&folder, ""))
        .collect();
    origins.sort();
    origins
}

const BOTH: [&str; 2] = ["a.tfrecord: record 1", "b.tfrecord: record 2"];

#[test]
fn records_of_files_are_named_behind_every_step() {
    let folder = tempfile::tempdir().unwrap();
    let paths = files(folder.path());
    let records = || Dataset::tf_record(&paths).unwrap();
    let pipelines: [(&str, Dataset); 12] = [
        ("alone", records().map(decoded)),
        ("shuffled", records().shuffle(5).seed(3).map(decoded)),
        ("shuffled by an index", records().global_shuffle().seed(2).map(decoded)),
        ("filtered", records().filter(|x| ops::strings::length(x, "BYTE").gt(3)).map(decoded)),
        ("skipped", records().skip(1).take(5).prefetch(2).map(decoded)),
        ("batched behind it", records().map(decoded).batch(2)),
        ("enumerated", records().enumerate(0).map(|pair| decoded(pair.at(1)))),
        (
            "zipped",
            Dataset::zip(&Structure::Tuple(vec![records().into(), Dataset::range(9).into()]))
                .map(|pair| decoded(pair.at(0))),
        ),
        ("kept", records().cache().map(decoded)),
        ("unordered", records().map(decoded).deterministic(false)),
        ("in a predicate", records().filter(|x| ops::size(decoded(x), DType::Int32).gt(0))),
        (
            "joined",
            Dataset::tf_record(&paths[..1])
                .unwrap()
                .concatenate(&Dataset::tf_record(&paths[1..]).unwrap())
                .map(decoded),
        ),
    ];
    for (name, dataset) in pipelines {
        let told = if name == "unordered" {
            origins(
                folder.path(),
                &dataset.iterator().unwrap().map(|item| engine_support::show(&item)).collect::<Vec<_>>(),
            )
        } else {
            origins(folder.path(), &all_modes(&dataset))
        };
        assert_eq!(told, BOTH, "{name}");
    }
    // In every epoch, also those that a cache gives, and after any resume.
    for dataset in [records().shuffle(3).seed(1), records().cache()] {
        let told = origins(folder.path(), &check(&dataset.repeat(2).map(decoded)));
        assert_eq!(told, [BOTH[0], BOTH[0], BOTH[1], BOTH[1]]);
    }
}

#[test]
fn records_of_files_that_are_elements_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let paths = files(folder.path());
    let list = || Dataset::list_files_sorted(&paths).unwrap();
    let interleaved = list().interleave(Dataset::tf_record_file).cycle_length(2);
    assert_eq!(origins(folder.path(), &check(&interleaved.map(decoded))), BOTH);
    assert_eq!(origins(folder.path(), &all_modes(&interleaved.shuffle(4).seed(1).map(decoded))), BOTH);
    // Decoded inside.
    let inside = list().interleave(|path| Dataset::tf_record_file(path).map(decoded)).cycle_length(2);
    assert_eq!(origins(folder.path(), &all_modes(&inside)), BOTH);
    // Which record it was the stream does not tell any more, which file it does.
    let some = list().flat_map(|path| Dataset::tf_record_file(path).skip(1));
    assert_eq!(origins(folder.path(), &all_modes(&some.map(decoded))), ["a.tfrecord", "b.tfrecord"]);
}

#[test]
fn a_batch_is_named_by_its_first_record_and_lines_as_editors_count_them() {
    let folder = tempfile::tempdir().unwrap();
    let paths = files(folder.path());
    let batches = Dataset::tf_record(&paths).unwrap().batch(2).map(|batch| {
        let size = ops::shape(batch, DType::Int32);
        ops::floordiv(1, ops::squeeze(size, Vec::<i64>::new()) - 1)
    });
    let shown = all_modes(&batches);
    let expected =
        format!("error: {}: the batch from record 3 on: floordiv: division by zero", paths[1].display());
    assert_eq!(shown.last().unwrap(), &expected);

    let lines = folder.path().join("lines.txt");
    fs::write(&lines, "1\n2\nthree\n").unwrap();
    let shown =
        all_modes(&Dataset::text_line(&[&lines]).unwrap().map(|x| ops::strings::to_number(x, DType::Int64)));
    assert!(
        shown[2].starts_with(&format!("error: {}: line 3: strings.to_number", lines.display())),
        "{shown:?}"
    );
}

#[test]
fn elements_of_other_sources_have_their_number_and_what_they_are_called() {
    let folder = tempfile::tempdir().unwrap();
    let contents = images::files();
    let paths: Vec<String> =
        ["x.jpg", "y.jpg", "z.jpg"].map(|name| folder.path().join(name).display().to_string()).to_vec();
    for (place, path) in paths.iter().enumerate() {
        fs::write(path, if place == 1 { b"no image" } else { contents.strings().unwrap().get(4) }).unwrap();
    }
    let expected = ["element 1 (y.jpg)"];
    let listed = || Dataset::from_tensor_slices(Tensor::from_strings(vec![3], paths.iter().collect()));
    // The name stays known where the path is gone.
    let read = listed().map(ops::read_file).map(decoded);
    assert_eq!(origins(folder.path(), &check(&read)), expected);
    assert_eq!(
        origins(folder.path(), &all_modes(&listed().shuffle(3).seed(1).map(ops::read_file).map(decoded))),
        expected
    );
    assert_eq!(
        origins(
            folder.path(),
            &all_modes(&listed().global_shuffle().seed(1).map(ops::read_file).map(decoded))
        ),
        expected
    );

    let failing = |dataset: Dataset| all_modes(&dataset.map(|x| ops::floordiv(1, x - 3)));
    let error = "error: element 3: floordiv: division by zero";
    assert_eq!(failing(Dataset::range(5))[3], error);
    assert_eq!(failing(Dataset::range(4).repeat(2))[7], error);
    assert_eq!(
        failing(Dataset::range(5).global_shuffle().seed(1)).iter().filter(|item| *item == error).count(),
        1
    );
    // What is large or no text is not shown: images in memory.
    let in_memory = Dataset::from_tensor_slices(images::files()).map(decoded);
    assert_eq!(origins(folder.path(), &all_modes(&in_memory)), ["element 2", "element 6"]);
}

#[test]
fn rows_of_datasets_made_of_elements_tell_the_element() {
    let told = |dataset: &Dataset| -> Vec<String> {
        let items = check(dataset);
        let errors = items.iter().filter_map(|item| item.strip_prefix("error: "));
        errors.map(|error| error.split(": floordiv").next().unwrap().to_owned()).collect()
    };
    let divided = |x: Symbolic| ops::floordiv(1, x - 3);
    let inner = |x: Symbolic| Dataset::range(3).map(move |y| y.clone() - y + x.clone());
    // Inside, behind, and behind a shuffle of it.
    let inside = Dataset::range(5)
        .flat_map(|x| Dataset::range(3).map(move |y| ops::floordiv(y - x.clone(), x.clone() - 3)));
    let rows: Vec<String> = (0..3).map(|row| format!("element 3, row {row} of its dataset")).collect();
    assert_eq!(told(&inside), rows);
    assert_eq!(told(&Dataset::range(5).flat_map(inner).map(divided)), rows);
    let interleaved = Dataset::range(5).interleave(inner).cycle_length(2).shuffle(4).seed(1).map(divided);
    let mut shuffled = told(&interleaved);
    shuffled.sort();
    assert_eq!(shuffled, rows);
    assert_eq!(
        told(&Dataset::range(5).flat_map(inner).repeat(2).map(divided)),
        [&rows[..], &rows[..]].concat()
    );
    // Datasets in datasets: what is told is the row of the outer one.
    let deeper = Dataset::range(5).flat_map(move |x| {
        Dataset::range(2).flat_map(move |y| inner(x.clone() + (y.clone() - y)).take(1)).map(divided)
    });
    assert_eq!(told(&deeper), rows[..2]);
    // In windows, by the first of theirs.
    let window = Dataset::range(6).window(2).flat_map(|window| Dataset::of_window(window).map(divided));
    assert_eq!(told(&window), ["the window from element 2 on, row 1 of its dataset"]);
    let grouped = Dataset::range(6).group_by_window(|x| x % 2, 2, |_, window| window.batch(2));
    assert_eq!(
        told(&grouped.map(|batch| ops::floordiv(1, ops::reduce_max(batch, None::<i64>, false) - 3))),
        ["the window from element 1 on, row 0 of its dataset"]
    );
}

#[test]
fn rows_of_a_second_input_are_not_taken_for_those_of_a_dataset() {
    let nested = || Dataset::range(3).flat_map(|x| Dataset::range(2).map(move |y| y + x.clone() + 1));
    let joined = nested().concatenate(&Dataset::range(10));
    let choices = Dataset::range(13).map(|x| x % 2);
    let chosen = Dataset::choose_from_datasets(&[nested(), Dataset::range(30)], &choices, false);
    for (name, dataset) in [("concatenate", joined), ("choose_from_datasets", chosen)] {
        let items = check(&dataset.map(|x| ops::floordiv(100, x % 5)));
        let errors: Vec<&String> = items.iter().filter(|item| item.starts_with("error: ")).collect();
        assert!(errors.iter().any(|error| error.starts_with("error: element 0: ")), "{name}: {errors:?}");
        // Each of the nested datasets has two rows.
        let rows = errors.iter().filter_map(|error| error.split(", row ").nth(1));
        assert!(
            rows.into_iter().all(|row| row.starts_with("0 ") || row.starts_with("1 ")),
            "{name}: {errors:?}"
        );
    }
}

#[test]
fn what_a_cache_in_memory_gives_tells_its_files_as_before() {
    let folder = tempfile::tempdir().unwrap();
    let paths = files(folder.path());
    let list = Dataset::list_files_sorted(&paths).unwrap();
    let cached = list.interleave(Dataset::tf_record_file).cycle_length(2).cache().map(decoded);
    for pass in 0..2 {
        let items: Vec<String> = cached.iterator().unwrap().map(|item| engine_support::show(&item)).collect();
        assert_eq!(origins(folder.path(), &items), BOTH, "pass {pass}");
    }
}

/// As another process finds it: datasets made anew know nothing of those before.
#[test]
fn what_the_first_of_two_inputs_kept_in_memory_tells_its_place_in_the_second() {
    let windows = Dataset::range(7).window(1).flat_map(|window| Dataset::of_window(window)).cache();
    let failing = windows.concatenate(&windows).map(|x| ops::floordiv(1, x - 6));
    let items: Vec<String> = failing.iterator().unwrap().map(|item| engine_support::show(&item)).collect();
    assert_eq!(items[13], items[6]);
    assert!(items[6].contains("the window from element 6 on"), "{}", items[6]);
}

#[test]
fn what_a_cache_in_files_gives_tells_its_files_whoever_filled_it() {
    let folder = tempfile::tempdir().unwrap();
    let paths = files(folder.path());
    let list = || Dataset::list_files_sorted(&paths).unwrap();
    let told = |dataset: &Dataset| {
        let items: Vec<String> =
            dataset.iterator().unwrap().map(|item| engine_support::show(&item)).collect();
        origins(folder.path(), &items)
    };
    let interleaved = |place: &str| {
        list().interleave(Dataset::tf_record_file).cycle_length(2).cache_to(folder.path().join(place))
    };
    for process in 0..3 {
        assert_eq!(told(&interleaved("whole").map(decoded)), BOTH, "process {process}");
    }
    assert!(folder.path().join("whole/origins.jsonl").exists());
    // One that goes on with what another began has both halves.
    assert_eq!(interleaved("half").take(3).iterator().unwrap().count(), 3);
    for process in 0..2 {
        assert_eq!(told(&interleaved("half").map(decoded)), BOTH, "process {process}");
    }
    // Rows of datasets made of elements, and slices.
    let divided = |x: Symbolic| ops::floordiv(1, x - 3);
    let numbers = |place: &str| {
        let rows = Dataset::range(5).flat_map(|x| Dataset::range(2).map(move |y| y.clone() - y + x.clone()));
        rows.batch(4).unbatch().cache_to(folder.path().join(place)).map(divided)
    };
    for process in 0..2 {
        let items: Vec<String> =
            numbers("rows").iterator().unwrap().map(|item| engine_support::show(&item)).collect();
        assert_eq!(
            items[6],
            "error: the batch from element 2, row 0 of its dataset, on, slice 2 of it: floordiv: division by zero",
            "process {process}"
        );
    }
    // Later iterations before the cache, of sources and of another cache, and of each input of what is joined.
    let repeated = || Dataset::range(5).repeat(2);
    let taken_apart = || Dataset::range(5).batch(2).unbatch().repeat(2);
    let windows = || Dataset::range(5).window(2).flat_map(|window| Dataset::of_window(window)).repeat(2);
    let joined: [(&str, Dataset); 4] = [
        ("repeated", repeated()),
        ("cached", Dataset::range(5).cache().repeat(2)),
        ("concatenated", repeated().concatenate(&taken_apart()).concatenate(&windows())),
        (
            "chosen",
            Dataset::choose_from_datasets(
                &[repeated(), taken_apart(), windows()],
                &Dataset::range(30).map(|x| x % 3),
                false,
            ),
        ),
    ];
    for (name, dataset) in joined {
        let text = dataset.cache_to(folder.path().join(name)).map(divided).to_text().unwrap();
        // A plan that was read again shares nothing with the one before.
        let items = || -> Vec<String> {
            let dataset = Dataset::from_text(&text, &Functions::new()).unwrap();
            dataset.iterator().unwrap().map(|item| engine_support::show(&item)).collect()
        };
        let first = items();
        let failed: Vec<&String> = first.iter().filter(|item| item.starts_with("error: ")).collect();
        assert!(failed.len() >= 2 && failed.iter().all(|item| item.contains("element")), "{name}: {first:?}");
        assert_eq!(items(), first, "{name}");
    }
    // Damage there costs the origins and nothing else.
    fs::write(folder.path().join("whole/origins.jsonl"), "no JSON").unwrap();
    let items: Vec<String> = interleaved("whole")
        .map(decoded)
        .iterator()
        .unwrap()
        .map(|item| engine_support::show(&item))
        .collect();
    assert_eq!(items.len(), 7);
    // Files that the plan names are told without.
    let named = || Dataset::tf_record(&paths).unwrap().cache_to(folder.path().join("named")).map(decoded);
    for process in 0..2 {
        assert_eq!(told(&named()), BOTH, "process {process}");
    }
    assert!(!folder.path().join("named/origins.jsonl").exists());
}

#[test]
fn slices_tell_what_they_were_cut_from() {
    let told = |dataset: &Dataset| -> Vec<String> {
        let items = check(dataset);
        let errors = items.iter().filter_map(|item| item.strip_prefix("error: "));
        errors.map(|error| error.split(": floordiv").next().unwrap().to_owned()).collect()
    };
    let divided = |x: Symbolic| ops::floordiv(1, x - 3);
    let slices = || Dataset::range(6).batch(2).unbatch();
    assert_eq!(told(&slices().map(divided)), ["the batch from element 2 on, slice 1 of it"]);
    assert_eq!(
        told(&slices().shuffle(4).seed(2).map(divided)),
        ["the batch from element 2 on, slice 1 of it"]
    );
    assert_eq!(
        told(&slices().cache().repeat(2).map(divided)),
        ["the batch from element 2 on, slice 1 of it"; 2]
    );
    let rows = Dataset::range(4).map(|x| ops::stack([x.clone(), x], 0)).unbatch();
    assert_eq!(told(&rows.map(divided)), ["element 3, slice 0 of it", "element 3, slice 1 of it"]);
    // Taken apart and put together otherwise.
    let again = Dataset::range(6).batch(2).rebatch([3]);
    let last = again.map(|x| ops::floordiv(1, ops::reduce_max(x, None::<i64>, false) - 5));
    assert_eq!(told(&last), ["the batch from the batch from element 2 on, slice 1 of it, on"]);

    let folder = tempfile::tempdir().unwrap();
    let paths = files(folder.path());
    let records = Dataset::tf_record(&paths).unwrap().batch(2).unbatch().map(decoded);
    let whole = [
        "a.tfrecord: the batch from record 0 on, slice 1 of it",
        "b.tfrecord: the batch from record 1 on, slice 1 of it",
    ];
    assert_eq!(origins(folder.path(), &all_modes(&records)), whole);
    // In the stream of an element the file is known.
    let inside = Dataset::list_files_sorted(&paths)
        .unwrap()
        .flat_map(|path| Dataset::tf_record_file(path).batch(2).unbatch())
        .map(decoded);
    let files_alone: Vec<String> = origins(folder.path(), &all_modes(&inside));
    assert_eq!(files_alone, ["a.tfrecord", "b.tfrecord"]);
}

#[test]
fn an_element_that_is_not_taken_apart_is_named() {
    let uneven =
        |x: Symbolic| Symbolic::from((ops::range(0, x.clone(), 1), ops::range(0, ops::minimum(x, 2), 1)));
    let shown = all_modes(&Dataset::range(5).map(uneven).unbatch());
    let errors: Vec<&String> = shown.iter().filter(|item| item.starts_with("error")).collect();
    assert_eq!(errors[0], "error: element 3: unbatch: the tensors of an element have 3 and 2 slices");
}

#[test]
fn errors_of_files_and_user_code_say_it_once() {
    let folder = tempfile::tempdir().unwrap();
    let paths = files(folder.path());
    let spec = ElementSpec::Leaf(TensorSpec::scalar(DType::String));
    let picky = |element: Structure<Tensor>| {
        let is_bad = element.leaves()[0].strings().unwrap().get(0) == b"no image";
        if is_bad { Err("not this one".into()) } else { Ok(element) }
    };
    let dataset = Dataset::tf_record(&paths).unwrap().map_native("picky", spec, picky);
    let told: Vec<String> =
        all_modes(&dataset).into_iter().filter(|item| item.starts_with("error")).collect();
    assert_eq!(told[0], format!("error: {}: record 1: picky: not this one", paths[0].display()));
    // As parts, for those who want to show it another way.
    let error = dataset.iterator().unwrap().find_map(Result::err).unwrap();
    let error = error.downcast_ref::<ExecError>().unwrap();
    assert_eq!(error.origin(), Some(format!("{}: record 1", paths[0].display()).as_str()));
    assert_eq!(error.message(), "picky: not this one");

    // What failed is kept with where it came from.
    let kept = folder.path().join("bad.tfrecord");
    let policy = || ErrorPolicy::skip().quarantine(&kept);
    assert_eq!(dataset.on_error(policy()).iterator().unwrap().count(), 5);
    let records = Dataset::tf_record(&[&kept]).unwrap();
    let texts: Vec<String> = records.iterator().unwrap().map(|item| engine_support::show(&item)).collect();
    assert!(texts[1].contains("b.tfrecord: record 2: picky: not this one"), "{texts:?}");

    // A damaged file says itself where.
    let mut bytes = fs::read(&paths[0]).unwrap();
    let last = bytes.len() - 6;
    bytes[last] ^= 1;
    fs::write(&paths[0], bytes).unwrap();
    let shown = all_modes(&Dataset::tf_record(&paths[..1]).unwrap().map(decoded));
    assert_eq!(shown.last().unwrap().matches("a.tfrecord").count(), 1, "{shown:?}");
}
