//! `profile`: E along one weight.

use super::args::WeightProfileArgs;
use super::subject::{Subject, signed, weight, weights};
use crate::output;
use crate::table::TextTable;
use tuner_jobs::{Job, JobResult as Result, Project, misuse};
use tuner_judge::{ProfilePoint, ProfileRange, WeightProfile, profile};

/// How far from a weight its profile goes at least, in its unit; chosen: half a pawn.
const LEAST_REACH: f64 = 50.0;

/// Runs `profile`: computes the error E at values of one weight, all others fixed, and says where
/// it is least.
pub(crate) fn run(job: &Job, project: &Project, args: &WeightProfileArgs) -> Result<()> {
    let linked = project.linked_for(&args.examination.data.data)?;
    let typed = &args.at.weights;
    let at = weights(job, &linked, typed)?;
    let layout = linked.spec.layout();
    let weight = weight(&linked, &args.weight)?;
    let range = range(args, at.weights()[weight.index()])?;
    Subject::examine(job, project, &linked, &args.examination, |subject| {
        // `true`: nothing is read after these rows, so what was read is told now.
        let (collected, objective) = subject.rows(&at, true)?;
        let (lane, loss, sigmoid) = (layout.lane(weight), objective.loss, objective.sigmoid);
        let found = profile(&collected.traces, at.lanes(), lane, range, loss, sigmoid)?;
        let name = layout.name(weight);
        words(&found, &name, objective.sigmoid.k());
        let facts = [("weight", &*name), ("weights", typed)];
        subject.show(&facts, &objective, &found, || output::text(&table(&found)))
    })
}

/// Returns the values of a weight at which E is computed: from `--from` to `--to`, or where these
/// are not typed as far around `value`, the weight's own, as half of its size, at least
/// `LEAST_REACH` (50). Fails if the first is not below the last.
fn range(args: &WeightProfileArgs, value: f64) -> Result<ProfileRange> {
    let reach = LEAST_REACH.max(value.abs() / 2.0);
    let range = ProfileRange {
        from: args.from.unwrap_or(value - reach),
        to: args.to.unwrap_or(value + reach),
        points: usize::from(args.steps),
    };
    if range.from < range.to {
        return Ok(range);
    }
    misuse!(
        "--from {} --to {}: expected the first value below the last",
        range.from,
        range.to
    )
}

/// Tells the user E at the weight's own value and where it is least, with the scaling constant K,
/// and where E is approximate or unknown, as positions take other branches of the evaluation far
/// from the weight.
fn words(found: &WeightProfile, name: &str, k: f64) {
    let end = match (found.at_end, found.unknown.is_empty()) {
        (false, _) => "",
        (true, true) => ", at the end of the values: E may be less beyond",
        (true, false) => ", at the end of the values where E is known: it may be less beyond",
    };
    say!(
        "{name} = {}: E {:.8}; least at {:.2}: E {:.8}{end} (K = {k:.6})",
        found.now.value,
        found.now.error,
        found.minimum.value,
        found.minimum.error
    );
    if let Some(difference) = &found.difference {
        say!("  {difference}");
    }
    let changed = found.changed_branches.iter().max().copied().unwrap_or(0);
    if let [first, .., last] | [first @ last] = &found.unknown[..] {
        say!(
            "  E is not known at {} of {} values, {first:.2} to {last:.2}: more than a tenth of the \
             positions take another branch of the evaluation there, or index by another number; \
             `tuner effect OLD NEW` computes E at other weights, such as those of a file",
            found.unknown.len(),
            found.unknown.len() + found.points.len()
        );
    } else if changed > 0 {
        say!(
            "  up to {changed} positions take another branch of the evaluation at the ends; their \
             scores there are approximate"
        );
    }
}

/// Returns the table of E by value of the weight, with the change from the weight's own value. That
/// value is marked `now` and the best one `least`; both are added if they are not among the values.
/// Values whose E is not known are marked so.
fn table(found: &WeightProfile) -> String {
    let mut table = TextTable::new("value,E,change,<");
    let mut points: Vec<_> = found.points.iter().map(|point| (*point, "")).collect();
    for (point, name) in [(found.now, "now"), (found.minimum, "least")] {
        match points
            .iter_mut()
            .find(|(p, _)| (p.value - point.value).abs() <= 0.0)
        {
            Some((_, of)) if of.is_empty() => *of = name,
            Some((_, of)) => *of = "now, least",
            None => points.push((point, name)),
        }
    }
    let row = |(point, name): (ProfilePoint, &str)| {
        let (error, change) = (point.error, signed(point.error - found.now.error, 8));
        (
            point.value,
            [format!("{error:.8}"), change, name.to_owned()],
        )
    };
    let unknown = |value: &f64| (*value, ["", "", "not known"].map(str::to_owned));
    let mut rows: Vec<_> = points.into_iter().map(row).collect();
    rows.extend(found.unknown.iter().map(unknown));
    rows.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    for (value, [error, change, name]) in rows {
        table.row([format!("{value:.2}"), error, change, name]);
    }
    table.text()
}
