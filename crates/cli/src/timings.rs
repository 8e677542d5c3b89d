//! `fit --timings`: how long each phase took.

use std::fmt::Write as _;
use std::time::Duration;

use crate::launch::ranks;
use crate::table::TextTable;
use tuner_record::PhaseRecord;

/// Returns a table of the phases with their seconds and shares: inner phases are indented below
/// their outer one, and a line has the time that is in no phase. On several processes a line has
/// the messages sent. `whole`: the time of the command, of which the shares are.
pub(crate) fn words(whole: Duration, phases: &[PhaseRecord]) -> String {
    let mut table = TextTable::new("<phase,seconds,share,times");
    let whole = whole.as_secs_f64();
    let mut line = |name: &str, seconds: f64, count: &str| {
        let share = 100.0 * seconds / whole.max(f64::MIN_POSITIVE);
        table.row([
            name.to_owned(),
            format!("{seconds:.3}"),
            format!("{share:.1} %"),
            count.to_owned(),
        ]);
    };
    let mut rest = whole;
    for phase in phases {
        // An inner phase has the name `outer/inner`; the seconds of the outer one include it.
        let path: Vec<&str> = phase.phase.split('/').collect();
        let depth = path.len() - 1;
        if depth == 0 {
            rest -= phase.seconds;
        }
        let name = format!("{}{}", "  ".repeat(depth), path[depth]);
        line(&name, phase.seconds, &phase.count.to_string());
    }
    line("everything else", rest.max(0.0), "");
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
