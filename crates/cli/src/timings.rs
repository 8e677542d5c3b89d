//! `fit --timings`: how long each phase took.

use std::fmt::Write as _;
use std::time::Duration;

use crate::launch::ranks;
use crate::table::TextTable;
use tuner_base::phase_times;

/// A table of the phases, and of what is in none of them.
pub(crate) fn words(whole: Duration) -> String {
    let times = phase_times();
    let mut table = TextTable::new("<phase,seconds,share,times");
    let mut line = |name: &str, time: Duration, count: &str| {
        let seconds = time.as_secs_f64();
        let share = 100.0 * seconds / whole.as_secs_f64().max(f64::MIN_POSITIVE);
        table.row([
            name.to_owned(),
            format!("{seconds:.3}"),
            format!("{share:.1} %"),
            count.to_owned(),
        ]);
    };
    for of in &times {
        let depth = of.path.len() - 1;
        let name = format!("{}{}", "  ".repeat(depth), of.path[depth]);
        line(&name, of.time, &of.count.to_string());
    }
    let first = times.iter().filter(|of| of.path.len() == 1);
    let in_phases: Duration = first.map(|of| of.time).sum();
    line("everything else", whole.saturating_sub(in_phases), "");
    line("all", whole, "");
    let mut words = table.text();
    let ranks = ranks();
    if !ranks.is_alone() {
        let (messages, bytes) = ranks.sent();
        // Writing into a text does not fail.
        let _ = writeln!(
            words,
            "the first of {} ranks has sent {messages} messages to others, {:.2} MB",
            ranks.size(),
            bytes as f64 / 1e6
        );
    }
    words
}
