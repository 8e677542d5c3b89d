//! Numbers at a place of a file, straight to where they stay.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use super::places::Values;

/// Reads the values of a column, at a place of the file, as numbers or as arrays of numbers. `Err`:
/// why they cannot be read, in words that follow the file's name.
pub(super) fn values<T: bytemuck::Pod>(file: &File, place: Values) -> Result<Vec<T>, String> {
    values_in(file, place, Vec::new())
}

/// Reads the values of a column into a vector whose content is lost, and returns it. The vector is
/// not emptied first, as filling it with zeros would take longer than half of the reading. `Err`:
/// why they cannot be read, in words that follow the file's name.
pub(super) fn values_in<T: bytemuck::Pod>(
    file: &File,
    place: Values,
    mut values: Vec<T>,
) -> Result<Vec<T>, String> {
    values.resize(place.run.bytes / size_of::<T>(), T::zeroed());
    let bytes = bytemuck::cast_slice_mut(&mut values);
    at(file, place.run.offset, bytes)?;
    Ok(values)
}

/// Tells whether a file begins with the bytes `start`; false if it is not a plain file or cannot be
/// read.
pub(super) fn begins_with(path: &Path, start: &[u8]) -> bool {
    // A pipe would lose what is read here.
    if !std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file()) {
        return false;
    }
    let mut found = vec![0; start.len()];
    File::open(path).is_ok_and(|mut file| file.read_exact(&mut found).is_ok()) && found == start
}

/// Bytes that are read by place.
pub(crate) trait BytesByPlace {
    /// Fills `to` with the bytes from `offset` on; fails where there are not so many.
    fn read_at(&self, offset: u64, to: &mut [u8]) -> io::Result<()>;
}

impl BytesByPlace for File {
    fn read_at(&self, offset: u64, to: &mut [u8]) -> io::Result<()> {
        read_exact_at(self, offset, to)
    }
}

impl BytesByPlace for Vec<u8> {
    /// Copies the bytes; fails if there are not so many.
    fn read_at(&self, offset: u64, to: &mut [u8]) -> io::Result<()> {
        let from = usize::try_from(offset).ok();
        let from = from.and_then(|from| self.get(from..)?.get(..to.len()));
        to.copy_from_slice(from.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}

/// Reads all bytes of `to` from `offset` on; other threads may read at the same time. `Err`: why
/// they cannot be read, in words that follow the file's name.
pub(crate) fn at(file: &dyn BytesByPlace, offset: u64, to: &mut [u8]) -> Result<(), String> {
    file.read_at(offset, to)
        .map_err(|error| format!("cannot be read: {error}"))
}

/// Fills `to` with the bytes from `offset` on, without a shared position of the file, so that other
/// threads may read too.
#[cfg(unix)]
fn read_exact_at(file: &File, offset: u64, to: &mut [u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, to, offset)
}

/// Fills `to` with the bytes from `offset` on. Each read states its offset, so that other threads
/// may read too.
#[cfg(windows)]
fn read_exact_at(file: &File, mut offset: u64, mut to: &mut [u8]) -> io::Result<()> {
    while !to.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, to, offset)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => {
                to = &mut to[read..];
                offset += read as u64;
            }
        }
    }
    Ok(())
}
