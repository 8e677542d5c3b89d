//! Where the results of a fit go.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::Failure;
use super::args::FitArgs;
use crate::codegen::{Written, write_if_changed};

/// Finds out before the work whether the results can be written.
pub(super) fn writable(folder: &Path) -> Result<(), Failure> {
    let refused = |error: std::io::Error| -> Failure {
        format!(
            "--out {}: {error}; name a folder that can be written",
            folder.display()
        )
        .into()
    };
    fs::create_dir_all(folder).map_err(refused)?;
    let trial = folder.join(format!(".{}.tmp", std::process::id()));
    fs::write(&trial, "")
        .and_then(|()| fs::remove_file(&trial))
        .map_err(refused)?;
    for name in ["tuned_weights.rs", "summary.json"] {
        let target = folder.join(name);
        if target.is_dir() {
            return Err(format!(
                "{}: found a folder, expected a file or nothing; move it, or name another --out",
                target.display()
            )
            .into());
        }
    }
    Ok(())
}

/// Writes the summary, and prints it if asked for.
pub(super) fn hand_over(args: &FitArgs, summary: &Value) -> Result<(), Failure> {
    write(&args.out, "summary.json", &format!("{summary:#}\n"))?;
    if args.json {
        println!("{summary}");
    }
    Ok(())
}

/// Writes a file of the results, unless it holds the text already.
pub(super) fn write(folder: &Path, name: &str, text: &str) -> Result<(), Failure> {
    let path = folder.join(name);
    let written =
        write_if_changed(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    let what = match written {
        Written::Changed => "written",
        Written::Unchanged => "unchanged",
    };
    eprintln!("{}: {what}", path.display());
    Ok(())
}
