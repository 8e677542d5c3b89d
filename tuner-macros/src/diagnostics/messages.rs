//! What an evaluation may not do, each with its cures: every message of the
//! macros is written here, and each has a UI test (`tests/ui` compares).

use std::borrow::Cow;
use std::fmt;

use super::{Cure, FrozenBy, Message};

/// A use of a score that is not linear in the weights.
#[derive(Debug)]
pub(crate) struct NotLinear {
    what: Cow<'static, str>,
    cures: &'static [Cure],
}

impl NotLinear {
    /// What a function is told that promises a linear score.
    pub(crate) fn message(&self) -> Message {
        Message {
            what: Cow::Owned(format!("{} is not linear in the weights", self.what)),
            cures: Cow::Borrowed(self.cures),
        }
    }

    /// What a function is told that may be nonlinear.
    pub(crate) fn message_if_nonlinear(&self) -> Message {
        let stop = "let the derivative stop there: `tuner_core::freeze!(score)`";
        Message {
            what: Cow::Owned(format!("{} has no traced form", self.what)),
            cures: Cow::Owned(vec![say("use plain numbers"), say(stop)]),
        }
    }
}

/// A cure: its words, or the name of one.
macro_rules! cure {
    ($words:literal) => {
        say($words)
    };
    ($cure:ident) => {
        $cure
    };
}

/// A list of cures that lasts for ever, also of an argument.
macro_rules! cures {
    ($($cure:tt),+ $(,)?) => {
        const { &[$(cure!($cure)),+] }
    };
}

const fn say(text: &'static str) -> Cure {
    Cure::Say(Cow::Borrowed(text))
}

const fn message(what: &'static str, cures: &'static [Cure]) -> Message {
    Message {
        what: Cow::Borrowed(what),
        cures: Cow::Borrowed(cures),
    }
}

const fn not_linear(what: &'static str, cures: &'static [Cure]) -> NotLinear {
    let what = Cow::Borrowed(what);
    NotLinear { what, cures }
}

/// A message that names something of the author's.
fn named(what: String, cures: &'static [Cure]) -> Message {
    Message {
        what: Cow::Owned(what),
        cures: Cow::Borrowed(cures),
    }
}

const FREEZE_CONST: Cure = Cure::Freeze("");
const FREEZE_IF_NO_WEIGHT: Cure = Cure::Freeze(" if it is none of the weights");
const MARK_NONLINEAR: Cure = say("mark the function `#[tunable(nonlinear)]`");
const ADD_TRACED: Cure = say("add `#[cfg(feature = \"tune\")] tuner_core::traced!();` to its file");

/// How the author says that a const is no weight.
pub(super) fn freeze(frozen_by: FrozenBy, when: &str) -> String {
    match frozen_by {
        FrozenBy::Attribute => format!("mark the const `#[frozen]`{when}"),
        FrozenBy::Argument => format!("write `traced!(frozen(NAME))` for the const{when}"),
    }
}

/// Added where diagnostics are in methods of a type that the twin copies, of
/// which an evaluation calls few.
pub(super) fn leave_out(methods: &[String]) -> String {
    let methods = methods.join(", ");
    format!("or leave out what the traced score never calls: `traced!(untraced({methods}))`")
}

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

pub(crate) const STATIC_MUT: Message = message(
    "a `static mut` that annotated code writes to cannot hold weights",
    cures![
        "compute it in a `LazyLock`",
        "keep what writes to it in a file that is not traced",
        FREEZE_CONST,
    ],
);
pub(crate) const NO_TUNABLE_ITEM: Message = message(
    "`#[tunable]` stands on a function, an impl block, an inline module, a struct, a const or a \
     static",
    cures![
        "for a whole file write `#[cfg(feature = \"tune\")] tuner_core::traced!();` as its last line"
    ],
);
pub(crate) const NO_BODY: Message = message(
    "`nonlinear` says how a body may compute",
    cures!["write it at a function, an impl block or an inline module"],
);
pub(crate) const FILE_MODULE: Message = message(
    "`#[tunable]` cannot see into a module that is a file",
    cures![
        "write `#[cfg(feature = \"tune\")] tuner_core::traced!();` as the last line of that file"
    ],
);
pub(crate) const STRAY_ITEM: Message = message(
    "`#[tunable]` did not find this item in its file",
    cures!["an item that another macro writes has no twin: write it out"],
);
pub(crate) const OPERATOR_METHOD: Message = message(
    "a method of an operator has no twin of its own",
    cures!["annotate its impl block with `#[tunable]`"],
);
pub(crate) const UNREACHED_METHOD: Message = message(
    "no weight reaches this method",
    cures![
        "annotate its impl block with `#[tunable]`",
        "leave it as it is",
    ],
);
pub(crate) const LENGTH: Message = message(
    "the length of a table of weights must be a number of at most 65536",
    cures!["write it out"],
);
pub(crate) const CFG: Message = message(
    "a weight under `#[cfg]` has no number in builds without it",
    cures!["put the `#[cfg]` on the code that uses it", FREEZE_CONST],
);
pub(crate) const LAZY: Message = message(
    "nobody can see what computes this static from weights",
    cures!["write `LazyLock::new(|| …)`", "mark it `#[frozen]`"],
);
pub(crate) const EMPTY_FILE: Message = message(
    "nothing in this file is a weight, and no weight reaches its functions",
    cures![
        "add `traced!()` to the file of the tables that they read",
        "remove this line",
    ],
);
pub(crate) const EMPTY_REGISTRY: Message = message(
    "no const or static of this crate is a weight",
    cures![
        "add `#[cfg(feature = \"tune\")] tuner_core::traced!();` as the last line of each file of \
         tables"
    ],
);
pub(crate) const BLOB: Message = message(
    "nobody can see the numbers in this table, which come as bytes",
    cures!["write them out as literals", FREEZE_CONST],
);
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
pub(crate) const UNTRACED_VALUE: Message = message(
    "`untraced!` stands around whole statements, with a semicolon where its value is not used",
    cures!["to give a value another source in the twin write `traced_as!(VALUE => OTHER)`"],
);
pub(crate) const INLINE_WEIGHT: Message = message(
    "`weight!` names one number where it is used, `weight!(TEMPO: 10)`",
    cures!["the weights of a pair or a table stand in a const"],
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

/// A name that a const, or another `weight!`, of the same module has.
pub(crate) fn inline_again(name: &str) -> Message {
    named(
        format!("another weight or item of this module is called `{name}`"),
        cures!["give this one a name of its own", "make both one const"],
    )
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

/// A weight read where no twin is.
pub(crate) fn unmarked_reader(name: &str, weight: &str) -> Message {
    with_frozen(
        format!("`{name}` reads the weight `{weight}` and has no `#[tunable]`"),
        say("mark it"),
        weight,
    )
}

/// A weight read by something annotated that returns no score.
pub(crate) fn plain_reader(name: &str, weight: &str) -> Message {
    with_frozen(
        format!(
            "`{name}` reads the weight `{weight}` and returns no score, which is not linear in \
             the weights"
        ),
        say("decide by something that no weight changes"),
        weight,
    )
}

/// A weight that a macro's expansion names.
pub(crate) fn macro_of_weights(name: &str, weight: &str) -> Message {
    with_frozen(
        format!("`{name}!` reads the weight `{weight}`, where no twin can see it"),
        say("write a function with `#[tunable]`"),
        weight,
    )
}

/// A message whose last cure is to freeze the weight of this name.
fn with_frozen(what: String, cure: Cure, weight: &str) -> Message {
    let freeze = Cure::Say(Cow::Owned(format!("mark `{weight}` `#[frozen]`")));
    Message {
        what: Cow::Owned(what),
        cures: Cow::Owned(vec![cure, freeze]),
    }
}

/// A weight inside a constructor that has no twin.
pub(crate) fn unknown_constructor(name: &str) -> Message {
    named(
        format!("weights stand inside `{name}`, which has no twin"),
        cures![
            "annotate the type and its impl with `#[tunable]`",
            "mark this const `#[frozen]` if its numbers are no weights",
        ],
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

/// A macro whose input is no list of expressions.
pub(crate) fn unread_macro(name: &str) -> Message {
    named(
        format!(
            "weights stand inside `{name}!`, whose input is no list of expressions, so that it \
             has no twin"
        ),
        cures!["write a function or a loop in its place"],
    )
}

/// A const inside a function that joins the score.
pub(crate) fn nested_const(name: &str) -> Message {
    named(
        format!("`{name}` joins the score, but a const inside a function is no weight"),
        cures![
            "move it out to the module and annotate it",
            "mark it `#[frozen]` there",
        ],
    )
}

/// A function inside a function that needs weights.
pub(crate) fn nested_function(name: &str) -> Message {
    named(
        format!("`{name}` stands inside a function and needs weights, so that it has no twin"),
        cures!["move it out to the module and annotate it"],
    )
}

/// An argument of `traced!` that it does not know.
pub(crate) fn unknown_argument(name: &str) -> Message {
    named(
        format!("unknown argument `{name}`"),
        cures![
            "expected `nonlinear`, `frozen(NAME, …)`, `untraced(FUNCTION, …)` or \
             `replaced(FUNCTION => OTHER, …)`"
        ],
    )
}

/// An argument of `#[tunable]` that it does not know.
pub(crate) fn unknown_mode(name: &str) -> Message {
    named(
        format!("unknown argument `{name}`"),
        cures!["expected `nonlinear` or nothing"],
    )
}

/// A name in `frozen(…)` that the file lacks.
pub(crate) fn unknown_frozen(name: &str) -> Message {
    named(
        format!("`{name}` in `frozen(…)` is no const or static of this file"),
        cures!["correct or remove the name"],
    )
}

/// A name in `untraced(…)` or `replaced(…)` that the file lacks.
pub(crate) fn unknown_listed(name: &str, list: &str) -> Message {
    named(
        format!("`{name}` in `{list}(…)` is no function or method of this file"),
        cures!["correct or remove the name"],
    )
}

/// An argument where none may be.
pub(crate) fn no_argument(name: &str) -> Message {
    named(
        format!("`{name}` takes no argument here"),
        cures!["write it without"],
    )
}

/// What another parser has to say.
pub(crate) fn unparsed(error: &impl fmt::Display) -> Message {
    named(error.to_string(), &[])
}
