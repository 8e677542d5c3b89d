//! Splits bytes into lines, for formats of records.

/// Returns each line without its line end, `\n` or `\r\n`, with its number counted from 0.
pub fn lines(bytes: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let lines = bytes.split(|&byte| byte == b'\n');
    (0..).zip(lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line)))
}

/// Counts the line feeds in some bytes.
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

/// Returns where the last line ends that has a line end and says just `text`, white space around it
/// apart: the number of the byte behind it. `None` if there is no such line.
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
