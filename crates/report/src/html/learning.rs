//! Fits of parts of the games, of folds, and without a parameter.

use maud::{Markup, html};

use super::plot::{Plot, Point};
use super::{ROWS, bar, cell, folded, left_out, table};
use crate::digest::INTERVAL;
use crate::text;
use tuner_judge::{Ablation, CrossValidation, ErrorDifference, LearningCurve};
use tuner_record::RunRecord;

/// What other fits say, where they were asked for.
pub(super) fn learning(record: &RunRecord) -> Option<Markup> {
    let curve = record.learning_curve.as_ref();
    let curve = curve.filter(|curve| !curve.points.is_empty());
    let folds = record.folds.as_ref().filter(|f| !f.folds.is_empty());
    let ablations = &record.ablations;
    (curve.is_some() || folds.is_some() || !ablations.is_empty()).then(|| {
        html! {
            @if let Some(curve) = curve { (learning_curve(curve)) }
            @if let Some(folds) = folds { (self::folds(folds)) }
            @if !ablations.is_empty() { (self::ablations(ablations)) }
        }
    })
}

/// The change of the held-out error, with its 95 % interval.
fn point(difference: &ErrorDifference) -> Point {
    Point {
        new: Some(difference.difference),
        reach: Some(INTERVAL * difference.standard_error),
        old: None,
    }
}

/// The errors of two games or more.
fn numbers(difference: Option<&ErrorDifference>) -> Markup {
    let difference = difference.filter(|difference| difference.games >= 2);
    cell(text::or_dash(difference, ToString::to_string))
}

fn learning_curve(curve: &LearningCurve) -> Markup {
    let points = &curve.points[..curve.points.len().min(ROWS)];
    let labels: Vec<String> = points.iter().map(|p| p.games.to_string()).collect();
    let drawn: Vec<Point> = points.iter().map(|p| point(&p.held_out)).collect();
    let plot = Plot {
        title: "Change of the held-out error by the games fitted, with 95 % intervals",
        labels: &labels,
        points: &drawn,
        joined: true,
        levels: &[0.0],
    };
    let rows: Vec<Vec<Markup>> = (points.iter().zip(&labels))
        .map(|(point, games)| {
            vec![
                cell(games),
                cell(text::percent(point.part)),
                numbers(Some(&point.held_out)),
            ]
        })
        .collect();
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
        (folded("the learning curve as a table", &["games", "part", "held-out E"], &rows))
    }
}

fn folds(folds: &CrossValidation) -> Markup {
    let all = &folds.folds[..folds.folds.len().min(ROWS)];
    let labels: Vec<String> = (1..=all.len()).map(|n| n.to_string()).collect();
    let drawn: Vec<Point> = all.iter().map(point).collect();
    let plot = Plot {
        title: "Change of E on the games of each fold, with 95 % intervals",
        labels: &labels,
        points: &drawn,
        joined: false,
        levels: &[0.0],
    };
    let rows: Vec<Vec<Markup>> = (all.iter().zip(&labels))
        .map(|(fold, number)| vec![cell(number), numbers(Some(fold))])
        .collect();
    html! {
        h3 { "Folds" }
        @if let Some(all) = &folds.all {
            p { "All games, each judged by a fit that did not see it: " (all.to_string()) "." }
        }
        p.note { "Change of E on the games of each fold, by a fit of the others; with 95 % intervals." }
        (plot.draw())
        (folded("the folds as a table", &["fold", "E"], &rows))
    }
}

fn ablations(ablations: &[Ablation]) -> Markup {
    let change = |ablation: &Ablation| ablation.without.map_or(0.0, |d| d.difference);
    let sizes = ablations.iter().map(|ablation| change(ablation).abs());
    let most = sizes.fold(0.0, f64::max);
    let rows: Vec<Vec<Markup>> = (ablations.iter().take(ROWS))
        .map(|ablation| {
            vec![
                cell(text::name(&ablation.group)),
                bar(change(ablation), most),
                numbers(ablation.without.as_ref()),
                numbers(ablation.unchanged.as_ref()),
            ]
        })
        .collect();
    html! {
        h3 { "Without a parameter" }
        p.note { "Held-out E with the parameter → without it, all other weights fitted again: right of the middle it rises, and the parameter is worth having." }
        (table(&["parameter", "better | worse without", "at 0", "as before"], &rows))
        (left_out(ablations.len(), "parameters", "in the order of the record"))
    }
}
