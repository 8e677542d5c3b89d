//! Scores: where they may not be used.

use std::borrow::Cow;

use super::{
    ADD_TRACED, Cure, FREEZE_CONST, FREEZE_IF_NO_WEIGHT, MARK_NONLINEAR, Message, NotLinear, cure,
    cures, message, named, not_linear, say,
};

pub(crate) const PRODUCT: NotLinear = not_linear(
    "a product of two scores",
    cures![
        "multiply a score by a plain number",
        "give the product a weight of its own in a table",
        MARK_NONLINEAR,
    ],
);
pub(crate) const QUOTIENT: NotLinear = not_linear(
    "division by a score",
    cures![
        "divide by a plain number",
        FREEZE_IF_NO_WEIGHT,
        MARK_NONLINEAR,
    ],
);
pub(crate) const REMAINDER: NotLinear = not_linear(
    "the remainder of a score",
    cures!["compute it from plain numbers"],
);
pub(crate) const COMPARISON: NotLinear = not_linear(
    "a comparison of scores",
    cures![
        "decide by something that no weight changes",
        FREEZE_CONST,
        MARK_NONLINEAR,
    ],
);
pub(crate) const BITS: NotLinear = not_linear(
    "a bit operation on a score",
    cures!["keep the halves of a pair in a struct", FREEZE_CONST],
);
pub(crate) const INDEX: NotLinear = not_linear(
    "a score as an index",
    cures!["index by a plain number", FREEZE_CONST],
);
pub(crate) const MATCH: NotLinear = not_linear(
    "a match on a score",
    cures!["match on something that no weight changes", FREEZE_CONST],
);
pub(crate) const UNSIGNED: NotLinear = not_linear(
    "a score cast to an unsigned type",
    cures!["cast to a signed integer or a float", FREEZE_CONST],
);
pub(crate) const RANGE: NotLinear = not_linear(
    "a range of scores",
    cures!["make the range of plain numbers", FREEZE_CONST],
);
pub(crate) const FREEZE: NotLinear = not_linear("`freeze!` of a score", cures![MARK_NONLINEAR]);
pub(crate) const INTERPOLATED: NotLinear =
    not_linear("`interpolated!` of a score", cures![MARK_NONLINEAR]);

/// A method of numbers that is not linear; `traced`: whether nonlinear
/// functions may call it.
pub(crate) fn method(name: &str, traced: bool) -> NotLinear {
    const PLAIN: Cure = say("apply it to plain numbers");
    NotLinear {
        what: Cow::Owned(format!("`{name}` of a score")),
        cures: if traced {
            cures![PLAIN, FREEZE_CONST, MARK_NONLINEAR]
        } else {
            cures![PLAIN, FREEZE_CONST]
        },
    }
}
pub(crate) const FORMAT: Message = message(
    "a score cannot be turned into text where it is traced",
    cures![
        "let the caller print it",
        "move this function to a file that is not traced",
    ],
);
pub(crate) const INTO: Message = message(
    "`into` of a score does not say into what",
    cures!["write `i32::from(…)` or `… as i32`"],
);
pub(crate) const EXPONENT: Message = message(
    "a score as an integer exponent has no traced form",
    cures!["use `powf`", "compute the exponent from plain numbers"],
);

/// Pairs compared as wholes.
pub(crate) const PAIRS: Message = message(
    "a comparison of pairs has no traced form",
    cures!["compare the numbers in them, one by one"],
);
pub(crate) const FREEZE_PAIR: Message = message(
    "`freeze!` takes one number",
    cures!["freeze the numbers of a pair one by one"],
);
pub(crate) const INTERPOLATED_PAIR: Message = message(
    "`interpolated!` takes a table of numbers and one number",
    cures!["look the numbers of a pair up one by one"],
);

/// The largest or smallest of an iterator's scores.
pub(crate) fn extreme(name: &str) -> Message {
    let fold = format!("fold it from a first number: `.fold(0, i32::{name})`");
    Message {
        what: Cow::Owned(format!(
            "`{name}` of an iterator of scores has no traced form"
        )),
        cures: Cow::Owned(vec![Cure::Say(Cow::Owned(fold))]),
    }
}

/// A pair and a score, joined by an operator that has no twin for it.
pub(crate) fn operator(sign: &str, pair: &str) -> Message {
    named(
        format!("`{sign}` of `{pair}` and a score has no twin"),
        cures!["mark the impl block of this operator `#[tunable(nonlinear)]`"],
    )
}

/// A score passed to a function of which the macro knows nothing.
pub(crate) fn unknown_function(name: &str) -> Message {
    named(
        format!("a score goes into `{name}`, which has no twin"),
        cures!["annotate it with `#[tunable]` too", ADD_TRACED],
    )
}

/// A pair from a file that has no twins.
pub(crate) fn pair_without_twin(name: &str, pair: &str) -> Message {
    named(
        format!("`{name}` gives a `{pair}` and has no twin"),
        cures!["annotate it with `#[tunable]` too", ADD_TRACED],
    )
}

/// A score passed to a method of which the macro knows nothing.
pub(crate) fn unknown_method(name: &str) -> Message {
    named(
        format!("a score goes into method `{name}`, which has no twin"),
        cures![
            "annotate its impl block with `#[tunable]` too",
            "keep the score out of it",
        ],
    )
}

/// A score inside a struct or enum variant of which the macro knows nothing.
pub(crate) fn unknown_type(name: &str) -> Message {
    named(
        format!("a score goes into `{name}`, which has no twin"),
        cures![
            "annotate the struct and its impl with `#[tunable]`",
            "return the score in a tuple",
        ],
    )
}

/// A score stored where no twin is, to be read there later.
pub(crate) fn stored_in(name: &str) -> Message {
    named(
        format!("a score is kept in `{name}`, where no derivative follows it"),
        cures![
            "compute the score anew where it is traced",
            "leave this function without twin: `traced!(untraced(FUNCTION))`",
        ],
    )
}

/// A score stored in a field of a struct of which the macro knows nothing.
pub(crate) fn unknown_field(name: &str) -> Message {
    named(
        format!("a score goes into field `{name}`, whose struct has no twin"),
        cures![
            "annotate the struct and its impl with `#[tunable]`",
            "keep the score out of it",
        ],
    )
}

/// A method of numbers that traced numbers lack, though it may be linear.
pub(crate) fn operator_form(name: &str) -> Message {
    named(
        format!("`{name}` of a score has no traced form"),
        cures![
            "write the operator (`+`, `-`, `*`, `/`, `<<`, `>>`)",
            "apply it to plain numbers",
        ],
    )
}
