//! `explain --weight`: which positions and games move one weight.

use serde_json::json;

use super::args::ExplainArgs;
use super::table::TextTable;
use super::{Subject, game, outcome, place, print_object, weight};
use crate::project::Project;
use crate::run::on_threads;
use crate::{Failure, output};
use tuner_engine::LinkedSpec;
use tuner_engine::examine::{
    ExaminationObjective, GamePull, PositionPull, Pulls, WeightSet, diagram, pulls,
};
use tuner_report::clean;

pub(super) fn run(
    project: &Project,
    linked: &LinkedSpec,
    at: &WeightSet,
    args: &ExplainArgs,
    name: &str,
) -> Result<(), Failure> {
    let weight = weight(linked, name)?;
    on_threads(args.examination.threads, || {
        let subject = Subject::new(project, linked, &args.examination)?;
        let objective = subject.objective(at)?;
        let examination = subject.examination();
        let found = pulls(&examination, at, weight, &objective, args.most.most());
        subject.progress.done();
        let (report, found) = found?;
        subject.finish(&report, at)?;
        words(&found);
        if args.examination.json {
            return print_object(subject.facts(&objective), &json!(found));
        }
        for (way, positions) in [("up", &found.up), ("down", &found.down)] {
            output::text(&format!("positions that pull it {way}\n\n"))?;
            let mut positions = positions.iter();
            positions.try_for_each(|pull| drawn(pull, &objective))?;
        }
        for (way, games) in [("up", &found.games_up), ("down", &found.games_down)] {
            output::text(&format!("games that pull it {way}\n{}\n", table(games)))?;
        }
        Ok(())
    })
}

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

fn drawn(pull: &PositionPull, objective: &ExaminationObjective) -> Result<(), Failure> {
    let board = diagram(&pull.origin.position).unwrap_or_default();
    output::line(&format!(
        "{}\n{board}pull {:+.3}, derivative {:+.3}, p {:.3}, {}, score {:.0}, game {}, {}\n",
        pull.origin.position,
        pull.pull,
        pull.derivative,
        pull.expectation,
        outcome(&pull.origin, pull.target, objective),
        pull.score,
        clean(&game(&pull.origin)),
        clean(&place(&pull.origin))
    ))
}

fn table(games: &[GamePull]) -> String {
    let mut table = TextTable::new(&["pull", "positions", "<game", "<place of the largest"]);
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
