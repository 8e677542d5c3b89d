//! What an evaluation may not do, each with its cures: every message of the
//! macros is written here, and each has a UI test (`tests/ui` compares).

mod annotations;
mod scores;

use std::borrow::Cow;
use std::fmt;

pub(crate) use annotations::*;
pub(crate) use scores::*;

use super::{Cure, FrozenBy, Message};

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
use {cure, cures};

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

/// What another parser has to say.
pub(crate) fn unparsed(error: &impl fmt::Display) -> Message {
    named(error.to_string(), &[])
}
