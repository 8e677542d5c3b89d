//! What a linear evaluation may not do, each with its cure: one message a
//! constant, and one UI test a message.

pub(crate) const PRODUCT: &str = "a product of two scores is not linear in the weights; \
    multiply a score by a plain number, or give the product a weight of its own in a table";
pub(crate) const QUOTIENT: &str = "division by a score is not linear in the weights; \
    divide by a plain number, or mark the const `#[frozen]` if it is none of the weights";
pub(crate) const REMAINDER: &str = "the remainder of a score is not linear in the weights; \
    compute it from plain numbers";
pub(crate) const COMPARISON: &str = "a comparison of scores is not linear in the weights; \
    decide by something that no weight changes, or mark the const `#[frozen]`";
pub(crate) const BITS: &str = "a bit operation on a score is not linear in the weights; \
    keep the halves of a pair in a struct, or mark the const `#[frozen]`";
pub(crate) const INDEX: &str = "a score as an index is not linear in the weights; \
    index by a plain number, or mark the const `#[frozen]`";
pub(crate) const MATCH: &str = "a match on a score is not linear in the weights; \
    match on something that no weight changes, or mark the const `#[frozen]`";
pub(crate) const UNSIGNED: &str = "a score cast to an unsigned type is not linear in the weights; \
    cast to a signed integer or a float, or mark the const `#[frozen]`";
pub(crate) const STATIC_MUT: &str = "a `static mut` cannot hold weights yet; \
    make it a `const` or a `static`";
pub(crate) const RANGE: &str = "a range of scores is not linear in the weights; \
    make the range of plain numbers, or mark the const `#[frozen]`";
pub(crate) const NO_TUNABLE_ITEM: &str = "`#[tunable]` stands on a function, an impl block, an \
    inline module, a struct, a const or a static; for a whole file write \
    `#[cfg(feature = \"tune\")] tuner_core::traced!();` as its last line";
pub(crate) const FILE_MODULE: &str = "`#[tunable]` cannot see into a module that is a file; write \
    `#[cfg(feature = \"tune\")] tuner_core::traced!();` as the last line of that file";
pub(crate) const ARITHMETIC: &str = "a weight is a literal; arithmetic in the initialiser of a \
    weight is not supported yet: write the number, or mark the const `#[frozen]`";

/// A method of numbers that is not linear.
pub(crate) fn method(name: &str) -> String {
    format!(
        "`{name}` of a score is not linear in the weights; \
         apply it to plain numbers, or mark the const `#[frozen]`"
    )
}

/// A score handed to a function of which the macro knows nothing.
pub(crate) fn unknown_function(name: &str) -> String {
    format!(
        "a score goes into `{name}`, which has no twin; annotate it with `#[tunable]` too, \
         or add `#[cfg(feature = \"tune\")] tuner_core::traced!();` to its file"
    )
}

/// A weight inside a constructor that has no twin.
pub(crate) fn unknown_constructor(name: &str) -> String {
    format!(
        "weights stand inside `{name}`, which has no twin; annotate the type and its impl with \
         `#[tunable]`, or mark this const `#[frozen]` if its numbers are no weights"
    )
}

/// Methods of numbers that are not linear in the number.
pub(crate) fn is_nonlinear_method(name: &str) -> bool {
    const PREFIXES: [&str; 3] = ["checked_", "saturating_", "is_"];
    const NAMES: [&str; 31] = [
        "abs",
        "abs_diff",
        "cbrt",
        "ceil",
        "clamp",
        "cmp",
        "cos",
        "div_euclid",
        "eq",
        "exp",
        "exp2",
        "floor",
        "ge",
        "gt",
        "hypot",
        "ln",
        "log10",
        "log2",
        "max",
        "min",
        "partial_cmp",
        "pow",
        "powf",
        "powi",
        "recip",
        "rem_euclid",
        "round",
        "signum",
        "sqrt",
        "tanh",
        "unsigned_abs",
    ];
    NAMES.contains(&name) || (PREFIXES.iter().any(|p| name.starts_with(p)) && name != "is_empty")
}
