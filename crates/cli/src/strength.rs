//! `--prior auto`: what was tried, and what became of it.

use serde_json::{Value, json};

use tuner_fit::Strength;

/// Prints the table and the choice.
pub(super) fn tell(strength: &Strength) {
    let (fitted, compared) = strength.positions;
    say!(
        "prior: strengths tried on {fitted} positions of the games that are fitted, compared on \
         {compared} of others of them"
    );
    say!("  deviation  held-out E    iterations  seconds");
    for (number, trial) in strength.trials.iter().enumerate() {
        say!(
            "  {:>9}  {:.10}  {:>10}  {:>7.2}{}",
            trial.deviation,
            trial.error,
            trial.iterations,
            trial.seconds,
            if number == strength.chosen {
                "  chosen"
            } else {
                ""
            }
        );
    }
    if strength.at_edge() {
        say!(
            "  the error still falls at the end of what was tried; look at the unit of the \
             weights and at their initial values"
        );
    }
}

/// The field of the summary.
pub(super) fn json(strength: &Strength) -> Value {
    let best = strength.best();
    let trials: Vec<Value> = strength
        .trials
        .iter()
        .map(|trial| {
            json!({
                "deviation": trial.deviation,
                "factor": trial.factor,
                "held_out_error": trial.error,
                "iterations": trial.iterations,
                "seconds": trial.seconds,
            })
        })
        .collect();
    json!({
        "deviation": best.deviation,
        "factor": best.factor,
        "at_edge": strength.at_edge(),
        "positions_fitted": strength.positions.0,
        "positions_compared": strength.positions.1,
        "tried": trials,
    })
}
