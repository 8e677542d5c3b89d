//! The page of numbers that were moved by games.

use maud::{Markup, html};

use crate::html::{List, Plot, Point, page};
use crate::text;

/// Numbers whose course is drawn; a list has all.
const DRAWN: usize = 24;

/// What a page says of a run of SPSA.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpsaRecord {
    /// The arguments of the command.
    pub command: String,
    /// Games played.
    pub games: u64,
    /// Games in all.
    pub of: u64,
    /// Numbers of games after which the values were noted, ascending.
    pub after: Vec<u64>,
    /// For each of these numbers of games: how far chance alone moves a number of rate 1 in 95 % of
    /// runs, in its size.
    pub noise: Vec<f64>,
    /// The numbers that are moved.
    pub numbers: Vec<MovedNumber>,
}

/// A number that is moved by games.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MovedNumber {
    /// Its name.
    pub name: String,
    /// Where it started.
    pub start: f64,
    /// Where it is.
    pub value: f64,
    /// How far chance alone moves it in 95 % of runs.
    pub noise: f64,
    /// How far both sides of a pair move it at the end.
    pub size: f64,
    /// What a won game of the end moves it by, in its size.
    pub rate: f64,
    /// Its value after each number of games of [`SpsaRecord::after`].
    pub course: Vec<f64>,
}

impl MovedNumber {
    /// Says the number's name, its start, and its value with how far chance alone moves it, and
    /// whether it moved no farther than that.
    pub fn words(&self) -> String {
        let (name, start) = (text::name(&self.name), text::number(self.start));
        let moved = if self.is_moved() {
            ""
        } else {
            ", within noise"
        };
        let (value, noise) = (self.value, self.noise);
        format!("{name} {start} → {value:.2} ± {noise:.2}{moved}")
    }

    /// Tells whether it moved farther than chance alone moves it.
    fn is_moved(&self) -> bool {
        (self.value - self.start).abs() > self.noise
    }

    /// Returns how far a value is from the number's start, in its size, by which both sides of a
    /// pair of games move it: negative where it fell.
    fn moves(&self, value: f64) -> f64 {
        (value - self.start) / self.size
    }
}

impl SpsaRecord {
    /// Returns the numbers by how far they moved, the farthest first, each in its size: how far the
    /// two sides of a game are from its value.
    pub fn by_moves(&self) -> Vec<&MovedNumber> {
        let mut numbers: Vec<&MovedNumber> = self.numbers.iter().collect();
        let moves = |number: &MovedNumber| number.moves(number.value).abs();
        numbers.sort_by(|a, b| moves(b).total_cmp(&moves(a)));
        numbers
    }
}

/// Returns a page on a run of SPSA: one file that loads nothing, without scripts.
pub fn spsa_page(record: &SpsaRecord) -> String {
    let moved = record.numbers.iter().filter(|number| number.is_moved());
    let moved = moved.count();
    let header = html! {
        p.over { "Numbers moved by games" }
        h1 {
            (moved) " of " (record.numbers.len()) " moved farther than chance alone moves them, in "
            (record.games) " games"
            @if record.games < record.of { " of " (record.of) }
        }
        p { "The test at the end of the command tells whether the new values win against those of the start." }
        @if !record.command.is_empty() { p.note.names { code { "tuner " (text::sentence(&record.command)) } } }
    };
    let sections = [
        ("values", "Values", Some(values(record))),
        ("course", "Course", course(record)),
    ];
    page("Numbers moved by games", &header, sections)
}

/// The numbers, a row each, those first that moved most.
fn values(record: &SpsaRecord) -> Markup {
    let numbers = record.by_moves();
    let list = List::of(&numbers)
        .column("name", |number| text::name(&number.name))
        .column("start", |number| text::number(number.start))
        .column("value", |number| format!("{:.2}", number.value))
        .column("± by chance", |number| format!("{:.2}", number.noise))
        .column("moved, in sizes", |number| {
            format!("{:+.2}", number.moves(number.value))
        })
        .column("size", |number| text::number(number.size))
        .column("", |number| {
            if number.is_moved() {
                "moved"
            } else {
                "within noise"
            }
        });
    html! {
        p.note { "±: chance alone moves a number that changes nothing at most so far in 95 of 100 runs, so of 20 such numbers one is said to have moved. Size: how far the two sides of a game are from the value." }
        (list)
    }
}

/// Returns a picture of each of the numbers that moved most: how far it is from its start, by
/// games. `None` where the values were noted fewer than two times.
fn course(record: &SpsaRecord) -> Option<Markup> {
    let numbers = record.by_moves();
    let drawn = &numbers[..numbers.len().min(DRAWN)];
    (record.after.len() > 1).then(|| {
        html! {
            p.note { "How far each number is from its start, in sizes, after so many games; the band is what chance alone moves it by in 95 % of runs." }
            div.plots {
                @for number in drawn {
                    figure { h4 { (text::name(&number.name)) } (course_of(record, number)) }
                }
            }
            @if drawn.len() < numbers.len() {
                p.note { "Drawn are the " (DRAWN) " that moved most." }
            }
        }
    })
}

/// How far a number is from its start, by games, with the band of what chance alone moves it by.
fn course_of(record: &SpsaRecord, number: &MovedNumber) -> Markup {
    let told = record.after.iter().zip(&record.noise).zip(&number.course);
    // The record has how far chance moves a number of rate 1, where the rate is what a won game
    // moves a number by.
    let points = told.map(|((games, noise), value)| {
        let (at, reach) = (number.moves(*value), noise * number.rate);
        Point::new(games.to_string(), Some(at), None).within(Some([-reach, reach]))
    });
    let title = format!("{}: moves by games, in its size", text::name(&number.name));
    Plot::line(title, points).across(&[0.0]).draw()
}
