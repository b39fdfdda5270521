//! An inspection, for people.

use feedline::data::DType;
use feedline::formats::Compression;
use feedline::formats::example::{FeatureSummary, Histogram, RecordKind};
use feedline::inspect::{Count, FileInspection, IndexState, Inspection, RecordSample};
use feedline::io::shown;

use super::super::common::{self, Table};
use super::value;
use crate::ui::{self, Ui};

/// Files listed; of more, the first ones.
const MAX_FILES: usize = 40;
/// Values shown as bars; of more, a summary.
const MAX_BARS: usize = 20;
const BAR_WIDTH: u64 = 40;
/// Features with more values a record are pixels or tokens, not labels.
const MAX_LABELS: usize = 16;
/// Examples of one feature, and the characters they may take.
const MAX_EXAMPLES: usize = 3;
const EXAMPLE_CHARS: usize = 60;

pub(super) fn inspection(inspection: &Inspection, ui: &Ui) {
    print_files(&inspection.files, ui);
    let sample = &inspection.sample;
    if sample.num_records > 0 {
        ui.result("");
        ui.result(heading(sample));
        for line in features(sample).lines() {
            ui.result(line);
        }
        for line in conflicts(sample) {
            ui.result(line);
        }
        for line in histograms(sample) {
            ui.result(line);
        }
    }
    if inspection.files.iter().any(|file| matches!(file.count, Count::Estimated(_))) {
        ui.note("");
        ui.note("≈ is an estimate from the records looked at, in compressed files those at the beginning; --exact counts all");
        ui.note("of them, and after `feedline index` the number in files that are not compressed is known at once");
    }
}

/// Whether anything but its name is known of a file: one that cannot be opened, or is packed in a way that is not read, is not
/// said to be of no bytes and not compressed.
fn is_read(file: &FileInspection) -> bool {
    file.problem.is_none() || file.file_bytes > 0
}

fn print_files(files: &[FileInspection], ui: &Ui) {
    let total = files.iter().fold(Count::Exact(0), |sum, file| sum.plus(file.count));
    let bytes: u64 = files.iter().map(|file| file.file_bytes).sum();
    if let [file] = files {
        let mut facts = vec![records(file.count)];
        if is_read(file) {
            facts.push(ui::size(file.file_bytes));
            facts.push(file.compression.map_or("not compressed", Compression::name).to_owned());
            facts.push(index_word(&file.index).to_owned());
        }
        ui.result(format_args!("{}: {}", shown(&file.path), facts.join(", ")));
        return;
    }
    let has_problems = files.iter().any(|file| file.num_problems > 0);
    let problems = if has_problems { ">problems" } else { ">" };
    let mut table = Table::new(&["file", ">records", ">size", "compression", "index", problems]);
    for file in files.iter().take(MAX_FILES) {
        table.row([
            shown(&file.path),
            number(file.count),
            if is_read(file) { ui::size(file.file_bytes) } else { "?".into() },
            file.compression.map_or(if is_read(file) { "none" } else { "?" }, Compression::name).to_owned(),
            index_word(&file.index).trim_end_matches(" index").replace("indexed", "yes"),
            if file.num_problems == 0 { String::new() } else { ui::thousands(file.num_problems) },
        ]);
    }
    for line in table.lines() {
        ui.result(line);
    }
    if files.len() > MAX_FILES {
        let more = common::count((files.len() - MAX_FILES) as u64, "more file");
        ui.result(format_args!("… and {more} (--json lists all)"));
    }
    let num_files = common::count(files.len() as u64, "file");
    ui.result(format_args!("{num_files}, {}, {}", records(total), ui::size(bytes)));
}

fn number(count: Count) -> String {
    match count {
        Count::Exact(number) => ui::thousands(number),
        Count::Estimated(number) => format!("≈ {}", ui::thousands(rounded(number))),
        Count::Unknown => "?".to_owned(),
    }
}

fn records(count: Count) -> String {
    match count {
        Count::Exact(number) => common::count(number, "record"),
        Count::Estimated(_) => format!("{} records", number(count)),
        Count::Unknown => "an unknown number of records".to_owned(),
    }
}

/// To three digits: an estimate should not look like a count.
fn rounded(number: u64) -> u64 {
    let unit = 10_u64.pow(number.checked_ilog10().unwrap_or(0).saturating_sub(2));
    (number + unit / 2) / unit * unit
}

fn index_word(index: &IndexState) -> &'static str {
    match index {
        IndexState::Missing => "no index",
        IndexState::Valid => "indexed",
        IndexState::Unusable(_) => "stale index",
    }
}

fn heading(sample: &RecordSample) -> String {
    let kind = match sample.schema.kind {
        RecordKind::Bytes => "bytes (neither Example nor SequenceExample)",
        kind => kind.name(),
    };
    let looked_at = looked_at(sample);
    let unparsed = match sample.num_unparsed {
        0 => String::new(),
        count => format!("; {} of these do not parse as such", ui::thousands(count)),
    };
    let size = match sample.record_bytes {
        Some((least, greatest)) if least == greatest => format!(" Each has {}.", ui::size(least)),
        Some((least, greatest)) => format!(" Each has {} to {}.", ui::size(least), ui::size(greatest)),
        None => String::new(),
    };
    format!("Records are {kind}, going by {looked_at}{unparsed}.{size}")
}

fn looked_at(sample: &RecordSample) -> String {
    match (sample.is_whole, sample.num_records) {
        (true, 1) => "the only one".to_owned(),
        (true, number) => format!("all {}", ui::thousands(number)),
        (false, number) => format!("a sample of {}", ui::thousands(number)),
    }
}

fn features(sample: &RecordSample) -> Table {
    let schema = &sample.schema;
    if schema.kind == RecordKind::Bytes {
        let mut table = Table::new(&["record", "type", "example values"]);
        let heads = sample.heads.iter().map(value::example);
        table.row(["(all of it)".to_owned(), "bytes".to_owned(), joined(heads, "; ")]);
        return table;
    }
    let mut table = Table::new(&["feature", "type", "shape", ">present", "values"]);
    let percent = |feature: &FeatureSummary| percent(feature.present, schema.num_records);
    for feature in &schema.features {
        table.row([name(feature), dtype(feature), shape(feature), percent(feature), values(feature)]);
    }
    for list in &schema.lists {
        let steps = list.steps.map_or_else(String::new, |steps| match steps {
            (least, greatest) if least == greatest => format!("{least} steps of "),
            (least, greatest) => format!("{least}..{greatest} steps of "),
        });
        let shape = format!("{steps}{}", shape(list));
        table.row([format!("{} (list)", name(list)), dtype(list), shape, percent(list), values(list)]);
    }
    table
}

/// Control characters in a name would break the table.
fn name(feature: &FeatureSummary) -> String {
    shown(feature.name.as_ref())
}

fn dtype(feature: &FeatureSummary) -> String {
    match (feature.dtype, feature.conflicting_dtype) {
        (Some(dtype), Some(other)) => format!("{dtype} and {other}!"),
        (Some(dtype), None) => dtype.to_string(),
        (None, _) => "unset".to_owned(),
    }
}

fn shape(feature: &FeatureSummary) -> String {
    match (feature.min_len, feature.max_len) {
        (1, 1) => "scalar".to_owned(),
        (least, greatest) if least == greatest => format!("[{least}]"),
        (least, greatest) => format!("variable {least}..{greatest}"),
    }
}

fn percent(part: u64, whole: u64) -> String {
    let percent = 100.0 * part as f64 / whole.max(1) as f64;
    // 100 % means all of them.
    if part == whole { "100 %".to_owned() } else { format!("{:.1} %", percent.clamp(0.1, 99.9)) }
}

fn values(feature: &FeatureSummary) -> String {
    let separator = if feature.dtype == Some(DType::String) { "; " } else { ", " };
    let examples = joined(feature.samples.iter().map(value::example), separator);
    let (least, greatest) = match (feature.int_range, feature.range) {
        (Some((least, greatest)), _) => (least.to_string(), greatest.to_string()),
        (None, Some((least, greatest))) => (value::float(least), value::float(greatest)),
        (None, None) => return examples,
    };
    if least == greatest {
        format!("always {least}")
    } else {
        format!("{least} .. {greatest}, e.g. {examples}")
    }
}

/// A few different examples, as many as fit.
fn joined(examples: impl Iterator<Item = String>, separator: &str) -> String {
    let mut chosen: Vec<String> = Vec::new();
    for example in examples {
        let length: usize = chosen.iter().map(|example| example.chars().count() + 2).sum();
        let fits = chosen.is_empty() || length + example.chars().count() <= EXAMPLE_CHARS;
        if fits && chosen.len() < MAX_EXAMPLES && !chosen.contains(&example) {
            chosen.push(example);
        }
    }
    chosen.join(separator)
}

fn conflicts(sample: &RecordSample) -> Vec<String> {
    let all = sample.schema.features.iter().chain(&sample.schema.lists);
    let conflict = |feature: &FeatureSummary| {
        let (dtype, other) = (feature.dtype?, feature.conflicting_dtype?);
        Some(format!(
            "! `{}` is {dtype} in some records and {other} in others: no spec reads both",
            name(feature)
        ))
    };
    all.filter_map(conflict).collect()
}

fn histograms(sample: &RecordSample) -> Vec<String> {
    let all = sample.schema.features.iter().chain(&sample.schema.lists);
    let mut lines = Vec::new();
    for feature in all.filter(|feature| feature.max_len <= MAX_LABELS && feature.conflicting_dtype.is_none())
    {
        if let Some(histogram) = feature.histogram.as_ref().filter(|histogram| is_label_like(histogram)) {
            lines.push(String::new());
            let records = match (sample.is_whole, sample.num_records) {
                (true, 1) => "the only record".to_owned(),
                (false, 1) => "a sample of 1 record".to_owned(),
                _ => format!("{} records", looked_at(sample)),
            };
            lines.extend(show_histogram(feature, histogram, &records));
        }
    }
    lines
}

fn is_label_like(histogram: &Histogram) -> bool {
    let distinct = histogram.counts.len() as u64;
    let total: u64 = histogram.counts.iter().map(|(_, count)| count).sum();
    // One value says no more than the table; where nearly all are different, they are numbers or names of things.
    distinct > 1 && (distinct <= MAX_BARS as u64 || 2 * distinct <= total)
}

fn show_histogram(feature: &FeatureSummary, histogram: &Histogram, records: &str) -> Vec<String> {
    let counts = &histogram.counts;
    let total: u64 = counts.iter().map(|(_, count)| count).sum();
    let most = counts.iter().max_by_key(|(value, count)| (*count, std::cmp::Reverse(*value)));
    let least = counts.iter().min_by_key(|(value, count)| (*count, *value));
    let (Some(&(most, most_count)), Some(&(least, least_count))) = (most, least) else { return Vec::new() };
    let what =
        format!("`{}`: {} different values in {records}", name(feature), ui::thousands(counts.len() as u64));
    if counts.len() > MAX_BARS {
        let (first, last) = (counts[0].0, counts[counts.len() - 1].0);
        return vec![format!(
            "{what}, {first} .. {last}; most often {most} ({most_count} times), least often {least} ({least_count})"
        )];
    }
    let mut table = Table::new(&[">", "", ">", ">"]);
    for &(value, count) in counts {
        let bar = "█".repeat((count * BAR_WIDTH / most_count.max(1)).max(1) as usize);
        table.row([value.to_string(), bar, ui::thousands(count), percent(count, total)]);
    }
    let mut lines = vec![format!("{what}:")];
    lines.extend(table.lines().into_iter().skip(1).map(|line| format!("  {line}")));
    lines
}
