//! How much memory there is for a fit.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use tuner_fit::TooLarge;
use tuner_solve::Reduction;
use tuner_spec::Layout;

const NAMED: usize = 3;

/// Returns the memory that is free, in bytes, where the system tells: what
/// Linux calls available, or less if this process is confined to less.
pub(super) fn available() -> Option<u64> {
    let free = fs::read_to_string("/proc/meminfo")
        .ok()
        .and_then(|text| meminfo(&text));
    let group = Path::new("/sys/fs/cgroup");
    let number = |file| -> Option<u64> {
        let text = fs::read_to_string(group.join(file)).ok()?;
        text.trim().parse().ok() // "max" where there is no limit
    };
    let confined = number("memory.max").map(|most| {
        let taken = number("memory.current").unwrap_or(0);
        most.saturating_sub(taken)
    });
    free.into_iter().chain(confined).min()
}

fn meminfo(text: &str) -> Option<u64> {
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// The error with the parameters that most of the variables belong to.
pub(super) fn largest(error: &TooLarge, layout: &Layout, reduction: &Reduction) -> String {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for &variable in &error.variables {
        let parameter = layout.parameter_of(reduction.roots()[variable]);
        *counts.entry(parameter.name()).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let words: Vec<String> = counts
        .iter()
        .take(NAMED)
        .map(|(name, count)| format!("{name} ({count})"))
        .collect();
    format!("{error}\n  most of them are of: {}", words.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn available_memory_is_read_or_unknown() {
        let text = "MemTotal:  24000 kB\nMemAvailable:    1500 kB\n";
        assert_eq!(meminfo(text), Some(1_536_000));
        for other in ["", "MemAvailable:", "MemAvailable: x kB", "MemFree: 1 kB"] {
            assert_eq!(meminfo(other), None, "{other}");
        }
    }
}
