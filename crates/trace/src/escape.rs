//! Where the author says what the twin does instead of production: macros that
//! are nothing in production.

/// Makes a score a plain number where it is traced; elsewhere it is the score.
///
/// For what has no derivative, a score as an index for instance, in a function
/// that is `#[tunable(nonlinear)]`. The derivative stops there: the trace keeps
/// the number as it was at the weights of the tracing, and holds as long as its
/// integer part stays the same. Positions where it does not are counted, and
/// traced again where a fit can.
///
/// ```
/// # use tuner_trace as tuner_core;
/// let danger = 7;
/// assert_eq!([0, 5, 9][tuner_core::freeze!(danger / 4) as usize], 5);
/// ```
#[macro_export]
macro_rules! freeze {
    ($score:expr) => {
        $score
    };
}

/// The entry of a table of numbers at a score, `TABLE[score as usize]`; where
/// it is traced, with the slope of the table as derivative by the score.
///
/// The slope is half of the difference between the neighbouring entries; at an end, the difference
/// to the only neighbour. The entry itself has the derivative 1. The trace holds as long as the
/// index selects the same entry.
///
/// ```
/// # use tuner_trace as tuner_core;
/// const SAFETY: [i32; 4] = [0, 2, 9, 30];
/// let danger = 11;
/// assert_eq!(tuner_core::interpolated!(SAFETY, danger / 4), 9);
/// ```
#[macro_export]
macro_rules! interpolated {
    ($table:expr, $score:expr $(,)?) => {
        $table[($score) as usize]
    };
}

/// Takes two expressions, the one that production computes and the one that the twin computes in
/// its place.
///
/// For a score that production keeps up to date move by move, and that can be
/// computed from the board as well. Both must be equal, which `check` proves:
/// a trace that differs from production's score is reported.
///
/// ```
/// # use tuner_trace as tuner_core;
/// # struct Board { material: i32, pawns: i32 }
/// # fn count(board: &Board) -> i32 { 100 * board.pawns }
/// # let board = Board { material: 300, pawns: 3 };
/// let score = tuner_core::traced_as!(board.material => count(&board));
/// assert_eq!(score, 300);
/// ```
#[macro_export]
macro_rules! traced_as {
    ($production:expr => $twin:expr $(,)?) => {
        $production
    };
}

/// Statements that the twin leaves out: a probe of a hash table, an exit early.
///
/// In a body under `#[tunable]`, `#[untraced]` at a statement does this for one statement.
///
/// ```
/// # use tuner_trace as tuner_core;
/// # fn probe(key: u64) -> Option<i32> { (key == 0).then_some(7) }
/// fn evaluate(key: u64) -> i32 {
///     tuner_core::untraced! {
///         if let Some(known) = probe(key) {
///             return known;
///         }
///     }
///     12
/// }
/// assert_eq!((evaluate(0), evaluate(1)), (7, 12));
/// ```
#[macro_export]
macro_rules! untraced {
    ($($statements:tt)*) => {
        $($statements)*
    };
}

/// A number that is a weight, with the name that it has in the spec.
///
/// For a number in the middle of a body, so that it need not become a const.
/// The name is one that no other weight of the module has. The type is that of
/// the literal's suffix, else `i32` or `f64`.
///
/// ```
/// # use tuner_trace as tuner_core;
/// let to_move = true;
/// let score = if to_move { tuner_core::weight!(TEMPO: 10) } else { 0 };
/// assert_eq!(score, 10);
/// ```
#[macro_export]
macro_rules! weight {
    ($name:ident: $value:expr $(,)?) => {
        $value
    };
}
