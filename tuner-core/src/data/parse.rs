//! What a worker does: lines to positions to whatever the caller wants.

use super::blocks::LONGEST_LINE;
use super::field::{Fields, described};
use super::format::Cut;
use super::produce::Block;
use super::report::{FileReport, LISTED, fingerprint};
use super::{Fault, PositionNotation, Sample, SampleLocation};
use crate::outcome::Perspective;

/// What became of one block.
#[derive(Debug)]
pub(super) struct Parsed<B> {
    pub(super) input: usize,
    /// What the caller made of the block's samples.
    pub(super) made: B,
    pub(super) counts: FileReport,
    /// Line, column and message of the first bad lines.
    pub(super) bad_lines: Vec<(u64, u64, String)>,
}

/// What all workers share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parser<'a, N, I, F> {
    pub(super) notation: &'a N,
    pub(super) start: &'a I,
    pub(super) each: &'a F,
    pub(super) perspective: Perspective,
}

impl<N, I, F, B> Parser<'_, N, I, F>
where
    N: PositionNotation,
    I: Fn() -> B,
    F: Fn(&mut B, Sample<N::Position>) -> Result<(), String>,
{
    pub(super) fn parse(&self, block: &Block) -> Parsed<B> {
        let mut parsed = Parsed {
            input: block.input,
            made: (self.start)(),
            counts: FileReport {
                fingerprint: fingerprint(&block.bytes),
                ..FileReport::default()
            },
            bad_lines: Vec::new(),
        };
        let mut header = block.header;
        let mut line_number = block.first_line;
        each_line(&block.bytes, |line| {
            let number = line_number;
            line_number += 1;
            parsed.counts.lines += 1;
            match line {
                Ok(line) if line.trim_ascii().is_empty() => parsed.counts.blank += 1,
                _ if std::mem::take(&mut header) => parsed.counts.headers += 1,
                Ok(line) => {
                    let location = SampleLocation {
                        input: block.input as u32,
                        line: number,
                    };
                    self.line(block.cut, line, location, &mut parsed);
                }
                Err((column, message)) => parsed.reject(number, column, message),
            }
        });
        parsed
    }

    fn line(&self, cut: Option<Cut>, line: &str, at: SampleLocation, parsed: &mut Parsed<B>) {
        // A block without format holds blank lines only.
        let Some(cut) = cut else { return };
        let sample = too_long(line)
            .map_or(Ok(()), Err)
            .and_then(|()| cut.fields(line))
            .and_then(|fields| self.sample(line, fields, at));
        let sample = match sample {
            Ok(sample) => sample,
            Err(fault) => {
                return parsed.reject(at.line, column(line, fault.offset), fault.to_string());
            }
        };
        let (game, score) = (sample.game.is_some(), sample.search_score.is_some());
        match (self.each)(&mut parsed.made, sample) {
            Ok(()) => {
                parsed.counts.positions += 1;
                parsed.counts.with_game += u64::from(game);
                parsed.counts.with_search_score += u64::from(score);
            }
            Err(message) => parsed.reject(at.line, 1, message),
        }
    }

    /// Reads the position and turns result and score to the first player.
    fn sample(
        &self,
        line: &str,
        fields: Fields<'_>,
        location: SampleLocation,
    ) -> Result<Sample<N::Position>, Fault> {
        let position = self
            .notation
            .parse(fields.position)
            .map_err(|fault| Fault {
                offset: fault.offset + super::field::offset(line, fields.position),
                ..fault
            })?;
        let turned = match self.perspective {
            Perspective::FirstPlayer => false,
            Perspective::SideToMove => !self.notation.first_player_to_move(&position),
        };
        let Fields {
            outcome,
            search_score,
            game,
            ply,
            ..
        } = fields;
        Ok(Sample {
            position,
            outcome: if turned { outcome.flipped() } else { outcome },
            search_score: search_score.map(|score| if turned { -score } else { score }),
            game,
            ply,
            location,
        })
    }
}

impl<B> Parsed<B> {
    fn reject(&mut self, line: u64, column: u64, message: String) {
        self.counts.rejected += 1;
        if self.bad_lines.len() < LISTED {
            self.bad_lines.push((line, column, message));
        }
    }
}

fn too_long(line: &str) -> Option<Fault> {
    (line.len() > LONGEST_LINE).then(|| {
        described(
            line,
            line,
            "a line of more than 65536 bytes",
            "one position a line",
        )
    })
}

/// Counts characters, as an editor does.
fn column(line: &str, offset: usize) -> u64 {
    let end = line.floor_char_boundary(offset);
    line[..end].chars().count() as u64 + 1
}

/// Calls `each` with every line, or with the column and what is wrong.
fn each_line(bytes: &[u8], mut each: impl FnMut(Result<&str, (u64, String)>)) {
    // One look at the whole block is faster than one per line.
    if let Ok(text) = std::str::from_utf8(bytes) {
        text.split_terminator('\n').for_each(|line| each(Ok(line)));
        return;
    }
    for line in bytes
        .strip_suffix(b"\n")
        .unwrap_or(bytes)
        .split(|&byte| byte == b'\n')
    {
        each(std::str::from_utf8(line).map_err(|error| {
            let good = &line[..error.valid_up_to()];
            let column = String::from_utf8_lossy(good).chars().count() as u64 + 1;
            let byte = line[error.valid_up_to()];
            (
                column,
                format!("found the byte {byte:#04x}, expected UTF-8; convert the file to UTF-8"),
            )
        }));
    }
}
