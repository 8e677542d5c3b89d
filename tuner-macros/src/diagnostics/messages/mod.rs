//! What an evaluation may not do, each with its cures: every message of the
//! macros is written here, and each has a UI test (`tests/ui` compares).

mod annotations;
mod scores;

pub(crate) use annotations::*;
pub(crate) use scores::*;

use super::{Cure, FrozenBy, Message};

/// Defines a function for each row of a table: what is wrong, with the author's names in braces,
/// and the cures. With `+ trace name` one cure is `traced!()` in the file of `name`; `+ trace name
/// weight`: `name` reads this weight.
macro_rules! messages {
    ($type:ident; $($name:ident($($arg:ident),*) $(+ $list:ident $($item:ident)*)?:
        $what:literal [$($cure:expr),* $(,)?])*) => {$(
        pub(crate) fn $name($($arg: &str),*) -> $type {
            let (what, cures) = (format!($what), vec![$($cure.into()),*]);
            let annotation = [$([stringify!($list), $($item),*].join(" "))?];
            $type { what, cures, annotation: annotation.into_iter().next() }
        }
    )*};
}
use messages;

/// A use of a score that is not linear in the weights.
#[derive(Debug)]
pub(crate) struct NotLinear {
    what: String,
    cures: Vec<Cure>,
    annotation: Option<String>,
}

impl NotLinear {
    /// The message about this use of a score in a function that promises a linear score: that the
    /// use is not linear, and the cures.
    pub(crate) fn message(self) -> Message {
        Message {
            what: self.what + " is not linear in the weights",
            cures: self.cures,
            annotation: self.annotation,
        }
    }

    /// The message about this use of a score in a function that may be nonlinear: that traced
    /// numbers have no form of it, and two cures that fit every such use.
    pub(crate) fn message_if_nonlinear(self) -> Message {
        let stop = "let the derivative stop there: `tuner_core::freeze!(score)`";
        Message {
            what: self.what + " has no traced form",
            cures: vec!["use plain numbers".into(), stop.into()],
            annotation: None,
        }
    }
}

impl From<&str> for Cure {
    /// A cure in these words.
    fn from(words: &str) -> Self {
        Self::Say(words.to_owned())
    }
}

const FREEZE_CONST: Cure = freeze_one("");
const FREEZE_IF_NO_WEIGHT: Cure = freeze_one(" if it is none of the weights");
const MARK_NONLINEAR: Cure = Cure::Nonlinear("the function");
pub(super) const LEAVE_OUT: &str =
    "leave the statement out of the twin: `tuner_core::untraced! { … }`";
const ADD_TRACED: &str = "add `#[cfg(feature = \"tune\")] tuner_core::traced!();` to its file";

/// The cure that a const is frozen. `when` is the end of its sentence: when that cures the mistake.
/// The names of the consts that it may be are filled in by `Diagnostic::name_consts`.
const fn freeze_one(when: &'static str) -> Cure {
    Cure::Freeze {
        when,
        consts: Vec::new(),
        elsewhere: false,
    }
}

/// The cure that the weight of this name is frozen by the attribute `#[frozen]`.
fn freeze_weight(weight: &str) -> Cure {
    Cure::Say(format!("mark `{weight}` `#[frozen]`"))
}

impl Cure {
    /// The cure as a sentence without full stop. `frozen_by`: whether a const is frozen, and a
    /// function marked as nonlinear, by an attribute or in the `traced!(…)` of its file.
    pub(super) fn text(&self, frozen_by: FrozenBy) -> String {
        match self {
            Self::Say(words) => words.clone(),
            Self::Freeze {
                when,
                consts,
                elsewhere,
            } => {
                let place = if *elsewhere { " in its file" } else { "" };
                match (frozen_by, &consts[..]) {
                    (FrozenBy::Attribute, []) => format!("mark the const `#[frozen]`{when}"),
                    (FrozenBy::Attribute, [one]) => format!("mark `{one}` `#[frozen]`{when}"),
                    (FrozenBy::Attribute, all) => {
                        let all = both(all);
                        format!("mark those of {all} `#[frozen]` that are no weights")
                    }
                    (FrozenBy::Argument, []) => {
                        format!("write `traced!(frozen(NAME))` for the const{when}")
                    }
                    (FrozenBy::Argument, [one]) => {
                        format!("write `traced!(frozen({one}))`{place}{when}")
                    }
                    (FrozenBy::Argument, all) => {
                        let all = both(all);
                        format!(
                            "write `traced!(frozen(NAME, …))`{place} for those of {all} that are \
                             no weights"
                        )
                    }
                }
            }
            Self::Nonlinear(what) => match frozen_by {
                FrozenBy::Attribute => format!("mark {what} `#[tunable(nonlinear)]`"),
                FrozenBy::Argument if *what == "the function" => {
                    "write `traced!(nonlinear)`".to_owned()
                }
                FrozenBy::Argument => format!("write `traced!(nonlinear)` in the file of {what}"),
            },
            Self::LeaveOut(methods) => {
                let methods = methods.join(", ");
                format!(
                    "or leave out what the traced score never calls: `traced!(untraced({methods}))`"
                )
            }
        }
    }
}

/// Names as a list in a sentence: "`A`, `B` and `C`"; empty without names.
fn both(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}
