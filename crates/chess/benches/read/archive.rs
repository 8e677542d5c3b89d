//! Archives of files (POSIX.1-1988, ustar), compressed by zstd.

use std::error::Error;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// Bytes in which headers and files are counted.
const BLOCK: usize = 512;

/// Unpacks the files of an archive into a folder, without folders of their own;
/// returns them by name.
pub(crate) fn unpack(archive: &Path, folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let bytes = zstd::stream::decode_all(File::open(archive)?)?;
    let mut rest = bytes.as_slice();
    let mut paths = Vec::new();
    while let Some((header, after)) = rest.split_at_checked(BLOCK) {
        let text = |range: std::ops::Range<usize>| {
            let field = header[range]
                .split(|&byte| byte == 0)
                .next()
                .unwrap_or_default();
            String::from_utf8_lossy(field).trim().to_owned()
        };
        let (name, size) = (text(0..100), text(124..136));
        if name.is_empty() {
            break;
        }
        let size = usize::from_str_radix(&size, 8)?;
        let (content, after) = after.split_at(size.next_multiple_of(BLOCK).min(after.len()));
        rest = after;
        if header[156] == b'0' {
            let path = folder.join(Path::new(&name).file_name().unwrap_or_default());
            fs::write(&path, &content[..size])?;
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}
