//! Splits bytes into lines, for formats of records.

/// Returns the lines with their numbers, counted from 0, without line ends.
pub fn lines(bytes: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let lines = bytes.split(|&byte| byte == b'\n');
    (0..).zip(lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line)))
}

/// Counts line ends.
pub fn count(bytes: &[u8]) -> u64 {
    bytes.iter().map(|&byte| u64::from(byte == b'\n')).sum()
}

/// Returns the byte behind the last line end; `None` if there is none.
pub fn last_end(bytes: &[u8]) -> Option<usize> {
    let at = bytes.iter().rposition(|&byte| byte == b'\n')?;
    Some(at + 1)
}

/// Removes the byte order mark that some editors put before UTF-8.
pub fn without_bom(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// Returns the byte behind the last whole line that says just `text`, white space apart; `None` if
/// there is none.
pub fn end_of_last(bytes: &[u8], text: &[u8]) -> Option<usize> {
    let mut end = last_end(bytes)?;
    loop {
        let start = last_end(&bytes[..end - 1]).unwrap_or(0);
        if bytes[start..end].trim_ascii() == text {
            return Some(end);
        }
        if start == 0 {
            return None;
        }
        end = start;
    }
}
