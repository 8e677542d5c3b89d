//! Archives of files, compressed by zstd.

use std::error::Error;
use std::fs::File;
use std::path::{Path, PathBuf};

/// Unpacks the files of an archive into one folder, without subfolders; returns
/// their paths, sorted.
pub(crate) fn unpack(archive: &Path, folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut archive = tar::Archive::new(zstd::Decoder::new(File::open(archive)?)?);
    let mut paths = Vec::new();
    for entry in archive.entries()? {
        let mut entry = entry?;
        if entry.header().entry_type().is_file() {
            let path = folder.join(entry.path()?.file_name().unwrap_or_default());
            entry.unpack(&path)?;
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}
