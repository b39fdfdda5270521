//! `feedline convert`.

use std::process::ExitCode;

use crate::ui::Ui;

/// convert
#[derive(clap::Args)]
pub(crate) struct Arguments {}

pub(crate) fn run(_arguments: &Arguments, _ui: &Ui) -> feedline::Result<ExitCode> {
    Ok(ExitCode::SUCCESS)
}
