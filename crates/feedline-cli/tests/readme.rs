//! The README's commands do what it says.

use std::process::Command;

const README: &str = include_str!("../../../README.md");

#[test]
fn every_command_of_the_readme_runs() {
    let folder = tempfile::tempdir().unwrap();
    let binary_folder = std::path::Path::new(env!("CARGO_BIN_EXE_feedline")).parent().unwrap();
    let path = format!("{}:{}", binary_folder.display(), std::env::var("PATH").unwrap());
    let console = README.split("```console\n").nth(1).unwrap().split("```").next().unwrap();
    let commands: Vec<&str> = console.lines().filter_map(|line| line.strip_prefix("$ ")).collect();
    assert!(commands.len() >= 5, "the README has lost its commands");
    for command in commands {
        let output = Command::new("sh")
            .args(["-c", command])
            .current_dir(&folder)
            .env("PATH", &path)
            .output()
            .unwrap();
        assert!(output.status.success(), "{command}\n{}", String::from_utf8_lossy(&output.stderr));
    }
}
