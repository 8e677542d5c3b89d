//! How much memory there is.

use std::fs;
use std::path::Path;

/// Returns the memory that this process may still take, in bytes, where the system tells: what
/// Linux calls available, or less if the process is confined to less by its control group or by
/// `ulimit -v`. *Cost*: reads five files of the kernel, some 0.1 ms.
pub fn available_memory() -> Option<u64> {
    let read = |file: &str| fs::read_to_string(Path::new(file)).unwrap_or_default();
    // What is left of each limit; the least of them counts. What is taken counts as 0 where the
    // system does not tell it.
    let free = kilobytes(&read("/proc/meminfo"), "MemAvailable:");
    let number = |file: &str| -> Option<u64> {
        read(file).trim().parse().ok() // "max" where there is no limit
    };
    let group = number("/sys/fs/cgroup/memory.max").map(|most| {
        let taken = number("/sys/fs/cgroup/memory.current").unwrap_or(0);
        most.saturating_sub(taken)
    });
    let space = address_limit().map(|most| {
        let taken = kilobytes(&read("/proc/self/status"), "VmSize:").unwrap_or(0);
        most.saturating_sub(taken)
    });
    free.into_iter().chain(group).chain(space).min()
}

/// Returns the limit of this process' addresses that `ulimit -v` has set, in bytes, if there is one
/// and the system tells.
pub fn address_limit() -> Option<u64> {
    address_space(&fs::read_to_string("/proc/self/limits").ok()?)
}

/// Finds the line `name N kB` in a text; returns N in bytes. `None` if there is no such line, or
/// more bytes than a `u64` holds.
fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// The soft limit of the address space in bytes, by the text of `/proc/self/limits`; `None` where
/// there is no limit.
fn address_space(limits: &str) -> Option<u64> {
    let mut lines = limits.lines();
    let line = lines.find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok() // "unlimited"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn available_memory_is_read_or_unknown() {
        let text = "MemTotal:  24000 kB\nMemAvailable:    1500 kB\n";
        assert_eq!(kilobytes(text, "MemAvailable:"), Some(1_536_000));
        for other in ["", "MemAvailable:", "MemAvailable: x kB", "MemFree: 1 kB"] {
            assert_eq!(kilobytes(other, "MemAvailable:"), None, "{other}");
        }
        let limits = "Limit                     Soft Limit           Hard Limit           Units\n\
                      Max address space         409600000            unlimited            bytes\n";
        assert_eq!(address_space(limits), Some(409_600_000));
        let unlimited = limits.replace("409600000", "unlimited");
        assert_eq!(address_space(&unlimited), None);
    }
}
