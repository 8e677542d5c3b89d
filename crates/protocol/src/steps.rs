//! Steps of an expression: by name in text, by number in bytes and in files of rows.

use tuner_trace::{NonlinearOp as Op, Relation, Step};

/// Where the operands of a step are read.
pub trait Operands {
    /// Why an operand cannot be read.
    type Error;

    /// Reads the next operand, a whole number; `T` must have it.
    ///
    /// # Errors
    /// If there is none, or it does not fit.
    fn operand<T: TryFrom<i64>>(&mut self) -> Result<T, Self::Error>;
}

/// A step that is a guard; its second operand is twice the place in [`RELATIONS`], one more where
/// the relation holds.
pub const GUARD: u8 = 15;

/// Relations of guards by their names.
pub const RELATIONS: [(&str, Relation); 3] = [
    ("negative", Relation::Negative),
    ("positive", Relation::Positive),
    ("zero", Relation::Zero),
];

/// The one table of all steps but guards: number, name, operands, step.
macro_rules! steps {
    ($($kind:literal $name:literal ($($operand:ident),+) [$($step:tt)+])*) => {
        /// Names of steps, each at its number.
        pub(crate) const NAMES: [&str; 16] = [$($name,)* "guard"];

        /// Returns the code of a step (0 to 15), its operands, filled up with 0 to two, and how
        /// many operands there are. The second operand of a guard (a branch that was taken) is
        /// twice the place of its relation in [`RELATIONS`], plus 1 if the relation holds.
        pub fn coded(step: Step) -> (u8, [i64; 2], usize) {
            match step {
                $($($step)+ => code($kind, [$(i64::from($operand)),+]),)*
                Step::Guard(a, relation, holds) => {
                    // Always found: the table has all relations.
                    let place = RELATIONS.iter().position(|(_, known)| *known == relation);
                    let how = 2 * place.unwrap_or_default() as i64 + i64::from(holds);
                    code(GUARD, [i64::from(a), how])
                }
            }
        }

        /// Reads the operands of a step by its code, `kind`, and returns the step; `None` if no
        /// step has this code, or the second operand of a guard (a branch that was taken) names no
        /// relation.
        ///
        /// # Errors
        /// If an operand cannot be read.
        pub fn decoded<O: Operands>(
            kind: u8,
            from: &mut O,
        ) -> Result<Option<Step>, O::Error> {
            Ok(Some(match kind {
                $($kind => {
                    $(let $operand = from.operand()?;)+
                    $($step)+
                })*
                GUARD => {
                    let (a, how): (u32, usize) = (from.operand()?, from.operand()?);
                    let Some(&(_, relation)) = RELATIONS.get(how / 2) else {
                        return Ok(None);
                    };
                    Step::Guard(a, relation, how % 2 == 1)
                }
                _ => return Ok(None),
            }))
        }
    };
}

steps! {
    0 "input" (form) [Step::Input(form)]
    1 "value" (at) [Step::Constant(at)]
    2 "add" (a, b) [Step::Add(a, b)]
    3 "neg" (a) [Step::Neg(a)]
    4 "mul" (a, b) [Step::Nonlinear(Op::Mul(a, b))]
    5 "div" (a, b) [Step::Nonlinear(Op::Div(a, b))]
    6 "min" (a, b) [Step::Nonlinear(Op::Min(a, b))]
    7 "max" (a, b) [Step::Nonlinear(Op::Max(a, b))]
    8 "abs" (a) [Step::Nonlinear(Op::Abs(a))]
    9 "power" (a, n) [Step::Nonlinear(Op::Power(a, n))]
    10 "powerof" (a, b) [Step::Nonlinear(Op::PowerOf(a, b))]
    11 "sqrt" (a) [Step::Nonlinear(Op::Sqrt(a))]
    12 "exp" (a) [Step::Nonlinear(Op::Exp(a))]
    13 "ln" (a) [Step::Nonlinear(Op::Ln(a))]
    14 "tanh" (a) [Step::Nonlinear(Op::Tanh(a))]
}

/// Returns the code of a step, its one or two operands, filled up with 0 to two, and how many there
/// are.
fn code<const N: usize>(kind: u8, operands: [i64; N]) -> (u8, [i64; 2], usize) {
    let mut both = [0; 2];
    both[..N].copy_from_slice(&operands);
    (kind, both, N)
}
