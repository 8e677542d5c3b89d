//! Lines with bands: the weights of one dimension, and errors by iteration.

use maud::{Markup, html};

use crate::text;

/// Size of a picture, and the part of it that is the plot.
const SIZE: (f64, f64) = (360.0, 200.0);
const LEFT: f64 = 46.0;
const RIGHT: f64 = 352.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 176.0;

/// Most labels below a picture that do not run into each other, at some 5 digits.
const LABELS: usize = 10;

/// A point of a picture, in the unit of its line.
#[derive(Clone, Debug, Default)]
pub(crate) struct Point {
    /// Its name.
    label: String,
    /// The value before: of the second line.
    old: Option<f64>,
    /// The value: of the first line.
    new: Option<f64>,
    /// The ends of its band.
    band: Option<[f64; 2]>,
}

impl Point {
    /// A value, and how far its band reaches to each side, in the unit of the value. `None` for a
    /// value cuts the line there.
    pub(crate) fn new(label: String, new: Option<f64>, reach: Option<f64>) -> Self {
        let ends = new.zip(reach);
        let band = ends.map(|(new, reach)| [new - reach, new + reach]);
        Self {
            label,
            new,
            band,
            old: None,
        }
    }

    /// The point with a band from one number to another, which may be infinite; `None` for no band.
    pub(crate) fn within(self, band: Option<[f64; 2]>) -> Self {
        Self { band, ..self }
    }

    /// The point with the value of the second line, which is dashed: the old value, or the one that
    /// is expected.
    pub(crate) fn and_before(self, old: Option<f64>) -> Self {
        Self { old, ..self }
    }
}

/// A picture of points one after another.
#[derive(Debug)]
pub(crate) struct Plot<'a> {
    /// What it shows, for those who do not see it.
    title: String,
    points: Vec<Point>,
    /// Whether the points are a sequence, so that lines between them mean
    /// something.
    joined: bool,
    /// Numbers at which a line crosses the picture.
    levels: &'a [f64],
}

impl<'a> Plot<'a> {
    /// A sequence of points, which lines join, unless [`joined`](Self::joined) says otherwise.
    /// `title`: what the picture shows, for those who do not see it.
    pub(crate) fn line(title: impl Into<String>, points: impl IntoIterator<Item = Point>) -> Self {
        Self {
            title: title.into(),
            points: points.into_iter().collect(),
            joined: true,
            levels: &[],
        }
    }

    /// The picture with lines between its points, which are a sequence, or with a dot for each.
    pub(crate) fn joined(self, joined: bool) -> Self {
        Self { joined, ..self }
    }

    /// The picture with lines that cross it at some numbers.
    pub(crate) fn across(self, levels: &'a [f64]) -> Self {
        Self { levels, ..self }
    }
}

/// Shows a number of an axis with as many digits behind the point as `step`, from one number to the
/// next, needs.
fn axis(value: f64, step: f64) -> String {
    // The step has one digit, or is 2.5 times a power of 10.
    let digits = (0..12).find(|&digits| {
        let scaled = step * 10f64.powi(digits);
        (scaled - scaled.round()).abs() < 1e-6 * scaled
    });
    // Of steps that need more than 12 digits no more are shown.
    let digits = digits.unwrap_or(12) as usize;
    let shown = format!("{value:.digits$}");
    if shown.trim_matches(['-', '0', '.']).is_empty() {
        "0".to_owned()
    } else {
        shown
    }
}

impl Plot<'_> {
    /// Draws the picture as SVG, with axes and labels; nothing where no point has a number, or
    /// numbers are so far apart that their difference is infinite.
    pub(crate) fn draw(&self) -> Markup {
        let ends = |point: &Point| {
            let band = point.band.into_iter().flatten();
            band.chain(point.new).chain(point.old).collect::<Vec<_>>()
        };
        let levels = self.levels.iter().copied();
        let numbers = (self.points.iter().flat_map(ends).chain(levels)).filter(|n| n.is_finite());
        let all: Vec<f64> = numbers.collect();
        let low = all.iter().copied().fold(f64::INFINITY, f64::min);
        let high = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if low > high || !(high - low).is_finite() {
            return html! {};
        }
        // Equal numbers are drawn in the middle.
        let pad = if high > low {
            0.0
        } else {
            low.abs().max(1.0) * 0.1
        };
        let (low, high) = (low - pad, high + pad);
        let ticks = ticks(low, high);
        // Where a value is in the picture. The infinite end of a band goes to the edge.
        let y = |value: f64| {
            (BOTTOM - (BOTTOM - TOP) * (value - low) / (high - low)).clamp(TOP, BOTTOM)
        };
        let count = self.points.len();
        // Where the point of a number is, 8 off the sides at least.
        let x = |number: usize| match count {
            1 => f64::midpoint(LEFT, RIGHT),
            _ => LEFT + 8.0 + (RIGHT - LEFT - 16.0) * number as f64 / (count - 1) as f64,
        };
        // From one tick to the next; of fewer than two ticks any step will do.
        let step = match ticks.as_slice() {
            [first, second, ..] => second - first,
            _ => high - low,
        };
        html! {
            svg.plot viewBox=(format!("0 0 {} {}", SIZE.0, SIZE.1)) role="img" aria-label=(self.title) {
                title { (self.title) }
                @for &tick in &ticks {
                    @let class = if tick.abs() < 1e-9 * step { "zero" } else { "grid" };
                    path class=(class) d=(format!("M{LEFT} {:.1}H{RIGHT}", y(tick))) {}
                    text x=(LEFT - 5.0) y=(format!("{:.1}", y(tick) + 4.0)) text-anchor="end" { (axis(tick, step)) }
                }
                @for (number, label) in self.shown_labels() {
                    text x=(format!("{:.1}", x(number))) y="192" text-anchor="middle" { (label) }
                }
                @for &level in self.levels {
                    path.level d=(format!("M{LEFT} {:.1}H{RIGHT}", y(level))) {}
                }
                (self.marks(&x, &y))
            }
        }
    }

    /// The labels that fit below the picture, with the numbers of their points. Of a sequence every
    /// n-th is shown, where not all fit; points that are not a sequence have all, each cut to its
    /// room.
    fn shown_labels(&self) -> impl Iterator<Item = (usize, String)> {
        let count = self.points.len();
        let labels = self.points.iter().map(|point| &*point.label);
        let widest = labels.clone().map(text::columns).max();
        // A picture is some 45 digits wide.
        let most = (45 / (widest.unwrap_or(1) + 2)).clamp(2, LABELS);
        let every = if self.joined {
            count.div_ceil(most).max(1)
        } else {
            1
        };
        // How many digits wide a label may be where all are shown.
        let room = (45 / count.max(1)).clamp(2, 12);
        let shown = labels.enumerate().step_by(every);
        shown.map(move |(number, label)| match every {
            1 => (number, text::shorten(label, room)),
            _ => (number, label.to_owned()),
        })
    }

    /// The bands and lines of a sequence of points, or their dots; `x` and `y`: where the point of
    /// a number, and a value, are in the picture.
    fn marks(&self, x: &dyn Fn(usize) -> f64, y: &dyn Fn(f64) -> f64) -> Markup {
        let points = || self.points.iter().enumerate();
        // Where the band of a point is: x, upper y and lower y.
        let spread = |number: usize, point: &Point| {
            let [low, high] = point.band?;
            Some((x(number), y(high), y(low)))
        };
        let path =
            |of: fn(&Point) -> Option<f64>| joined(points().map(|(n, p)| Some((x(n), y(of(p)?)))));
        html! {
            @if self.joined && self.points.len() > 1 {
                path.band d=(band(points().map(|(n, p)| spread(n, p)))) {}
                path.old d=(path(|point| point.old)) {}
                path.new d=(path(|point| point.new)) {}
            } @else {
                @for (at, top, low) in points().filter_map(|(n, p)| spread(n, p)) {
                    rect.band x=(format!("{:.1}", at - 4.0)) y=(format!("{top:.1}")) width="8" height=(format!("{:.1}", low - top)) {}
                }
                @for (number, point) in points() {
                    @if let Some(old) = point.old {
                        circle.olddot cx=(format!("{:.1}", x(number))) cy=(format!("{:.1}", y(old))) r="4.5" {}
                    }
                    @if let Some(new) = point.new {
                        circle.newdot cx=(format!("{:.1}", x(number))) cy=(format!("{:.1}", y(new))) r="3" {}
                    }
                }
            }
        }
    }
}

/// Returns the path of an SVG through points (x, y); it is cut where a point is missing.
fn joined(points: impl Iterator<Item = Option<(f64, f64)>>) -> String {
    let points: Vec<_> = points.collect();
    let parts = points.split(Option::is_none);
    let paths = parts.map(|part| through(part.iter().flatten().copied()));
    paths.collect()
}

/// Returns the path of an SVG around the area between an upper and a lower line: along the upper
/// line and back along the lower one. `points`: x, upper y and lower y of each; the area is cut
/// where a point is missing.
fn band(points: impl Iterator<Item = Option<(f64, f64, f64)>>) -> String {
    let points: Vec<_> = points.collect();
    let parts = points.split(Option::is_none);
    let parts = parts.filter(|part| !part.is_empty());
    let area = |part: &[Option<(f64, f64, f64)>]| {
        let top = part.iter().flatten().map(|&(x, top, _)| (x, top));
        let low = part.iter().flatten().rev().map(|&(x, _, low)| (x, low));
        through(top.chain(low)) + "Z"
    };
    parts.map(area).collect()
}

/// Returns the path of an SVG through corners (x, y), in their order; empty if there are no
/// corners.
fn through(corners: impl Iterator<Item = (f64, f64)>) -> String {
    let corners = corners.enumerate().map(|(number, (x, y))| {
        let word = if number == 0 { 'M' } else { 'L' };
        format!("{word}{x:.1} {y:.1}")
    });
    corners.collect()
}

/// Three to six round numbers between `low` and `high`: multiples of the least step of 1, 2, 2.5 or
/// 5 times a power of 10 of which five reach from one end to the other. No numbers if the ends are
/// so near each other that such a step is 0, or so far apart that it is infinite.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    let raw = (high - low) / 5.0;
    let power = 10f64.powf(raw.log10().floor());
    let steps = [1.0, 2.0, 2.5, 5.0, 10.0].map(|factor| factor * power);
    // The last of them is large enough, but for rounding.
    let step = steps.into_iter().find(|step| *step >= raw).unwrap_or(raw);
    if !(step.is_finite() && step > 0.0) {
        return Vec::new();
    }
    let first = (low / step).ceil();
    // More than there can be; those behind `high` are left out.
    let numbers = (0..8).map(|n| (first + f64::from(n)) * step);
    numbers.filter(|tick| *tick <= high + 1e-9 * step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(values: &[Option<f64>], joined: bool) -> String {
        let points = values.iter().enumerate().map(|(n, &new)| {
            Point::new(n.to_string(), new, new.map(|_| 1.0)).and_before(Some(0.0))
        });
        Plot::line("A", points).joined(joined).draw().into_string()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(ticks(-3.0, 22.0), [0.0, 5.0, 10.0, 15.0, 20.0]);
        assert_eq!(ticks(0.0, 1e-300).len(), 6);
        assert!(ticks(f64::MIN, f64::MAX).is_empty());
        assert_eq!(
            [axis(0.099, 0.001), axis(-0.0, 5.0), axis(-7.5, 2.5)],
            ["0.099", "0", "-7.5"]
        );
    }

    #[test]
    fn lines_are_cut_where_a_number_is_missing() {
        let drawn = plot(&[Some(1.0), Some(2.0), None, Some(3.0)], true);
        let path = drawn.split("class=\"new\" d=\"").nth(1).unwrap_or_default();
        assert_eq!(
            path.split('"')
                .next()
                .unwrap_or_default()
                .matches('M')
                .count(),
            2
        );
        assert!(!drawn.contains("NaN") && !drawn.contains("inf"), "{drawn}");
        for odd in [
            plot(&[Some(1.0)], true),
            plot(&[Some(5.0), Some(5.0)], false),
        ] {
            assert!(odd.contains("circle") && !odd.contains("NaN"), "{odd}");
        }
        assert!(!plot(&[Some(1e308), Some(-1e308)], true).contains("NaN"));
    }
}
