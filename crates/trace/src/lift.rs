//! How plain numbers of the evaluation become traced ones.

use super::primitive::Primitive;
use super::scalar::Tr;
use super::tape::Site;

/// A number that the twin turns into a traced one: a plain number, or one that is traced already.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` goes where a score goes elsewhere, and the twin has none of it",
    note = "convert it to a number before, `i32::from(…)`, or give scores a function of their own; \
            with `#[tunable]` on the function this error is at its place"
)]
pub trait Lift {
    /// The traced type.
    type Traced;
    /// Makes this number a traced one. A plain number depends on nothing, and leaves no node.
    fn lift(self) -> Self::Traced;
    /// Makes this number a traced one. A plain number is remembered with `place`, the file, line
    /// and expression where it joined the score.
    fn lift_at(self, place: &'static str) -> Self::Traced;
}

/// A type of production of which the twin has a copy: the way to the copy from
/// where the module that declares both is out of sight.
pub trait HasTwin {
    /// The copy.
    type Twin;
}

impl<P: Primitive> Lift for Tr<P> {
    type Traced = Self;
    fn lift(self) -> Self {
        self
    }
    fn lift_at(self, _: &'static str) -> Self {
        self
    }
}

/// Makes plain numbers traced ones.
macro_rules! lifts {
    ($($t:ty),*) => {$(
        impl Lift for $t {
            type Traced = Tr<$t>;
            fn lift(self) -> Tr<$t> {
                Tr::lit(self)
            }
            fn lift_at(self, place: &'static str) -> Tr<$t> {
                Tr::constant(self, Site { place, literal: false })
            }
        }
    )*};
}
lifts!(i8, i16, i32, i64, isize, u16, u32, u64, f32, f64);

/// Makes a traced number of a plain one that joins the score at `place`: the file, line and
/// expression. Generated code calls it.
pub fn lift_at<T: Lift>(value: T, place: &'static str) -> T::Traced {
    value.lift_at(place)
}

/// Stands for `value as Q` in the twin, where `value` may be traced or plain.
pub fn cast<Q: Primitive, P: Primitive>(value: impl Lift<Traced = Tr<P>>) -> Tr<Q> {
    value.lift().converted()
}
