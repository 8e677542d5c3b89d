//! Annotations: where they are missing, wrong, or without effect.

use std::borrow::Cow;

use super::{Cure, FREEZE_CONST, Message, cure, cures, message, named, say};

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
pub(crate) const UNTRACED_VALUE: Message = message(
    "`untraced!` stands around whole statements, with a semicolon where its value is not used",
    cures!["to give a value another source in the twin write `traced_as!(VALUE => OTHER)`"],
);
pub(crate) const INLINE_WEIGHT: Message = message(
    "`weight!` names one number where it is used, `weight!(TEMPO: 10)`",
    cures!["the weights of a pair or a table are in a const"],
);

/// A name that a const, or another `weight!`, of the same module has.
pub(crate) fn inline_again(name: &str) -> Message {
    named(
        format!("another weight or item of this module is called `{name}`"),
        cures!["give this one a name of its own", "make both one const"],
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
