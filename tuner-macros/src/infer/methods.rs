//! Methods and functions of the standard library, by what they do to a score.

use crate::diagnostics::messages::{self, NotLinear};

/// What a method of the standard library does to a score that it is called on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// Its result is not a score, as of `is_empty`.
    Forgets,
    /// It may take a score as an argument: methods of containers and iterators, and operators.
    Takes,
    /// It is not linear in the score, or decides by it.
    Nonlinear,
    /// It is an operator as a method; traced numbers have only the operator.
    OperatorForm,
    /// A function that returns the score that it gets, unchanged.
    Passes,
    /// A method whose result is its receiver, or what that holds.
    Gives,
    /// The method is not known here.
    Unknown,
}

impl Effect {
    /// What the method or function of the standard library that has this name does to a score.
    /// `Forgets`: its result is not a score; `Takes`: a score may be an argument; `Nonlinear`: the
    /// result is not linear in the score; `Passes`: a function that returns what it gets; `Gives`:
    /// a method that returns its receiver, or what that holds; `OperatorForm`: an operator as a
    /// method, which traced numbers have not; `Unknown`: the name is not listed.
    pub(super) fn of(method: &str) -> Self {
        match method {
            "all" | "any" | "capacity" | "count" | "is_empty" | "is_err" | "is_none" | "is_ok"
            | "is_some" | "len" | "position" => Self::Forgets,

            "add" | "add_assign" | "and" | "and_then" | "chain" | "copy_from_slice" | "div"
            | "div_assign" | "expect" | "extend" | "extend_from_slice" | "fill" | "filter"
            | "filter_map" | "flat_map" | "fold" | "for_each" | "get_or_insert"
            | "get_or_insert_with" | "insert" | "inspect" | "map" | "map_or" | "map_or_else"
            | "map_while" | "mul" | "mul_assign" | "ok_or" | "or" | "or_else" | "or_insert"
            | "push" | "push_back" | "push_front" | "reduce" | "replace" | "resize" | "scan"
            | "sub" | "sub_assign" | "swap" | "then" | "then_some" | "try_fold" | "unwrap_or"
            | "unwrap_or_else" | "zip" => Self::Takes,

            "abs" | "abs_diff" | "acos" | "acosh" | "asin" | "asinh" | "atan" | "atan2"
            | "atanh" | "binary_search" | "binary_search_by" | "cbrt" | "ceil" | "clamp"
            | "cmp" | "contains" | "copysign" | "cos" | "cosh" | "count_ones" | "count_zeros"
            | "dedup" | "div_ceil" | "div_euclid" | "div_floor" | "downcast" | "downcast_mut"
            | "downcast_ref" | "eq" | "exp" | "exp2" | "exp_m1" | "floor" | "fract" | "ge"
            | "gt" | "hypot" | "ilog" | "ilog10" | "ilog2" | "isqrt" | "le" | "leading_zeros"
            | "ln" | "ln_1p" | "log" | "log10" | "log2" | "lt" | "max" | "max_by"
            | "max_by_key" | "midpoint" | "min" | "min_by" | "min_by_key" | "ne"
            | "next_multiple_of" | "partial_cmp" | "pow" | "powf" | "powi" | "recip"
            | "rem_euclid" | "retain" | "rotate_left" | "rotate_right" | "round"
            | "round_ties_even" | "signum" | "sin" | "sinh" | "sort" | "sort_unstable" | "sqrt"
            | "swap_bytes" | "tan" | "tanh" | "total_cmp" | "trailing_zeros" | "trunc"
            | "unsigned_abs" => Self::Nonlinear,

            "Break" | "Continue" | "Err" | "Ok" | "Some" | "black_box" | "drop" | "from_fn"
            | "take" => Self::Passes,

            "as_mut" | "as_ref" | "as_slice" | "clone" | "cloned" | "copied" | "default"
            | "enumerate" | "first" | "get" | "get_mut" | "get_or_init" | "index" | "into"
            | "into_iter" | "iter" | "iter_mut" | "last" | "load" | "next" | "product" | "read"
            | "rev" | "set" | "skip" | "split" | "sum" | "unwrap" | "with" | "write" => Self::Gives,

            "mul_add" | "to_degrees" | "to_radians" => Self::OperatorForm,

            // Families of names, as `is_positive`, `sort_by`, `saturating_abs`, `wrapping_add`.
            _ => match method.split_once('_') {
                Some(("is" | "sort", _) | ("binary", "search_by_key")) => Self::Nonlinear,
                Some((_, "abs")) if ranged(method).is_some() => Self::Nonlinear,
                Some(("checked" | "overflowing" | "saturating" | "wrapping", _)) => {
                    Self::OperatorForm
                }
                _ => Self::Unknown,
            },
        }
    }
}

/// Whether a method of this name gives the bytes of a number, or a pointer to them.
pub(super) fn is_of_bytes(name: &str) -> bool {
    matches!(
        name,
        "as_mut_ptr" | "as_ptr" | "to_be_bytes" | "to_bits" | "to_le_bytes" | "to_ne_bytes"
    )
}

/// How many arguments a method of numbers has beside the number, as 1 for `max`, if the method has
/// a form for traced numbers in functions that are marked `nonlinear`; else `None`.
pub(super) fn arguments(name: &str) -> Option<usize> {
    match name {
        "abs" | "exp" | "ln" | "signum" | "sqrt" | "tanh" => Some(0),
        "max" | "min" | "pow" | "powf" | "powi" => Some(1),
        "clamp" => Some(2),
        _ => None,
    }
}

/// Takes the name of a method such as `saturating_add` apart: gives the operation, `add`, and how
/// many arguments the method has beside the number; `None` for another name. The twin has a
/// function for each such method.
pub(super) fn ranged(name: &str) -> Option<(&str, usize)> {
    let (how, operation) = name.split_once('_')?;
    let arguments = match operation {
        "add" | "mul" | "sub" => 1,
        "abs" | "neg" => 0,
        _ => return None,
    };
    matches!(how, "checked" | "overflowing" | "saturating" | "wrapping")
        .then_some((operation, arguments))
}

/// The message that the method `name` of a score is not linear in the weights. If the method has a
/// form for traced numbers, to mark the function `nonlinear` is among the cures.
pub(super) fn not_linear(name: &str) -> NotLinear {
    if arguments(name).is_some() || ranged(name).is_some() {
        messages::traced_method(name)
    } else {
        messages::method(name)
    }
}
