//! Numbers at a place of a file, straight to where they stay.

use std::fs::File;
use std::io;

use super::places::Values;

/// Reads groups of codes, straight to where they stay.
///
/// `groups` is memory of others, whose content does not matter: emptying it first
/// would take longer than half of the reading.
pub(super) fn groups(
    file: &File,
    place: Values,
    mut groups: Vec<[u16; 4]>,
) -> Result<Vec<[u16; 4]>, String> {
    groups.resize(place.count / 4, [0; 4]);
    at(
        file,
        place.run.offset,
        bytemuck::cast_slice_mut(&mut groups),
    )?;
    Ok(groups)
}

/// Reads numbers.
pub(super) fn values<T: bytemuck::Pod>(file: &File, place: Values) -> Result<Vec<T>, String> {
    let mut values = vec![T::zeroed(); place.count];
    at(
        file,
        place.run.offset,
        bytemuck::cast_slice_mut(&mut values),
    )?;
    Ok(values)
}

/// Reads pairs of numbers.
pub(super) fn pairs<T: bytemuck::Pod>(file: &File, place: Values) -> Result<Vec<[T; 2]>, String> {
    let mut pairs = vec![[T::zeroed(); 2]; place.count / 2];
    at(file, place.run.offset, bytemuck::cast_slice_mut(&mut pairs))?;
    Ok(pairs)
}

/// Reads bytes at a place, whatever other threads read.
pub(super) fn at(file: &File, offset: u64, to: &mut [u8]) -> Result<(), String> {
    read_exact_at(file, offset, to).map_err(|error| format!("cannot be read: {error}"))
}

#[cfg(unix)]
fn read_exact_at(file: &File, offset: u64, to: &mut [u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, to, offset)
}

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
