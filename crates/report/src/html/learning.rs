//! Fits of parts of the games, of folds, and without a parameter.

use maud::{Markup, html};

use super::plot::{Plot, Point};
use super::{List, ROWS, bar, folded};
use crate::text;
use tuner_judge::{Ablation, CrossValidation, ErrorDifference, LearningCurve};
use tuner_record::{RunRecord, TermRecord, TermWorth};

/// What other fits say: of parts of the games, of folds, and without a parameter; `None` where no
/// such fit was asked for.
pub(super) fn learning(record: &RunRecord) -> Option<Markup> {
    let curve = record.learning_curve.as_ref();
    let curve = curve.filter(|curve| !curve.points.is_empty());
    let folds = record.folds.as_ref().filter(|f| !f.folds.is_empty());
    let ablations = &record.ablations;
    (curve.is_some() || folds.is_some() || !ablations.is_empty()).then(|| {
        html! {
            @if let Some(curve) = curve { (learning_curve(curve)) }
            @if let Some(folds) = folds { (self::folds(folds)) }
            @if !ablations.is_empty() { (self::ablations(ablations, &record.terms)) }
        }
    })
}

/// Returns a point of a picture: the change of the held-out error, below 0 where the fit made it
/// less, with its 95 % interval. `label`: the number below the point.
fn point(label: usize, difference: &ErrorDifference) -> Point {
    let reach = Some(difference.reach()).filter(|reach| reach.is_finite());
    Point::new(label.to_string(), Some(difference.difference), reach)
}

/// The errors before and after, in words; `None` for less than two games, of which no standard
/// error follows.
fn numbers(difference: Option<&ErrorDifference>) -> Option<String> {
    let difference = difference.filter(|difference| difference.games >= 2);
    difference.map(ToString::to_string)
}

/// The change of the held-out error by fits of parts of the games, and what twice the games would
/// bring.
fn learning_curve(curve: &LearningCurve) -> Markup {
    let points = &curve.points[..curve.points.len().min(ROWS)];
    let drawn = points.iter().map(|p| point(p.games, &p.held_out));
    let title = "Change of the held-out error by the games fitted, with 95 % intervals";
    let plot = Plot::line(title, drawn).across(&[0.0]);
    let table = List::of(points)
        .column("games", |point| point.games)
        .column("part", |point| text::percent(point.part))
        .column("held-out E", |point| numbers(Some(&point.held_out)));
    let last = points.last().map(|point| point.held_out.after);
    let more = curve.with_twice_the_games.zip(last);
    html! {
        h3 { "Would more games help?" }
        p.note { "Change of the held-out error against the old weights, of fits of 1/16 to all of the games, by the number of games; with 95 % intervals." }
        @if let Some((twice, last)) = more {
            p { "Twice the games would lead to a held-out E of about " (format!("{twice:.6}")) ", "
                (format!("{:+.6}", twice - last)) " from here." }
        }
        (plot.draw())
        (folded("the learning curve as a table", table))
    }
}

/// The errors of fits that each leave out a fold.
fn folds(folds: &CrossValidation) -> Markup {
    let all: Vec<(usize, &ErrorDifference)> = (1..).zip(folds.folds.iter().take(ROWS)).collect();
    let drawn = all.iter().map(|(n, fold)| point(*n, fold));
    let title = "Change of E on the games of each fold, with 95 % intervals";
    let plot = Plot::line(title, drawn).joined(false).across(&[0.0]);
    let table = List::of(&all)
        .column("fold", |(number, _)| *number)
        .column("E", |(_, fold)| numbers(Some(fold)));
    html! {
        h3 { "Folds" }
        @if let Some(all) = &folds.all {
            p { "All games, each judged by a fit that did not see it: " (all.to_string()) "." }
        }
        p.note { "Change of E on the games of each fold, by a fit of the others; with 95 % intervals." }
        (plot.draw())
        (folded("the folds as a table", table))
    }
}

/// Returns a table of what each parameter is worth: by the held-out error of a fit without it, and
/// by games of the weights of that fit against those of the fit with it. `terms`: the games, of the
/// parameters for which some were played.
fn ablations(ablations: &[Ablation], terms: &[TermRecord]) -> Markup {
    // Where there is no difference of the held-out error the bar has no length.
    let change = |ablation: &Ablation| ablation.without.map_or(0.0, |d| d.difference);
    let sizes = ablations.iter().map(|ablation| change(ablation).abs());
    let most = sizes.fold(0.0, f64::max);
    let term = |ablation: &Ablation| terms.iter().find(|term| term.group == ablation.group);
    let ablations = List::first_of(ablations, "parameters")
        .column("parameter", |ablation| text::name(&ablation.group))
        .column("better | worse without", |ablation| {
            bar(change(ablation), most)
        })
        .column("at 0", |ablation| numbers(ablation.without.as_ref()))
        .column("as before", |ablation| numbers(ablation.unchanged.as_ref()))
        .column("in games", |ablation| {
            term(ablation).map(|term| {
                // Where Elo is not known, as while no game is over, it is left blank.
                let (elo, games) = (term.elo().unwrap_or_default(), term.standing.games);
                format!("{elo} in {games}: {}", TermWorth::words(term.worth))
            })
        })
        .column("time a node", |ablation| {
            Some(term(ablation)?.node_time?.to_string())
        });
    html! {
        h3 { "Without a parameter" }
        p.note { "Held-out E with the parameter → without it, all other weights fitted again: right of the middle it rises, and the parameter is worth having. In games: the weights without it against those with it; time a node: of the engine built either way." }
        @if terms.len() > 1 { p.note { (text::sentence(TermWorth::OF_ALL)) "." } }
        (ablations)
    }
}
