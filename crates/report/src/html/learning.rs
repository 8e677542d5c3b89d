//! Fits of parts of the games, of folds, and without a parameter.

use maud::{Markup, html};

use super::plot::{Plot, Point, axis};
use super::{ROWS, bar, cell, folded, left_out, table};
use crate::digest::{Digest, INTERVAL, finite};
use crate::record::{AblationRecord, DifferenceRecord, FoldsRecord, LearningCurveRecord};
use crate::text;
use crate::words;

/// What other fits say, where they were asked for.
pub(super) fn learning(digest: &Digest<'_>) -> Option<Markup> {
    let record = digest.record;
    let curve = record
        .learning_curve
        .as_ref()
        .filter(|c| !c.points.is_empty());
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
fn point(difference: Option<&DifferenceRecord>) -> Point {
    let error = difference.and_then(|d| finite(d.standard_error));
    Point {
        new: difference.and_then(|d| finite(d.difference)),
        reach: error.map(|error| INTERVAL * error),
        old: None,
    }
}

fn numbers(difference: Option<&DifferenceRecord>) -> Markup {
    cell(
        difference
            .and_then(words::numbers)
            .unwrap_or_else(|| "–".to_owned()),
    )
}

fn learning_curve(curve: &LearningCurveRecord) -> Markup {
    let points = &curve.points[..curve.points.len().min(ROWS)];
    let labels: Vec<String> = (points.iter())
        .map(|point| {
            point
                .games
                .map_or_else(String::new, |games| games.to_string())
        })
        .collect();
    let drawn: Vec<Point> = points.iter().map(|p| point(p.held_out.as_ref())).collect();
    let plot = Plot {
        title: "Change of the held-out error by the games fitted, with 95 % intervals",
        labels: &labels,
        points: &drawn,
        joined: true,
        levels: &[0.0],
        axis,
    };
    let rows: Vec<Vec<Markup>> = (points.iter().zip(&labels))
        .map(|(point, games)| {
            let part = finite(point.part).map(|part| format!("{:.1} %", 100.0 * part));
            vec![
                cell(games),
                cell(part.unwrap_or_else(|| "–".to_owned())),
                numbers(point.held_out.as_ref()),
            ]
        })
        .collect();
    let last = points
        .last()
        .and_then(|point| point.held_out.as_ref()?.after);
    let more = finite(curve.with_twice_the_games).zip(finite(last));
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

fn folds(folds: &FoldsRecord) -> Markup {
    let all = &folds.folds[..folds.folds.len().min(ROWS)];
    let labels: Vec<String> = (1..=all.len()).map(|n| n.to_string()).collect();
    let drawn: Vec<Point> = all.iter().map(|fold| point(Some(fold))).collect();
    let plot = Plot {
        title: "Change of E on the games of each fold, with 95 % intervals",
        labels: &labels,
        points: &drawn,
        joined: false,
        levels: &[0.0],
        axis,
    };
    let rows: Vec<Vec<Markup>> = (all.iter().zip(&labels))
        .map(|(fold, number)| vec![cell(number), numbers(Some(fold))])
        .collect();
    html! {
        h3 { "Folds" }
        @if let Some(words) = folds.all.as_ref().and_then(words::numbers) {
            p { "All games, each judged by a fit that did not see it: " (words) "." }
        }
        p.note { "Change of E on the games of each fold, by a fit of the others; with 95 % intervals." }
        (plot.draw())
        (folded("the folds as a table", &["fold", "E"], &rows))
    }
}

fn ablations(ablations: &[AblationRecord]) -> Markup {
    let change = |difference: Option<&DifferenceRecord>| {
        difference.and_then(|d| finite(d.difference)).unwrap_or(0.0)
    };
    let sizes = ablations.iter().map(|a| change(a.without.as_ref()).abs());
    let most = sizes.fold(0.0, f64::max);
    let rows: Vec<Vec<Markup>> = (ablations.iter().take(ROWS))
        .map(|ablation| {
            vec![
                cell(text::name(&ablation.group)),
                bar(change(ablation.without.as_ref()), most),
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
