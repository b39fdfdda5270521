//! What came of a conversion: the report of skipped rows, the labels, and the sums.

use std::fs;
use std::path::{Path, PathBuf};

use feedline_io::{AtomicFile, Error as IoError};

use super::bad_row::BadRow;
use super::image_change::ImageCounts;
use super::journal::{Done, Job, Plan, ShardDone};
use super::options::{ColumnType, Format};
use super::outputs::{Outputs, remove_file};
use crate::error::Result;

/// What came of a conversion.
#[derive(Clone, Debug)]
pub struct Summary {
    /// What the input was.
    pub format: Format,
    /// Rows written.
    pub rows: u64,
    /// Rows skipped, in input order; an entry may stand for several, see [`Summary::num_skipped`].
    pub skipped: Vec<BadRow>,
    /// Files in the written set.
    pub num_shards: u32,
    /// How many of them an earlier run had finished.
    pub num_shards_before: u32,
    /// Input files.
    pub input_files: u64,
    /// Their bytes.
    pub input_bytes: u64,
    /// Bytes of the written set.
    pub output_bytes: u64,
    /// Columns with their types; none where records pass as they are.
    pub columns: Vec<(String, ColumnType)>,
    /// Classes of images; 0 for other input.
    pub num_classes: u64,
    /// Files in class folders that are no images by their names.
    pub ignored_files: u64,
    /// What became of the images, where they are changed.
    pub images: ImageCounts,
    /// A pattern of the written files.
    pub pattern: String,
    /// The names of the classes, one a line, if the input was images.
    pub labels: Option<PathBuf>,
    /// Each skipped row, one JSON object a line, if there are any.
    pub report: Option<PathBuf>,
}

impl Summary {
    /// How many rows were skipped, and whether that is all: `false` if some entry stands for an unknown number of rows, so
    /// that it may be more.
    pub fn num_skipped(&self) -> (u64, bool) {
        let count = self.skipped.iter().map(|row| row.at_least.unwrap_or(1)).sum();
        (count, self.skipped.iter().all(|row| row.at_least.is_none()))
    }
}

/// What the end of a conversion is about.
pub(super) struct About<'a> {
    pub(super) outputs: &'a Outputs,
    pub(super) job: &'a Job,
    pub(super) format: Format,
    pub(super) plan: Plan,
    /// The names of the classes, if it is images.
    pub(super) classes: Option<&'a [String]>,
}

impl About<'_> {
    /// Writes the files beside the shards, as far as they are not there, and adds everything up.
    pub(super) fn finish(&self, shards: Vec<ShardDone>, done: Done, num_before: u32) -> Result<Summary> {
        let About { outputs, job, format, plan, classes } = self;
        let (mut rows, mut output_bytes, mut skipped) = (0, 0, Vec::new());
        let mut images = ImageCounts::default();
        for shard in shards {
            rows += shard.rows;
            output_bytes += shard.bytes;
            skipped.extend(shard.skipped);
            images.add(&shard.images);
        }
        skipped.sort_by_key(|row| row.position);
        let labels = outputs.labels();
        if let Some(classes) = classes {
            let lines: String = classes.iter().flat_map(|class| [class.as_str(), "\n"]).collect();
            write_file(&labels, lines.as_bytes())?;
        }
        let report = outputs.report();
        if skipped.is_empty() {
            remove_file(&report)?;
        } else {
            let mut lines = Vec::new();
            for row in &skipped {
                serde_json::to_writer(&mut lines, row)
                    .map_err(|error| IoError::io(&report, "write", error.into()))?;
                lines.push(b'\n');
            }
            write_file(&report, &lines)?;
        }
        Ok(Summary {
            format: *format,
            rows,
            num_shards: plan.shards,
            num_shards_before: num_before,
            input_files: job.inputs().num_files,
            input_bytes: job.inputs().num_bytes,
            output_bytes,
            columns: done.columns,
            num_classes: done.classes,
            ignored_files: done.ignored_files,
            images,
            pattern: outputs.pattern(plan.shards),
            labels: classes.map(|_| labels),
            report: (!skipped.is_empty()).then_some(report),
            skipped,
        })
    }
}

/// Makes the file hold `bytes`; one that does is left alone.
fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    if fs::read(path).is_ok_and(|found| found == bytes) {
        return Ok(());
    }
    let mut file = AtomicFile::create(path)?;
    file.write_all(bytes)?;
    Ok(file.commit()?)
}
