//! `explain --weight`: which positions and games move one weight.

use super::args::ExplainArgs;
use super::subject::{Subject, print_board, weight};
use crate::output;
use crate::table::TextTable;
use tuner_engine::LinkedSpec;
use tuner_engine::examine::{GamePull, Pulls, WeightSet, pulls};
use tuner_jobs::{Job, JobResult as Result, Project};
use tuner_report::clean;

/// Runs `explain --weight`: lists the positions and games that pull the weight `name` up or down
/// most, at the weights `at`. The pull of a position is its part of the step that the weight alone
/// would make to lower E, in the weight's unit.
pub(super) fn run(
    job: &Job,
    project: &Project,
    linked: &LinkedSpec,
    at: &WeightSet,
    args: &ExplainArgs,
    name: &str,
) -> Result<()> {
    let weight = weight(linked, name)?;
    Subject::examine(job, project, linked, &args.examination, |subject| {
        let objective = subject.objective(at)?;
        let (of, most) = (&subject.examination, args.most.most());
        let found = subject.checked(pulls(of, at, weight, &objective, most), at)?;
        words(&found);
        subject.show(&[], &objective, &found, || {
            for (way, positions) in [("up", &found.up), ("down", &found.down)] {
                output::text(&format!("positions that pull it {way}\n\n"))?;
                for pull in positions {
                    let numbers =
                        format!("pull {:+.3}, derivative {:+.3}", pull.pull, pull.derivative);
                    print_board(
                        &pull.origin.position,
                        &pull.origin,
                        &numbers,
                        [pull.expectation, pull.target, pull.score],
                        &objective,
                    )?;
                }
            }
            for (way, games) in [("up", &found.games_up), ("down", &found.games_down)] {
                output::text(&format!("games that pull it {way}\n{}\n", table(games)))?;
            }
            Ok(())
        })
    })
}

/// Tells the user how many positions read the weight, where one step by slope and curvature would
/// bring it, and where it would be without the game that pulls most.
fn words(found: &Pulls) {
    say!(
        "{} = {}: read by {} positions of {} games",
        found.name,
        found.value,
        found.positions,
        found.games
    );
    let (Some(step), Some(after)) = (found.step, found.value_after_step) else {
        say!("  E is not curved along it: nothing pulls");
        return;
    };
    say!("  one step by slope and curvature, alone and without a prior: {step:+.2}, to {after:.2}");
    for (way, without) in [("up", &found.without_up), ("down", &found.without_down)] {
        if let Some(without) = without {
            say!(
                "  without the game that pulls it {way} most, {}: to {:.2}",
                clean(&without.game),
                without.value
            );
        }
    }
}

/// Returns the table of the games that pull a weight up, or down, most: the pull in the weight's
/// unit, and where the position with the largest pull is.
fn table(games: &[GamePull]) -> String {
    let mut table = TextTable::new("pull,positions,<game,<place of the largest");
    for game in games {
        table.row([
            format!("{:+.3}", game.pull),
            game.positions.to_string(),
            game.game.clone(),
            format!("{}:{}", game.file, game.line),
        ]);
    }
    table.text()
}
