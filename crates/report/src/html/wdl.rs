//! Win, draw and loss by score and material.

use maud::{Markup, html};

use super::calibration::{first_word, result};
use super::plot::{Plot, Point};
use super::{List, folded};
use crate::text;
use tuner_judge::{Bin, BinTable, NORMAL_MATERIAL, Residual, WdlPoint};
use tuner_record::RunRecord;

/// Most bins of a picture.
const BINS: usize = 40;

/// Returns the three curves of wins, draws and losses, each as observed and as the model expects,
/// and the numbers of the model; where there is no model, why there is none. `None` where the
/// record has neither a model nor a reason.
pub(super) fn wdl(record: &RunRecord) -> Option<Markup> {
    let examined = &record.examined;
    let Some(model) = &examined.wdl else {
        let reason = examined.wdl_left_out.as_ref()?;
        return Some(html! { p.note { "No curves: " (text::sentence(reason)) "." } });
    };
    let [win, draw, loss] = &model.by_score;
    let curves = [("Won", win), ("Drawn", draw), ("Lost", loss)];
    // 1.96 standard errors: the 95 % interval.
    let number = |[value, error]: [f64; 2]| format!("{value:.1} ± {:.1}", 1.96 * error);
    let points = List::of(&model.points)
        .column("material", |point: &WdlPoint| {
            format!("{:.0}", point.material)
        })
        .column("a: score that wins half ± 95 %", |point| number(point.a))
        .column("b: spread ± 95 %", |point| number(point.b));
    // Positions that come without the id of their game.
    let without = examined.profile.as_ref().map(|of| match of.games {
        Some(_) => of.without_game,
        None => of.results.positions,
    });
    Some(html! {
        p {
            "By the evaluation with the new weights, " (text::sentence(&model.sentence())) ", of "
            (model.positions) " positions of " (model.games) " games, " (model.drawn_games) " drawn."
        }
        @if let Some(count) = without.filter(|count| *count > 0) {
            p.warn {
                b { "Caution: " } (count) " positions of the data come without the id of a game: each counts as a game of its own, and intervals are too narrow."
            }
        }
        p.note {
            "P(win) = 1/(1 + e^((a − s)/b)), P(loss) = 1/(1 + e^((a + s)/b)) at a score s. In the curves " span.good { "blue is what was so" }
            ", with its 95 % interval by games, and " span.bad { "dashed orange what the model expects" }
            ", by centipawns of material " (NORMAL_MATERIAL) "."
        }
        div.plots {
            @for (name, table) in curves { (curve(name, "centipawns", table)) }
            (curve("Drawn", "material", &model.draws_by_material))
        }
        (points)
        details {
            summary { "as C++, for UCI_ShowWDL and normalised centipawns: v is the score" }
            pre { @for line in model.code() { (line) "\n" } }
        }
    })
}

/// Returns the picture and the table of how often games end in one way by score or material, as
/// observed and as the model expects. `name`: how they end, such as "Won"; `by`: what the bins are
/// of, such as "material".
fn curve(name: &str, by: &str, table: &BinTable<Residual>) -> Markup {
    let bins = &table.bins[..table.bins.len().min(BINS)];
    // The blue line is what was so, the dashed one, which `and_before` sets, what is expected.
    let points = bins.iter().map(|bin: &Bin<Residual>| {
        Point::new(first_word(&bin.label), Some(bin.means.outcome), bin.reach)
            .and_before(Some(bin.means.expectation))
    });
    let plot = Plot::line(format!("{name} by {by}, with 95 % intervals"), points);
    let list = List::of(bins)
        .column("", |bin| text::name(&bin.label))
        .column("positions", |bin| bin.positions)
        .column("was ± 95 %", result)
        .column("expected", |bin| format!("{:.4}", bin.means.expectation));
    html! {
        figure {
            h4 { (name) " by " (by) }
            (plot.draw())
            (folded("as a table", list))
        }
    }
}
