//! Methods and functions of the standard library, by what they do to a score.

use crate::diagnostics::messages::{self, NotLinear};

/// Functions that pass a score through and know nothing of it.
const TRANSPARENT: [&str; 12] = [
    "Break",
    "Continue",
    "Err",
    "Ok",
    "Some",
    "black_box",
    "drop",
    "from_fn",
    "replace",
    "swap",
    "take",
    "zip",
];

/// Methods after which a score is none any more.
const FORGETTING: [&str; 11] = [
    "all", "any", "capacity", "count", "is_empty", "is_err", "is_none", "is_ok", "is_some", "len",
    "position",
];

/// Methods of containers, iterators and operators that may take a score.
const TAKING: [&str; 48] = [
    "add",
    "add_assign",
    "and",
    "and_then",
    "chain",
    "copy_from_slice",
    "div",
    "div_assign",
    "expect",
    "extend",
    "extend_from_slice",
    "fill",
    "filter",
    "filter_map",
    "flat_map",
    "fold",
    "for_each",
    "get_or_insert",
    "get_or_insert_with",
    "insert",
    "inspect",
    "map",
    "map_or",
    "map_or_else",
    "map_while",
    "mul",
    "mul_assign",
    "ok_or",
    "or",
    "or_else",
    "or_insert",
    "push",
    "push_back",
    "reduce",
    "replace",
    "resize",
    "scan",
    "sub",
    "sub_assign",
    "swap",
    "then",
    "then_some",
    "try_fold",
    "unwrap_or",
    "unwrap_or_else",
    "wrapping_add",
    "wrapping_sub",
    "zip",
];

/// Methods that are not linear in the number, or that decide by it.
const NONLINEAR: [&str; 80] = [
    "abs",
    "abs_diff",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "binary_search",
    "binary_search_by",
    "binary_search_by_key",
    "cbrt",
    "ceil",
    "clamp",
    "cmp",
    "contains",
    "copysign",
    "cos",
    "cosh",
    "count_ones",
    "count_zeros",
    "dedup",
    "div_ceil",
    "div_euclid",
    "div_floor",
    "eq",
    "exp",
    "exp2",
    "exp_m1",
    "floor",
    "fract",
    "ge",
    "gt",
    "hypot",
    "ilog",
    "ilog10",
    "ilog2",
    "isqrt",
    "le",
    "leading_zeros",
    "ln",
    "ln_1p",
    "log",
    "log10",
    "log2",
    "lt",
    "max",
    "max_by",
    "max_by_key",
    "midpoint",
    "min",
    "min_by",
    "min_by_key",
    "ne",
    "next_multiple_of",
    "partial_cmp",
    "pow",
    "powf",
    "powi",
    "recip",
    "rem_euclid",
    "retain",
    "rotate_left",
    "rotate_right",
    "round",
    "round_ties_even",
    "signum",
    "sin",
    "sinh",
    "sort",
    "sort_unstable",
    "sqrt",
    "swap_bytes",
    "tan",
    "tanh",
    "total_cmp",
    "trailing_zeros",
    "trunc",
    "unsigned_abs",
];

/// Methods that say an operator in words; traced numbers have the operator only.
const OPERATOR_FORMS: [&str; 3] = ["mul_add", "to_degrees", "to_radians"];

/// What the twin has a function for under `nonlinear`, with how many
/// arguments it takes after the number.
const FUNCTIONS: [(&str, usize); 12] = [
    ("abs", 0),
    ("clamp", 2),
    ("exp", 0),
    ("ln", 0),
    ("max", 1),
    ("min", 1),
    ("pow", 1),
    ("powf", 1),
    ("powi", 1),
    ("signum", 0),
    ("sqrt", 0),
    ("tanh", 0),
];

/// Whether the twin has a function for it under `nonlinear`, in a call with
/// this many arguments after the number.
pub(super) fn has_function(name: &str, arguments: usize) -> bool {
    FUNCTIONS.contains(&(name, arguments))
}

/// What is said of a method that is not linear.
pub(super) fn not_linear(name: &str) -> NotLinear {
    let is_traced = FUNCTIONS.iter().any(|(function, _)| *function == name);
    messages::method(name, is_traced)
}

pub(super) fn is_transparent(name: &str) -> bool {
    TRANSPARENT.contains(&name)
}

pub(super) fn forgets(name: &str) -> bool {
    FORGETTING.contains(&name)
}

/// Whether a method of the standard library may take a score as an argument.
pub(super) fn takes_scores(name: &str) -> bool {
    TAKING.contains(&name)
}

pub(super) fn is_nonlinear(name: &str) -> bool {
    const PREFIXES: [&str; 2] = ["saturating_", "sort_"];
    NONLINEAR.contains(&name)
        || PREFIXES.iter().any(|p| name.starts_with(p))
        || (name.starts_with("is_") && !forgets(name))
}

pub(super) fn has_operator_form(name: &str) -> bool {
    const PREFIXES: [&str; 2] = ["checked_", "overflowing_"];
    OPERATOR_FORMS.contains(&name) || PREFIXES.iter().any(|p| name.starts_with(p))
}
