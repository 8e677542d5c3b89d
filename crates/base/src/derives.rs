//! What a derive would write, without a macro crate that everything waits for.

/// Implements a trait of [`std::fmt`] by a body, or by the name of the type. Attributes, such as a
/// doc comment, are of the method.
///
/// ```
/// enum Side { First, Second }
///
/// tuner_base::impl_fmt! { Debug for Side }
/// tuner_base::impl_fmt! { Display for Side, |self, f| f.write_str(match self {
///     Self::First => "first",
///     Self::Second => "second",
/// }) }
/// assert_eq!(format!("{} {}", Side::First, Side::Second), "first second");
/// assert_eq!(format!("{:?}", Side::First), "Side");
/// ```
#[macro_export]
macro_rules! impl_fmt {
    ($trait:ident for $type:ty) => {
        $crate::impl_fmt! { $trait for $type, |self, f| f.write_str(stringify!($type)) }
    };
    ($(#[$meta:meta])* $trait:ident for $type:ty, |$self:ident, $f:ident| $body:expr) => {
        impl ::std::fmt::$trait for $type {
            $(#[$meta])*
            fn fmt(&$self, $f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                $body
            }
        }
    };
}

/// Makes a struct of clones of the fields of a value that have the same names, and of further
/// fields, which are written as in any struct.
///
/// ```
/// struct Typed { games: u64, seed: u64, quiet: bool }
/// struct Config { games: u64, seed: u64, talks: bool }
///
/// let typed = Typed { games: 2, seed: 1, quiet: true };
/// let config = tuner_base::cloned_fields! { Config { games, seed } of typed, talks: !typed.quiet };
/// assert_eq!((config.games, config.seed, config.talks), (2, 1, false));
/// ```
#[macro_export]
macro_rules! cloned_fields {
    ($type:ident { $($field:ident),+ $(,)? } of $from:expr $(, $($further:tt)*)?) => {
        $type {
            $($field: ::std::clone::Clone::clone(&$from.$field),)+
            $($($further)*)?
        }
    };
}

/// Implements `+=` of a struct field by field; it does not compile if one is left out.
///
/// ```
/// struct Counts { games: u64, plies: u64 }
///
/// tuner_base::add_fields! { Counts { games, plies } }
/// let mut counts = Counts { games: 1, plies: 80 };
/// counts += Counts { games: 2, plies: 70 };
/// assert_eq!([counts.games, counts.plies], [3, 150]);
/// ```
#[macro_export]
macro_rules! add_fields {
    ($type:ident { $($field:ident),+ $(,)? }) => {
        impl ::std::ops::AddAssign for $type {
            fn add_assign(&mut self, other: Self) {
                let Self { $($field),+ } = other;
                $(self.$field += $field;)+
            }
        }
    };
}
