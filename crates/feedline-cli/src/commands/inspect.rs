//! `feedline inspect`.

use std::process::ExitCode;

use crate::ui::Ui;

/// inspect
#[derive(clap::Args)]
pub(crate) struct Arguments {}

pub(crate) fn run(_arguments: &Arguments, _ui: &Ui) -> feedline::Result<ExitCode> {
    Ok(ExitCode::SUCCESS)
}
