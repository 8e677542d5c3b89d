//! Splits bytes into lines.

/// Returns the lines with their numbers, counted from 0, without line ends.
pub(super) fn lines(bytes: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let lines = bytes.split(|&byte| byte == b'\n');
    (0..).zip(lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line)))
}

/// Counts line ends.
pub(super) fn count(bytes: &[u8]) -> u64 {
    bytes.iter().map(|&byte| u64::from(byte == b'\n')).sum()
}

/// Returns where the last whole line ends.
pub(super) fn last_end(bytes: &[u8]) -> Option<usize> {
    bytes
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map(|at| at + 1)
}

/// Removes the byte order mark that some editors put before UTF-8.
pub(super) fn without_bom(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}
