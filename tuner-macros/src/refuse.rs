//! What an evaluation may not do, each with its cure: every message of the
//! macros is written here, and each has a UI test (`tests/ui` compares).

use std::borrow::Cow;
use std::fmt;

use crate::args::Mode;
use crate::methods;

/// The words of a mistake; only this file makes them.
#[derive(Clone, Debug)]
pub(crate) struct Message(Cow<'static, str>);

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

const fn says(text: &'static str) -> Message {
    Message(Cow::Borrowed(text))
}

/// A use of a score that is not linear in the weights.
#[derive(Debug)]
pub(crate) struct NotLinear {
    what: Cow<'static, str>,
    cure: &'static str,
}

impl NotLinear {
    const fn new(what: &'static str, cure: &'static str) -> Self {
        Self {
            what: Cow::Borrowed(what),
            cure,
        }
    }

    /// What a linear function is told, or one that may be nonlinear.
    pub(crate) fn message(&self, mode: Mode) -> Message {
        let (what, cure) = (&self.what, self.cure);
        Message(Cow::Owned(match mode {
            Mode::Linear => format!("{what} is not linear in the weights; {cure}"),
            Mode::Nonlinear => format!(
                "{what} has no traced form; use plain numbers, or let the derivative stop there: \
                 `tuner_core::freeze!(score)`"
            ),
        }))
    }
}

pub(crate) const PRODUCT: NotLinear = NotLinear::new(
    "a product of two scores",
    "multiply a score by a plain number, give the product a weight of its own in a table, or \
    mark the function `#[tunable(nonlinear)]`",
);
pub(crate) const QUOTIENT: NotLinear = NotLinear::new(
    "division by a score",
    "divide by a plain number, mark the const `#[frozen]` if it is none of the weights, or mark \
    the function `#[tunable(nonlinear)]`",
);
pub(crate) const REMAINDER: NotLinear =
    NotLinear::new("the remainder of a score", "compute it from plain numbers");
pub(crate) const COMPARISON: NotLinear = NotLinear::new(
    "a comparison of scores",
    "decide by something that no weight changes, mark the const `#[frozen]`, or mark the \
    function `#[tunable(nonlinear)]`",
);
pub(crate) const BITS: NotLinear = NotLinear::new(
    "a bit operation on a score",
    "keep the halves of a pair in a struct, or mark the const `#[frozen]`",
);
pub(crate) const INDEX: NotLinear = NotLinear::new(
    "a score as an index",
    "index by a plain number, or mark the const `#[frozen]`",
);
pub(crate) const MATCH: NotLinear = NotLinear::new(
    "a match on a score",
    "match on something that no weight changes, or mark the const `#[frozen]`",
);
pub(crate) const UNSIGNED: NotLinear = NotLinear::new(
    "a score cast to an unsigned type",
    "cast to a signed integer or a float, or mark the const `#[frozen]`",
);
pub(crate) const RANGE: NotLinear = NotLinear::new(
    "a range of scores",
    "make the range of plain numbers, or mark the const `#[frozen]`",
);
pub(crate) const FREEZE: NotLinear = NotLinear::new(
    "`freeze!` of a score",
    "mark the function `#[tunable(nonlinear)]`",
);
pub(crate) const INTERPOLATED: NotLinear = NotLinear::new(
    "`interpolated!` of a score",
    "mark the function `#[tunable(nonlinear)]`",
);
pub(crate) const STATIC_MUT: Message = says(
    "a `static mut` that annotated code writes to cannot hold weights; compute it in a \
    `LazyLock`, keep what writes to it in a file that is not traced, or mark the const `#[frozen]`",
);
pub(crate) const NO_TUNABLE_ITEM: Message = says(
    "`#[tunable]` stands on a function, an impl block, an \
    inline module, a struct, a const or a static; for a whole file write \
    `#[cfg(feature = \"tune\")] tuner_core::traced!();` as its last line",
);
pub(crate) const NO_BODY: Message = says(
    "`nonlinear` says how a body may compute; write it at a function, an impl block or an inline \
    module",
);
pub(crate) const FILE_MODULE: Message = says(
    "`#[tunable]` cannot see into a module that is a file; write \
    `#[cfg(feature = \"tune\")] tuner_core::traced!();` as the last line of that file",
);
pub(crate) const STRAY_ITEM: Message = says(
    "`#[tunable]` did not find this item in its file; an item that another macro writes has no \
    twin: write it out",
);
pub(crate) const OPERATOR_METHOD: Message = says(
    "a method of an operator has no twin of its own; annotate its impl block with \
    `#[tunable]`",
);
pub(crate) const UNREACHED_METHOD: Message = says(
    "no weight reaches this method; annotate its impl block with `#[tunable]`, or \
    leave it as it is",
);
pub(crate) const LENGTH: Message =
    says("the length of a table of weights must be a number of at most 65536; write it out");
pub(crate) const CFG: Message = says(
    "a weight under `#[cfg]` has no number in builds without it; put the `#[cfg]` on the code \
    that uses it, or mark the const `#[frozen]`",
);
pub(crate) const LAZY: Message = says(
    "nobody can see what computes this static from weights; write \
    `LazyLock::new(|| …)`, or mark it `#[frozen]`",
);
pub(crate) const EMPTY_FILE: Message = says(
    "nothing in this file is a weight, and no weight reaches its functions; add `traced!()` to \
    the file of the tables that they read, or remove this line",
);
pub(crate) const EMPTY_REGISTRY: Message = says(
    "no const or static of this crate is a weight; add \
    `#[cfg(feature = \"tune\")] tuner_core::traced!();` as the last line of each file of tables",
);
pub(crate) const BLOB: Message = says(
    "nobody can see the numbers in this table, which come as bytes; write them out as literals, \
    or mark the const `#[frozen]`",
);
pub(crate) const FORMAT: Message = says(
    "a score cannot be turned into text where it is traced; let the caller print it, or move \
    this function to a file that is not traced",
);
pub(crate) const INTO: Message =
    says("`into` of a score does not say into what; write `i32::from(…)` or `… as i32`");

pub(crate) const EXPONENT: Message = says(
    "a score as an integer exponent has no traced form; use `powf`, or compute the exponent from \
    plain numbers",
);

/// A method of numbers that is not linear.
pub(crate) fn method(name: &str) -> NotLinear {
    NotLinear {
        what: Cow::Owned(format!("`{name}` of a score")),
        cure: if methods::has_curve(name) {
            "apply it to plain numbers, mark the const `#[frozen]`, or mark the function \
             `#[tunable(nonlinear)]`"
        } else {
            "apply it to plain numbers, or mark the const `#[frozen]`"
        },
    }
}

/// The largest or smallest of an iterator's scores.
pub(crate) fn extreme(name: &str) -> Message {
    Message(Cow::Owned(format!(
        "`{name}` of an iterator of scores has no traced form; fold it from a first number: \
         `.fold(0, i32::{name})`"
    )))
}

/// Pairs compared as wholes.
pub(crate) const PAIRS: Message =
    says("a comparison of pairs has no traced form; compare the numbers in them, one by one");

pub(crate) const FREEZE_PAIR: Message =
    says("`freeze!` takes one number; freeze the numbers of a pair one by one");

pub(crate) const INTERPOLATED_PAIR: Message = says(
    "`interpolated!` takes a table of numbers and one number; look the numbers of a pair up one \
    by one",
);

pub(crate) const UNTRACED_VALUE: Message = says(
    "`untraced!` stands around whole statements, with a semicolon where its value is not used; to \
    give a value another source in the twin write `traced_as!(VALUE => OTHER)`",
);

pub(crate) const INLINE_WEIGHT: Message = says(
    "`weight!` names one number where it is used, `weight!(TEMPO: 10)`; the weights of a pair or \
    a table stand in a const",
);

/// A name that a const, or another `weight!`, of the same module has.
pub(crate) fn inline_again(name: &str) -> Message {
    Message(Cow::Owned(format!(
        "another weight or item of this module is called `{name}`; give this one a name of its \
         own, or make both one const"
    )))
}

/// A pair and a score, joined by an operator that has no twin for it.
pub(crate) fn operator(sign: &str, pair: &str) -> Message {
    Message(Cow::Owned(format!(
        "`{sign}` of `{pair}` and a score has no twin; mark the impl block of this operator \
         `#[tunable(nonlinear)]`"
    )))
}

/// A score handed to a function of which the macro knows nothing.
pub(crate) fn unknown_function(name: &str) -> Message {
    Message(Cow::Owned(format!(
        "a score goes into `{name}`, which has no twin; annotate it with `#[tunable]` too, \
         or add `#[cfg(feature = \"tune\")] tuner_core::traced!();` to its file"
    )))
}

/// A weight read where no twin is.
pub(crate) fn unmarked_reader(name: &str, weight: &str) -> Message {
    Message(Cow::Owned(format!(
        "`{name}` reads the weight `{weight}` and has no `#[tunable]`; mark it, or mark \
         `{weight}` `#[frozen]`"
    )))
}

/// A weight read by something annotated that returns no score.
pub(crate) fn plain_reader(name: &str, weight: &str) -> Message {
    Message(Cow::Owned(format!(
        "`{name}` reads the weight `{weight}` and returns no score, which is not linear in the \
         weights; decide by something that no weight changes, or mark `{weight}` `#[frozen]`"
    )))
}

/// A weight that a macro's expansion names.
pub(crate) fn macro_of_weights(name: &str, weight: &str) -> Message {
    Message(Cow::Owned(format!(
        "`{name}!` reads the weight `{weight}`, where no twin can see it; write a function with \
         `#[tunable]`, or mark `{weight}` `#[frozen]`"
    )))
}

/// A weight inside a constructor that has no twin.
pub(crate) fn unknown_constructor(name: &str) -> Message {
    Message(Cow::Owned(format!(
        "weights stand inside `{name}`, which has no twin; annotate the type and its impl with \
         `#[tunable]`, or mark this const `#[frozen]` if its numbers are no weights"
    )))
}

/// A score handed to a method of which the macro knows nothing.
pub(crate) fn unknown_method(name: &str) -> Message {
    Message(Cow::Owned(format!(
        "a score goes into method `{name}`, which has no twin; annotate its impl block with \
         `#[tunable]` too, or keep the score out of it"
    )))
}

/// A score inside a struct or enum variant of which the macro knows nothing.
pub(crate) fn unknown_type(name: &str) -> Message {
    Message(Cow::Owned(format!(
        "a score goes into `{name}`, which has no twin; annotate the struct and its impl with \
         `#[tunable]`, or return the score in a tuple"
    )))
}

/// A score put where no twin is, to be found there later.
pub(crate) fn kept_in(name: &str) -> Message {
    Message(Cow::Owned(format!(
        "a score is kept in `{name}`, where no derivative follows it; compute the score anew where \
         it is traced, or leave this function without twin: `traced!(untraced(FUNCTION))`"
    )))
}

/// A score put into a field of a struct of which the macro knows nothing.
pub(crate) fn unknown_field(name: &str) -> Message {
    Message(Cow::Owned(format!(
        "a score goes into field `{name}`, whose struct has no twin; annotate the struct and its \
         impl with `#[tunable]`, or keep the score out of it"
    )))
}

/// A pair from a file that has no twins.
pub(crate) fn forgotten(name: &str, pair: &str) -> Message {
    Message(Cow::Owned(format!(
        "`{name}` gives a `{pair}` and has no twin; annotate it with `#[tunable]` too, or add \
         `#[cfg(feature = \"tune\")] tuner_core::traced!();` to its file"
    )))
}

/// A method of numbers that traced numbers lack, though it may be linear.
pub(crate) fn operator_form(name: &str) -> Message {
    Message(Cow::Owned(format!(
        "`{name}` of a score has no traced form; write the operator (`+`, `-`, `*`, `/`, `<<`, `>>`), \
         or apply it to plain numbers"
    )))
}

/// A macro whose input is no list of expressions.
pub(crate) fn unread_macro(name: &str) -> Message {
    Message(Cow::Owned(format!(
        "weights stand inside `{name}!`, whose input is no list of expressions, so that it has no \
         twin; write a function or a loop in its place"
    )))
}

/// A const inside a function that joins the score.
pub(crate) fn nested_const(name: &str) -> Message {
    Message(Cow::Owned(format!(
        "`{name}` joins the score, but a const inside a function is no weight; move it out to the \
         module and annotate it, or mark it `#[frozen]` there"
    )))
}

/// A function inside a function that needs weights.
pub(crate) fn nested_function(name: &str) -> Message {
    Message(Cow::Owned(format!(
        "`{name}` stands inside a function and needs weights, so that it has no twin; move it out \
         to the module and annotate it"
    )))
}

/// An argument of `traced!` that it does not know.
pub(crate) fn unknown_argument(name: &str) -> Message {
    Message(Cow::Owned(format!(
        "unknown argument `{name}`; expected `nonlinear`, `frozen(NAME, …)`, \
         `untraced(FUNCTION, …)` or `replaced(FUNCTION => OTHER, …)`"
    )))
}

/// An argument of `#[tunable]` that it does not know.
pub(crate) fn unknown_mode(name: &str) -> Message {
    Message(Cow::Owned(format!(
        "unknown argument `{name}`; expected `nonlinear` or nothing"
    )))
}

/// Added where mistakes stand in methods of a type that the twin copies, of
/// which an evaluation calls few.
pub(crate) fn or_untraced(methods: &[String]) -> Message {
    let methods = methods.join(", ");
    Message(Cow::Owned(format!(
        "or leave out what the traced score never calls: `traced!(untraced({methods}))`"
    )))
}

/// A name in `frozen(…)` that the file lacks.
pub(crate) fn unknown_frozen(name: &str) -> Message {
    Message(Cow::Owned(format!(
        "`{name}` in `frozen(…)` is no const or static of this file; correct or remove the name"
    )))
}

/// A name in `untraced(…)` or `replaced(…)` that the file lacks.
pub(crate) fn unknown_listed(name: &str, list: &str) -> Message {
    Message(Cow::Owned(format!(
        "`{name}` in `{list}(…)` is no function or method of this file; correct or remove the \
         name"
    )))
}

/// An argument where none may stand.
pub(crate) fn no_argument(name: &str) -> Message {
    Message(Cow::Owned(format!(
        "`{name}` takes no argument here; write it without"
    )))
}

/// What another parser has to say.
pub(crate) fn unparsed(error: &impl fmt::Display) -> Message {
    Message(Cow::Owned(error.to_string()))
}
