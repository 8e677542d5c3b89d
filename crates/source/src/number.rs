//! Numbers that are written out: literals, and arithmetic of nothing else.

use syn::{BinOp, Expr, Lit, Type, UnOp};

use crate::syntax::bare;

/// The value of an expression of literals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// Of an integer type.
    Int(i128),
    /// Of a floating-point type.
    Float(f64),
}

impl Number {
    /// The value of a literal, of arithmetic on literals alone, and of either
    /// under a cast; `None` for anything else, and for arithmetic that rustc
    /// refuses (a division by zero, an integer and a float added).
    pub fn of(expr: &Expr) -> Option<Self> {
        match bare(expr) {
            Expr::Lit(e) => match &e.lit {
                Lit::Int(i) if i.suffix().starts_with('f') => {
                    i.base10_parse().ok().map(Self::Float)
                }
                Lit::Int(i) => i.base10_parse().ok().map(Self::Int),
                Lit::Float(x) => x.base10_parse().ok().map(Self::Float),
                _ => None,
            },
            Expr::Unary(e) if matches!(e.op, UnOp::Neg(_)) => match Self::of(&e.expr)? {
                Self::Int(i) => i.checked_neg().map(Self::Int),
                Self::Float(x) => Some(Self::Float(-x)),
            },
            Expr::Cast(e) => Self::of(&e.expr).map(|number| number.cast(&e.ty)),
            Expr::Binary(e) => match (Self::of(&e.left)?, Self::of(&e.right)?) {
                (Self::Int(a), Self::Int(b)) => integers(a, b, &e.op).map(Self::Int),
                (Self::Float(a), Self::Float(b)) => floats(a, b, &e.op).map(Self::Float),
                _ => None,
            },
            _ => None,
        }
    }

    /// The value; integers beyond 2⁵³ are rounded.
    pub fn value(self) -> f64 {
        match self {
            Self::Int(i) => i as f64,
            Self::Float(x) => x,
        }
    }

    /// Returns the number as `as` converts it to the primitive type `ty`: integers wrap around,
    /// floats are cut off and stop at the limits. For a type that is not a number it is unchanged.
    fn cast(self, ty: &Type) -> Self {
        let Type::Path(path) = ty else { return self };
        let Some(name) = path.path.get_ident().map(ToString::to_string) else {
            return self;
        };
        match name.as_str() {
            "f64" => return Self::Float(self.value()),
            "f32" => return Self::Float(f64::from(self.value() as f32)),
            _ => {}
        }
        let Some((low, high)) = range(&name) else {
            return self;
        };
        Self::Int(match self {
            Self::Int(i) => {
                // `rest` counts from 0; the upper half of its values are the negative ones of a
                // signed type.
                let rest = i.rem_euclid(high - low + 1);
                if rest > high { rest + 2 * low } else { rest }
            }
            Self::Float(x) => (x as i128).clamp(low, high),
        })
    }
}

/// The least and the largest value of an integer type of up to 64 bits, by its name; `isize` and
/// `usize` count as 64 bits. `None` for any other name.
pub(crate) fn range(name: &str) -> Option<(i128, i128)> {
    let (sign, bits) = name.split_at_checked(1)?;
    let bits = match bits {
        "8" => 8,
        "16" => 16,
        "32" => 32,
        "64" | "size" => 64,
        _ => return None,
    };
    match sign {
        "i" => Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1)),
        "u" => Some((0, (1 << bits) - 1)),
        _ => None,
    }
}

/// The result of an operator on two integers; `None` if it does not fit into `i128`, is a division
/// by zero, or the operator does not give a number.
fn integers(a: i128, b: i128, op: &BinOp) -> Option<i128> {
    match op {
        BinOp::Add(_) => a.checked_add(b),
        BinOp::Sub(_) => a.checked_sub(b),
        BinOp::Mul(_) => a.checked_mul(b),
        BinOp::Div(_) => a.checked_div(b),
        BinOp::Rem(_) => a.checked_rem(b),
        BinOp::Shl(_) => a.checked_mul(1_i128.checked_shl(u32::try_from(b).ok()?)?),
        BinOp::Shr(_) => a.checked_shr(u32::try_from(b).ok()?),
        BinOp::BitAnd(_) => Some(a & b),
        BinOp::BitOr(_) => Some(a | b),
        BinOp::BitXor(_) => Some(a ^ b),
        _ => None,
    }
}

/// The result of an operator on two floats; `None` if the operator does not give a number.
fn floats(a: f64, b: f64, op: &BinOp) -> Option<f64> {
    match op {
        BinOp::Add(_) => Some(a + b),
        BinOp::Sub(_) => Some(a - b),
        BinOp::Mul(_) => Some(a * b),
        BinOp::Div(_) => Some(a / b),
        BinOp::Rem(_) => Some(a % b),
        _ => None,
    }
}
