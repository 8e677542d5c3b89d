//! The lines of a run that matter most.

mod lines;

use anstyle::{AnsiColor, Style};

use crate::digest::{Digest, Weight, longest_bar};
use crate::text::{self, columns, left, right};
use crate::words;
pub(crate) use lines::Lines;
use lines::bar;
use tuner_judge::FitVerdict;
use tuner_record::RunRecord;

/// Most lines: what a terminal shows at once.
pub(crate) const LINES: usize = 25;

/// The styles of lines in a terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TerminalStyles {
    /// The style of a good verdict, and of weights to keep.
    pub good: Style,
    /// The style of a bad verdict.
    pub bad: Style,
    /// The style of cautions, which make numbers less than they look.
    pub warning: Style,
    /// The style of the line above a list.
    pub heading: Style,
    /// The style of bars of weights that rose.
    pub rise: Style,
    /// The style of bars of weights that fell.
    pub fall: Style,
}

impl TerminalStyles {
    /// Returns styles with colours that people who do not tell red from green tell apart.
    pub const fn coloured() -> Self {
        Self {
            good: AnsiColor::Blue.on_default().bold(),
            bad: AnsiColor::Red.on_default().bold(),
            warning: AnsiColor::Yellow.on_default(),
            heading: Style::new().bold(),
            rise: AnsiColor::Blue.on_default(),
            fall: AnsiColor::Yellow.on_default(),
        }
    }

    /// Returns the style in which a verdict is shown: that of good news, of bad news, or of a
    /// warning.
    pub(crate) const fn verdict(&self, verdict: FitVerdict) -> Style {
        match verdict {
            FitVerdict::Better => self.good,
            FitVerdict::Worse => self.bad,
            FitVerdict::WithinNoise | FitVerdict::NotJudged | FitVerdict::Predicted => self.warning,
        }
    }
}

/// Most changes of weights among the lines.
const CHANGES: usize = 10;

/// Returns at most 25 lines of plain text on a run, the verdict first: games, advice, the most
/// significant changes, what is undetermined, and what to run next.
///
/// `width`: columns of the terminal, 60 to 200 (others count as the nearest); no
/// line is longer, and each ends with a line feed. Control characters of names are replaced.
pub fn terminal(record: &RunRecord, width: usize) -> String {
    terminal_styled(record, width, &TerminalStyles::default(), &[])
}

/// Returns the verdict of a run, the verdict of games where some were played, and what follows from
/// them: at most 3 lines, which are not cut to any width.
pub fn verdict_lines(record: &RunRecord) -> Vec<String> {
    let mut lines = vec![words::headline(record)];
    lines.extend(words::below_headline(record));
    lines.truncate(3);
    lines
}

/// Returns at most 25 lines on a run, the verdict first, of at most `width` columns, as
/// [`terminal()`] does, but with styles. `next`: steps to take, which are listed before those that
/// follow from the record, and are never cut, so that commands can be pasted.
pub fn terminal_styled(
    record: &RunRecord,
    width: usize,
    styles: &TerminalStyles,
    next: &[String],
) -> String {
    let digest = Digest::of(&record.judgement);
    let [mut lines, mut last] = [(); 2].map(|()| Lines::new(width, *styles));
    head(record, &mut lines);
    tail(record, next, &mut last);
    let changes = digest.changes();
    // The list has a heading, and what is left of the lines is its own.
    let left = LINES.saturating_sub(lines.count() + last.count() + 1);
    let shown = changes.len().min(CHANGES).min(left);
    if shown > 0 {
        list_changes(&changes[..shown], changes.len(), &mut lines);
    }
    lines.append(last);
    lines.end(LINES)
}

/// Adds the verdict, the sentences below it, cautions that make the numbers less than they look,
/// the first finding, and how the fit ended.
fn head(record: &RunRecord, lines: &mut Lines) {
    let styles = lines.styles;
    let style = styles.verdict(record.verdict);
    lines.wrapped("", &words::headline(record), style);
    let finding = words::findings(record).into_iter().take(1);
    let warnings = words::warnings(record).into_iter();
    let warnings = warnings.map(|sentence| (sentence, styles.warning));
    let facts = finding.chain([words::descent(record)]);
    let plain = |sentence| (sentence, Style::new());
    let sentences = words::below_headline(record).into_iter().map(plain);
    for (sentence, style) in sentences.chain(warnings).chain(facts.map(plain)) {
        lines.wrapped("  ", &sentence, style);
    }
}

/// Adds what the data leave open, and what to run next: the steps of `next` as they are, then those
/// of the record.
fn tail(record: &RunRecord, next: &[String], lines: &mut Lines) {
    let open = record.solver.open().into_iter().map(|weights| {
        let dots = if weights.names.len() > 2 { ", …" } else { "" };
        let short = |name: &String| text::shorten(&text::name(name), 40);
        let names: Vec<String> = weights.names.iter().take(2).map(short).collect();
        let count = text::counted(weights.names.len(), "weight");
        format!("{count} {} ({}{dots})", weights.reason, names.join(", "))
    });
    let undetermined = record.solver.summary.undetermined.filter(|n| *n > 0);
    let undetermined =
        undetermined.map(|n| format!("{} undetermined", text::counted(n, "direction")));
    let open: Vec<String> = open.chain(undetermined).collect();
    if !open.is_empty() {
        lines.wrapped("", &format!("left open: {}", open.join("; ")), Style::new());
    }
    // On a narrow terminal a step takes several lines.
    let most = if lines.width < 75 { 1 } else { 3 };
    let (mut before, mut style) = ("next: ", lines.styles.heading);
    for step in next {
        lines.whole(before, step, style);
        (before, style) = ("      ", Style::new());
    }
    for step in words::next(record).iter().take(most) {
        lines.wrapped(before, step, style);
        (before, style) = ("      ", Style::new());
    }
}

/// Adds the changes that are shown, a line each, below a heading. `all`: how many changes there
/// are, shown or not, which the heading says.
fn list_changes(changes: &[&Weight], all: usize, lines: &mut Lines) {
    let have_errors = changes.iter().any(|weight| weight.in_errors().is_some());
    let unit = if have_errors {
        "before → after ± 95 %, change by the data alone in s.e."
    } else {
        "before → after, change"
    };
    let shown = changes.len();
    lines.heading(&format!("{shown} of {all} changes: {unit}"));
    let written = |weight: &Weight| text::with_error(weight.stated.value, weight.reach);
    list_bars(changes, " → ", written, lines);
}

/// Adds a line a weight: its name, what it was and what it is with `between` between them, the
/// change, and a bar of that, of which the longest takes the room that is left, up to 40 columns.
/// `value`: what a weight is, as text; columns of a list are as wide as their widest entry, but for
/// long names.
pub(crate) fn list_bars(
    weights: &[&Weight],
    between: &str,
    value: impl Fn(&Weight) -> String,
    lines: &mut Lines,
) {
    let (width, styles) = (lines.width, lines.styles);
    let rows = weights.iter().map(|weight| {
        let before = text::number(weight.stated.before);
        let numbers = format!("{before}{between}{}", value(weight));
        [weight.label(), numbers, weight.size_text()]
    });
    let rows: Vec<[String; 3]> = rows.collect();
    let most = longest_bar(weights);
    let widest = |column: usize| rows.iter().map(|row| columns(&row[column])).max();
    let [names, numbers, changes] = [0, 1, 2].map(|column| widest(column).unwrap_or(0));
    // Blanks between columns, and a bar of eight columns at least.
    let rest = width.saturating_sub(numbers + changes + 6);
    let names = names.min(rest.saturating_sub(8)).max(8);
    let room = rest.saturating_sub(names).min(40);
    for ([name, number, change], weight) in rows.iter().zip(weights) {
        let size = weight.size();
        let style = if size < 0.0 { styles.fall } else { styles.rise };
        let (name, number) = (left(name, names), right(number, numbers));
        let line = format!("  {name}  {number} {} ", right(change, changes));
        lines.with_end(&line, &bar(size.abs(), most, room), style);
    }
}
