//! Caches in files: kills, damage, other pipelines, other processes.

use super::*;

#[test]
fn what_is_there_when_a_run_is_killed_is_used() {
    let places = Places::new();
    let path = places.path();
    let make = || {
        let (source, counter) = counted(&Dataset::range(100).map(|x| x * 5));
        (source.cache_to(&path).with_options(small_chunks(0)), counter)
    };
    let (dataset, counter) = make();
    assert_eq!(dataset.take(50).iterator().unwrap().count(), 50);
    assert_eq!(calls(&counter), 50);
    // What a killed writer leaves beside committed files.
    fs::write(path.join(".rows-000000000048-000000000052.chunk.99999999-0.tmp"), "half").unwrap();
    let committed = names(&path).iter().filter(|name| is_chunk(name)).count();
    assert!(committed > 3 && !path.join("complete.json").exists(), "{:?}", names(&path));
    let (dataset, counter) = make();
    assert_eq!(items(dataset.iterator().unwrap()), shown((0..100).map(|x| x * 5)));
    let computed = calls(&counter);
    assert!((50..60).contains(&computed), "{computed}");
    assert!(!names(&path).iter().any(|name| is_temporary(name)), "{:?}", names(&path));
    for threads in [0, 4] {
        let (dataset, counter) = make();
        let dataset = dataset.with_options(Options::new().threads(threads)).repeat(2);
        assert_eq!(dataset.iterator().unwrap().count(), 200);
        assert_eq!(calls(&counter), 0);
    }
}

const KILLED: &str = "FEEDLINE_TEST_KILLED_CACHE";

fn killed_dataset(path: &Path, threads: usize) -> Dataset {
    Dataset::range(200).map(|x| x * 3).cache_to(path).with_options(small_chunks(threads))
}

/// Not a test of its own: the process the next one starts and kills. It reads an element for each byte it gets.
#[test]
fn reader_to_be_killed() {
    let Some(path) = std::env::var_os(KILLED) else { return };
    let mut elements = killed_dataset(Path::new(&path), 2).iterator().unwrap();
    let mut output = std::io::stdout();
    while std::io::stdin().read_exact(&mut [0]).is_ok() {
        elements.next().unwrap().unwrap();
        // Straight to the output: the test harness keeps back what is printed.
        output.write_all(b"element\n").unwrap();
        output.flush().unwrap();
    }
}

#[test]
fn a_run_that_was_killed_goes_on() {
    let places = Places::new();
    for num_elements in [1, 2, 50, 111, 199, 200] {
        let path = places.path();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "in_files::reader_to_be_killed", "--nocapture"])
            .env(KILLED, &path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        child.stdin.as_mut().unwrap().write_all(&vec![0; num_elements]).unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let read = lines.filter(|line| line.as_ref().unwrap().ends_with("element")).take(num_elements);
        assert_eq!(read.count(), num_elements);
        // With SIGKILL, in the middle of whatever it writes.
        child.kill().unwrap();
        child.wait().unwrap();
        for threads in [2, 0] {
            let dataset = killed_dataset(&path, threads);
            assert_eq!(items(dataset.iterator().unwrap()), shown((0..200).map(|x| x * 3)));
        }
        assert!(path.join("complete.json").exists());
        assert!(!names(&path).iter().any(|name| is_temporary(name)), "{:?}", names(&path));
    }
}

/// Every file is committed in one rename, so every moment of a kill is a prefix of these: all are tried.
#[test]
fn every_moment_of_a_kill_leaves_something_to_go_on_with() {
    let places = Places::new();
    let path = places.path();
    let make = || Dataset::range(40).map(|x| x * 7).cache_to(&path).repeat(2).with_options(small_chunks(0));
    let whole = items(make().iterator().unwrap());
    let all = names(&path);
    let mut order: Vec<&String> = all.iter().filter(|name| is_chunk(name)).collect();
    let (lock, plan, complete) = ("lock".to_owned(), "plan.json".to_owned(), "complete.json".to_owned());
    order.insert(0, &plan);
    order.insert(0, &lock);
    order.push(&complete);
    assert_eq!(order.len(), all.len());
    let saved = places.path();
    fs::rename(&path, &saved).unwrap();
    for num_files in 0..=order.len() {
        fs::create_dir_all(&path).unwrap();
        for name in &order[..num_files] {
            fs::copy(saved.join(name), path.join(name)).unwrap();
        }
        assert_eq!(items(make().iterator().unwrap()), whole, "{num_files} files");
        assert_eq!(names(&path), all, "{num_files} files");
        fs::remove_dir_all(&path).unwrap();
    }
}

#[test]
fn another_pipeline_is_refused() {
    let places = Places::new();
    let path = places.path();
    assert_eq!(
        Dataset::range(10).map(|x| x + 1).prefetch(None).cache_to(&path).iterator().unwrap().count(),
        10
    );
    // Running ahead changes no element, nor does what comes behind.
    assert_eq!(Dataset::range(10).map(|x| x + 1).cache_to(&path).take(3).iterator().unwrap().count(), 3);
    let cases = [
        (
            Dataset::range(10).map(|x| x + 2),
            "step 2 was `map(add(x0, 1))` when it was made and is `map(add(x0, 2))` now",
        ),
        (Dataset::range(10), "step 2 was `map(add(x0, 1))` when it was made and is nothing now"),
    ];
    for (dataset, difference) in cases {
        let error = dataset.cache_to(&path).repeat(2).iterator().unwrap_err().to_string();
        let shown = path.display();
        assert_eq!(
            error,
            format!(
                "cache: {shown} holds the elements of another pipeline: {difference}\n\
                 hint: delete the folder {shown}, or give another path"
            )
        );
    }
}

#[cfg(unix)]
#[test]
fn a_header_that_leads_nowhere_is_an_error() {
    let places = Places::new();
    let path = places.path();
    fs::create_dir_all(&path).unwrap();
    std::os::unix::fs::symlink("nowhere", path.join("plan.json")).unwrap();
    let error = Dataset::range(3).cache_to(&path).iterator().unwrap_err().to_string();
    assert!(error.contains("plan.json") && error.contains("hint: "), "{error}");
}

#[test]
fn folders_that_are_no_caches_are_left_alone() {
    let places = Places::new();
    let path = places.path();
    fs::create_dir(&path).unwrap();
    fs::write(path.join("photo.jpg"), "mine").unwrap();
    let error = Dataset::range(3).cache_to(&path).iterator().unwrap_err().to_string();
    assert!(error.contains("holds photo.jpg and other files, and is no cache"), "{error}");
    let error = Dataset::range(3).cache_to(path.join("photo.jpg")).iterator().unwrap_err().to_string();
    assert!(error.contains("photo.jpg is a file, expected a folder or nothing"), "{error}");
    assert_eq!(names(&path), ["photo.jpg"]);
    fs::remove_file(path.join("photo.jpg")).unwrap();
    fs::write(path.join("plan.json"), "{}").unwrap();
    let error = Dataset::range(3).cache_to(&path).iterator().unwrap_err().to_string();
    assert!(error.contains("plan.json is no header of a cache"), "{error}");
    fs::write(path.join("plan.json"), r#"{"version":2,"plan":[],"spec":"","drawn_seeds":[]}"#).unwrap();
    let error = Dataset::range(3).cache_to(&path).iterator().unwrap_err().to_string();
    assert!(error.contains("it is of version 2, this feedline reads version 1"), "{error}");
}

#[test]
fn damage_is_told_and_mended_and_no_element_lost() {
    let places = Places::new();
    for threads in [0, 4] {
        let path = places.path();
        let (options, notices) = listening(small_chunks(threads));
        let (source, counter) = counted(&Dataset::range(40).map(|x| x * 7));
        let make = || source.cache_to(&path).with_options(options.clone());
        assert_eq!(make().iterator().unwrap().count(), 40);
        assert_eq!(calls(&counter), 40);
        let chunks: Vec<String> = names(&path).into_iter().filter(|name| is_chunk(name)).collect();
        let chunk = path.join(&chunks[1]);
        let whole = fs::read(&chunk).unwrap();
        // Once, and to steps behind that count rows it is none; the next time there is nothing to tell.
        let told = |whats: [&str; 2], num_computed: std::ops::RangeInclusive<usize>| {
            let odd: Vec<i64> = (0..40).filter(|x| x % 2 == 1).map(|x| x * 7).collect();
            let sharded = make().shard(2, 1).repeat(2);
            assert_eq!(items(sharded.iterator().unwrap()), shown(odd.repeat(2)));
            assert!(num_computed.contains(&calls(&counter)));
            assert_eq!(items(make().iterator().unwrap()), shown((0..40).map(|x| x * 7)));
            assert_eq!(calls(&counter), 0);
            assert_eq!(fs::read(&chunk).unwrap(), whole);
            let notices = std::mem::take(&mut *notices.lock().unwrap());
            let [notice] = &notices[..] else { panic!("{notices:?}") };
            assert!(notice.starts_with("feedline: cache: "), "{notice}");
            assert!(notice.contains("hint: these rows are computed a"), "{notice}");
            assert!(whats.iter().all(|what| notice.contains(what)), "{notice}");
        };
        let mut flipped = whole.clone();
        *flipped.last_mut().unwrap() ^= 1;
        fs::write(&chunk, &flipped).unwrap();
        // Of the others nothing is computed again; workers may have run ahead of what was asked for.
        let few = if threads == 0 { 1..=10 } else { 1..=40 };
        told(["are damaged: its checksum is ", &chunks[1]], few.clone());
        fs::write(&chunk, &whole[..30]).unwrap();
        told(["are damaged: it has 32 bytes, and says it has", &chunks[1]], few.clone());
        fs::copy(path.join(&chunks[2]), &chunk).unwrap();
        told(["are damaged: it holds the rows ", &chunks[1]], few);
        fs::remove_file(&chunk).unwrap();
        told(["of 40 rows those from ", "are missing"], 20..=40);
        fs::write(path.join("complete.json"), "{").unwrap();
        told(["complete.json: ", "EOF"], 0..=0);
    }
}

#[test]
fn a_damaged_file_is_mended_from_any_place() {
    let places = Places::new();
    let path = places.path();
    let make =
        || Dataset::range(40).map(|x| x * 7).cache_to(&path).with_options(listening(small_chunks(0)).0);
    let mut elements = make().iterator().unwrap();
    elements.by_ref().take(7).for_each(drop);
    let state = elements.state();
    assert_eq!(elements.count(), 33);
    let chunks: Vec<String> = names(&path).into_iter().filter(|name| is_chunk(name)).collect();
    for index in [0, 1, chunks.len() - 1] {
        let chunk = path.join(&chunks[index]);
        let whole = fs::read(&chunk).unwrap();
        fs::write(&chunk, "damage").unwrap();
        assert_eq!(items(make().resume(&state).unwrap()), shown((7..40).map(|x| x * 7)));
        let rest = make().skip(39);
        assert_eq!(items(rest.iterator().unwrap()), shown([39 * 7]));
        assert_eq!(items(make().iterator().unwrap()), shown((0..40).map(|x| x * 7)));
        assert_eq!(fs::read(&chunk).unwrap(), whole);
    }
}

fn lines_of(path: &Path, word: &str) {
    let lines: Vec<String> = (0..60).map(|line| format!("{word}-{line}")).collect();
    fs::write(path, lines.join("\n")).unwrap();
}

/// What was being written when its iterator was dropped is written all the same.
fn wait_for_writer(path: &Path) {
    let lock = fs::File::open(path.join("lock")).unwrap();
    lock.lock().unwrap();
}

fn shown_lines(word: &str) -> Vec<String> {
    (0..60).map(|line| format!("{:?}", format!("{word}-{line}"))).collect()
}

#[test]
fn rows_of_a_file_that_changed_are_computed_anew_and_never_mixed() {
    let places = Places::new();
    for threads in [0, 4] {
        let (path, file) = (places.path(), places.path());
        let (options, notices) = listening(small_chunks(threads));
        let make = || Dataset::text_line(&[&file]).unwrap().cache_to(&path).with_options(options.clone());
        let told = || std::mem::take(&mut *notices.lock().unwrap());
        lines_of(&file, "one");
        assert_eq!(make().take(40).iterator().unwrap().count(), 40);
        wait_for_writer(&path);
        assert!(names(&path).iter().any(|name| is_chunk(name)) && !path.join("complete.json").exists());
        assert!(path.join("files.json").exists());
        // Of the same size: half a cache is not continued.
        lines_of(&file, "two");
        assert_eq!(items(make().iterator().unwrap()), shown_lines("two"), "{threads} threads");
        let notices = told();
        let [notice] = &notices[..] else { panic!("{notices:?}") };
        let shown_file = file.display();
        let expected = format!("its rows were computed from another {shown_file}: its contents have changed");
        assert!(notice.contains(&expected), "{notice}");
        assert_eq!(items(make().iterator().unwrap()), shown_lines("two"));
        assert_eq!(told(), [""; 0]);
        // A whole one is not served, in no epoch.
        lines_of(&file, "three");
        assert_eq!(
            items(make().repeat(2).iterator().unwrap()),
            [shown_lines("three"), shown_lines("three")].concat()
        );
        assert!(told().len() == 1 && path.join("complete.json").exists());
        // What is gone contradicts nothing that is complete.
        let dataset = make();
        fs::remove_file(&file).unwrap();
        assert_eq!(items(dataset.iterator().unwrap()), shown_lines("three"));
        assert_eq!(told(), [""; 0]);
        // But it cannot be continued: there is nothing to skip in.
        fs::remove_file(path.join("complete.json")).unwrap();
        assert!(dataset.iterator().unwrap().next().unwrap().is_err());
        assert_eq!(told().len(), 1);
    }
}

#[test]
fn a_file_that_changes_while_it_is_read_makes_no_complete_cache() {
    let places = Places::new();
    let (path, file) = (places.path(), places.path());
    let (options, notices) = listening(small_chunks(0));
    let make = || Dataset::text_line(&[&file]).unwrap().cache_to(&path).with_options(options.clone());
    lines_of(&file, "one");
    let mut elements = make().iterator().unwrap();
    elements.by_ref().take(30).for_each(drop);
    lines_of(&file, "two");
    assert_eq!(elements.count(), 30);
    assert!(!path.join("complete.json").exists());
    assert!(notices.lock().unwrap()[0].contains("it changed while it was read"));
    assert_eq!(items(make().iterator().unwrap()), shown_lines("two"));
}

#[test]
fn what_takes_long_is_written_however_little_it_is() {
    let places = Places::new();
    let committed = |options: Options| {
        let path = places.path();
        let mut elements =
            Dataset::range(10_000).batch(2).cache_to(&path).with_options(options).iterator().unwrap();
        elements.by_ref().take(5).for_each(drop);
        // As it is when the process is killed here.
        names(&path).iter().filter(|name| is_chunk(name)).count()
    };
    let options = Options::new().threads(0).block_size(4096);
    assert_eq!(committed(options.clone()), 0);
    assert!(committed(options.commit_after(std::time::Duration::ZERO)) >= 1);
}

#[test]
fn what_was_computed_is_written_in_time_while_the_consumer_is_busy() {
    let places = Places::new();
    let path = places.path();
    let options = Options::new().threads(2).commit_after(std::time::Duration::from_millis(20));
    let make = || Dataset::range(10_000).batch(2).cache_to(&path).with_options(options.clone());
    let chunks = || names(&path).iter().filter(|name| is_chunk(name)).count();
    let mut elements = make().iterator().unwrap();
    elements.next().unwrap().unwrap();
    // It computes, and asks for nothing.
    let patience = std::time::Instant::now() + std::time::Duration::from_secs(30);
    while chunks() == 0 {
        assert!(std::time::Instant::now() < patience, "nothing was written");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    // The rest follows, every row once.
    assert_eq!(1 + elements.by_ref().map(Result::unwrap).count(), 5000);
    drop(elements);
    assert!(path.join("complete.json").exists());
    assert_eq!(items(make().iterator().unwrap()), items(Dataset::range(10_000).batch(2).iterator().unwrap()));
}

#[test]
fn a_gap_in_half_a_cache_is_closed() {
    let places = Places::new();
    let path = places.path();
    let make = || Dataset::range(40).map(|x| x * 7).cache_to(&path).with_options(small_chunks(0));
    assert_eq!(make().iterator().unwrap().count(), 40);
    let all = names(&path);
    let chunks: Vec<&String> = all.iter().filter(|name| is_chunk(name)).collect();
    fs::remove_file(path.join("complete.json")).unwrap();
    fs::remove_file(path.join(chunks[1])).unwrap();
    assert_eq!(items(make().iterator().unwrap()), shown((0..40).map(|x| x * 7)));
    assert_eq!(names(&path), all);
}

#[test]
fn a_folder_that_cannot_be_written_is_told_and_no_element_lost() {
    let places = Places::new();
    for threads in [0, 4] {
        let path = places.path();
        let (options, notices) = listening(small_chunks(threads));
        let dataset = Dataset::range(40).cache_to(&path).enumerate(0).with_options(options);
        let mut elements = dataset.iterator().unwrap();
        let mut found = vec![show(&elements.next().unwrap())];
        // Gone while it is written to.
        fs::rename(&path, places.path()).unwrap();
        found.extend(items(elements));
        assert_eq!(found, (0..40).map(|x| format!("({x}, {x})")).collect::<Vec<_>>());
        let notices = std::mem::take(&mut *notices.lock().unwrap());
        assert_eq!(notices.len(), 1, "{notices:?}");
        let expected = ["feedline: cache: ", "give the cache another folder"];
        assert!(expected.iter().all(|part| notices[0].contains(part)), "{}", notices[0]);
    }
}

#[test]
fn who_comes_second_reads_what_there_is_and_writes_nothing() {
    let places = Places::new();
    let path = places.path();
    let (source, counter) = counted(&Dataset::range(100));
    let dataset = source.cache_to(&path).with_options(small_chunks(0));
    let mut writing = dataset.iterator().unwrap();
    writing.by_ref().take(50).for_each(drop);
    assert_eq!(calls(&counter), 50);
    let before = names(&path);
    assert_eq!(items(dataset.iterator().unwrap()), shown(0..100));
    let computed = calls(&counter);
    assert!((50..60).contains(&computed), "{computed}");
    assert_eq!(names(&path), before);
    assert_eq!(items(writing), shown(50..100));
    assert_eq!(calls(&counter), 50);
    assert_eq!(items(dataset.iterator().unwrap()), shown(0..100));
    assert_eq!(calls(&counter), 0);
}

#[test]
fn who_comes_after_one_that_was_dropped_while_it_wrote_completes_the_cache() {
    let places = Places::new();
    for looked_at in 0..40 {
        let path = places.path();
        let dataset = Dataset::range(200).cache_to(&path).prefetch(2).with_options(small_chunks(2));
        assert_eq!(dataset.iterator().unwrap().take(looked_at).count(), looked_at);
        assert_eq!(dataset.iterator().unwrap().count(), 200);
        assert!(path.join("complete.json").exists(), "{looked_at}: {:?}", names(&path));
    }
}

#[test]
fn a_cache_that_is_left_within_an_iterator_is_free_for_its_next_use() {
    let places = Places::new();
    for _ in 0..20 {
        let path = places.path();
        let cached = Dataset::range(200).cache_to(&path);
        let both = cached.take(10).concatenate(&cached).with_options(small_chunks(2));
        assert_eq!(both.iterator().unwrap().count(), 210);
        assert!(path.join("complete.json").exists(), "{:?}", names(&path));
    }
}

/// In an order that nobody gave: each dataset made here draws its own, as each process does.
fn in_any_order(path: &Path, threads: usize) -> Dataset {
    let options = small_chunks(threads).on_notice(|_| {});
    Dataset::range(500).shuffle(500).cache_to(path).with_options(options)
}

/// The first of `dataset`, and where it was then, as another process would read it.
fn begun(dataset: &Dataset, count: usize) -> (Vec<String>, State) {
    let mut elements = dataset.iterator().unwrap();
    let first = elements.by_ref().take(count).map(|item| show(&item)).collect();
    (first, State::from_bytes(&elements.state().to_bytes()).unwrap())
}

fn assert_each_once(first: &[String], rest: Elements, case: &str) {
    let mut all = [first, &items(rest)].concat();
    all.sort_by_key(|number| number.parse::<i64>().unwrap());
    assert_eq!(all, shown(0..500), "{case}");
}

#[test]
fn a_state_goes_on_in_its_own_order_whatever_became_of_the_cache() {
    let places = Places::new();
    for threads in [0, 2] {
        let path = places.path();
        let make = || in_any_order(&path, threads);
        // Another process fills the cache in its order meanwhile.
        let (first, state) = begun(&make(), 200);
        let order = items(make().iterator().unwrap());
        assert!(path.join("complete.json").exists());
        assert_each_once(&first, make().resume(&state).unwrap(), "filled by another");
        assert_eq!(items(make().iterator().unwrap()), order, "it is left as it is");
        // What was given by the cache of another is computed as that computed it, where the folder is not.
        let (first, state) = begun(&make(), 200);
        assert_eq!(first, order[..200]);
        let elsewhere = places.path();
        fs::rename(&path, &elsewhere).unwrap();
        assert_each_once(&first, make().resume(&state).unwrap(), "without the folder");
        // And so is what is damaged: the file is written anew with the rows that were in it.
        fs::remove_dir_all(&path).ok();
        fs::rename(&elsewhere, &path).unwrap();
        let chunk = names(&path).into_iter().filter(|name| is_chunk(name)).nth(3).unwrap();
        fs::write(path.join(chunk), "damaged").unwrap();
        for run in 0..2 {
            assert_eq!(items(make().iterator().unwrap()), order, "mended, run {run}, {threads} threads");
        }
    }
}

#[test]
fn half_a_cache_in_the_order_of_other_seeds_begins_anew() {
    let places = Places::new();
    let path = places.path();
    let make = || Dataset::range(60).shuffle(60).cache_to(&path).with_options(small_chunks(0));
    let interrupted = make();
    let mut elements = interrupted.iterator_of(0).unwrap();
    elements.by_ref().take(30).for_each(drop);
    let state = elements.state();
    drop(elements);
    let whole = items(interrupted.iterator_of(0).unwrap());
    // Going on from a state is going on with its seeds.
    assert_eq!(items(make().resume(&state).unwrap()), whole[30..]);
    fs::remove_file(path.join("complete.json")).unwrap();
    let mut other = items(make().iterator().unwrap());
    assert_ne!(other, whole);
    // Complete it is served to everybody, as it is.
    assert_eq!(items(make().iterator().unwrap()), other);
    other.sort_by_key(|item| item.parse::<i64>().unwrap());
    assert_eq!(other, shown(0..60));
}

#[test]
fn larger_than_the_budget_is_no_matter() {
    let places = Places::new();
    let rows = large_elements(3000);
    for threads in [0, 2] {
        let options = Options::new().threads(threads).block_size(8 << 10).memory_budget(10_000_000);
        let dataset = rows.cache_to(places.path()).repeat(2).with_options(options);
        let mut elements = dataset.iterator().unwrap();
        assert_eq!(elements.by_ref().count(), 6000);
        let peak = elements.budget().peak_bytes();
        assert!(peak < 10_000_000, "{peak}");
    }
}

#[test]
fn compressed_files_give_the_same() {
    let places = Places::new();
    let rows = || Dataset::range(3000).map(|x| x % 7).batch(10);
    let expected = items(rows().iterator().unwrap());
    let mut sizes = Vec::new();
    for compression in [CacheCompression::None, CacheCompression::Auto, CacheCompression::Always] {
        let path = places.path();
        let cached = |compression| rows().cache_to(&path).compression(compression);
        assert_eq!(items(cached(compression).iterator().unwrap()), expected);
        sizes.push(size_of_chunks(&path));
        // Each file says what it is, whatever is asked of those to come.
        let again = cached(CacheCompression::None).with_options(reference());
        assert_eq!(items(again.iterator().unwrap()), expected);
    }
    assert!(sizes[1] < sizes[0] / 4 && sizes[1] == sizes[2], "{sizes:?}");
    // Half a cache goes on, in files of another kind.
    let path = places.path();
    let cached = |compression| rows().cache_to(&path).compression(compression).with_options(small_chunks(0));
    let begun: Vec<_> = cached(CacheCompression::Always).iterator().unwrap().take(100).collect();
    assert_eq!(begun.len(), 100);
    assert!(names(&path).iter().any(|name| is_chunk(name)));
    assert_eq!(items(cached(CacheCompression::None).iterator().unwrap()), expected);
    let misplaced = rows().compression(CacheCompression::Auto).iterator();
    assert!(
        misplaced.is_err_and(|error| error.to_string().contains("comes right after cache_to or snapshot"))
    );
}

/// What a file says of itself is not believed before its checksum was seen.
#[test]
fn a_compressed_file_that_lies_about_its_length_takes_no_memory() {
    let places = Places::new();
    let path = places.path();
    let (options, notices) = listening(small_chunks(0));
    let cached = || {
        let numbers = Dataset::range(40).map(|x| x % 2).cache_to(&path);
        numbers.compression(CacheCompression::Always).with_options(options.clone())
    };
    assert_eq!(cached().iterator().unwrap().count(), 40);
    let chunk = path.join(names(&path).into_iter().find(|name| is_chunk(name)).unwrap());
    let mut bytes = fs::read(&chunk).unwrap();
    for length in [u64::MAX, 1 << 40] {
        bytes[8..16].copy_from_slice(&length.to_le_bytes());
        fs::write(&chunk, &bytes).unwrap();
        let mut elements = cached().iterator().unwrap();
        assert_eq!(elements.by_ref().flatten().count(), 40);
        assert!(elements.metrics().budget_peak_bytes < 1 << 20);
        let notices = std::mem::take(&mut *notices.lock().unwrap());
        let [notice] = &notices[..] else { panic!("{notices:?}") };
        let words = format!(
            "says that it stands for {length} bytes, which its {} cannot",
            bytes.len().next_multiple_of(8)
        );
        assert!(
            notice.contains(&words) && notice.contains("hint: these rows are computed again"),
            "{notice}"
        );
    }
}

fn size_of_chunks(path: &Path) -> u64 {
    let chunks = names(path).into_iter().filter(|name| is_chunk(name));
    chunks.map(|name| std::fs::metadata(path.join(name)).unwrap().len()).sum()
}
