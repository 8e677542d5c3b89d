//! Types of an engine, without annotation: `distant` uses them
//! under their names here.

use crate::distant;

/// Rows of the board.
pub const ROWS: usize = 5;

pub type Points = i16;
pub type Marks = Points;
pub type Line = [Marks; ROWS];
pub type Halved = distant::Halves;
