//! `check`: production against trace.

use serde_json::{Map, Value, json};

use super::args::CheckArgs;
use super::interrupt::Interrupt;
use super::progress::Progress;
use super::project::Project;
use super::run::{checked, on_threads, positions, same_program};
use super::{Failure, output};

pub(super) fn run(project: &Project, args: &CheckArgs) -> Result<(), Failure> {
    let linked = project.linked_for(&args.data.data)?;
    same_program(project, &linked, project.data(&args.data.data))?;
    let progress = Progress::new(!args.json, &Interrupt::default());
    on_threads(args.threads, || {
        let positions = positions(project, &args.data, &progress)?;
        let checked = checked(project, &linked, &positions, args.differences, &progress)?;
        if args.json {
            let found = &checked.collected.agreement;
            let layout = linked.spec.layout();
            let never_read: Vec<String> = found
                .never_read()
                .into_iter()
                .map(|weight| layout.name(weight))
                .collect();
            let reads = layout.weight_ids().zip(&found.reads);
            let read_by: Map<String, Value> = reads
                .map(|(weight, &positions)| (layout.name(weight), positions.into()))
                .collect();
            let total = checked.collected.report.total();
            output::line(
                &json!({
                    "positions": found.positions,
                    "rejected": total.rejected,
                    "mismatches": found.mismatches,
                    "derivatives": checked.differences.compared,
                    "derivatives_wrong": checked.differences.wrong.len(),
                    "derivatives_skipped": checked.differences.skipped,
                    "derivatives_refused": checked.differences.refused,
                    "random_weights": checked.differences.changes,
                    "random_weights_wrong": checked.differences.changes_wrong.len(),
                    "random_weights_skipped": checked.differences.changes_skipped,
                    "resolved": found.resolved.moved,
                    "resolved_to_none": found.resolved.unexplained,
                    "nonlinear": found.nonlinear,
                    "residuals": found.residuals.count,
                    "wrong_branches": found.wrong_branches.count,
                    "overflows": found.wrapped.count,
                    "constant_positions": found.constants.positions,
                    "constant_sites": found.constants.sites.keys().collect::<Vec<_>>(),
                    "unexplained": found.unexplained.count,
                    "nodes": found.nodes as f64 / found.positions.max(1) as f64,
                    "never_read": never_read,
                    "read_by": read_by,
                    "culprit": found.culprit(layout).map(|culprit| culprit.parameter),
                })
                .to_string(),
            )?;
        }
        Ok(checked.verdict(args.data.allow_constants)?)
    })
}
