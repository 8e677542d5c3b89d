//! What is wrong with annotated code, as data: what, where, and its cures.
//!
//! A message becomes text once, where the compiler is told; until then
//! nothing reads or edits its words. [`messages`] has all of them.

pub(crate) mod messages;

use std::collections::HashSet;
use std::fmt;

use proc_macro2::{Delimiter, Group, Punct, Spacing, TokenStream};
use quote::{quote, quote_spanned};
use syn::Attribute;
pub(crate) use tuner_source::Extent;
use tuner_source::conditions;

/// Something that the author must change, and where.
#[derive(Debug)]
pub(crate) struct Diagnostic {
    pub(crate) at: Extent,
    pub(crate) message: Message,
    /// The topic of a mistake that is told once per file and topic; `None`: it is always told.
    pub(crate) about: Option<String>,
    /// The names of the weights that a score in it comes from, as far as its body tells.
    pub(crate) origins: Vec<String>,
    /// The attributes `#[cfg(…)]` around it: the code is wrong only where they hold.
    pub(crate) conditions: Vec<Attribute>,
}

/// What is wrong, and its cures, of which one is enough.
#[derive(Debug)]
pub(crate) struct Message {
    what: String,
    pub(crate) cures: Vec<Cure>,
    /// The cure that annotates an item, as text for `tuner new`: kind and names; `None` without
    /// one.
    annotation: Option<String>,
}

/// What the author can do.
#[derive(Debug)]
pub(crate) enum Cure {
    /// A cure in these words.
    Say(String),
    /// To freeze a const, so that its numbers are not weights.
    Freeze {
        /// The end of the sentence: when that cures it.
        when: &'static str,
        /// The names of the consts that it may be, as far as the code tells.
        consts: Vec<String>,
        /// Whether one of them is in another file.
        elsewhere: bool,
    },
    /// To mark this, such as `the function`, as nonlinear.
    Nonlinear(&'static str),
    /// To leave methods that the score never calls without a twin, a traced version; comes last.
    LeaveOut(Vec<String>),
}

/// The form in which a const can be frozen.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FrozenBy {
    /// By `#[frozen]` on it.
    Attribute,
    /// By `traced!(frozen(…))` at the end of its file.
    Argument,
}

impl Diagnostic {
    /// Makes a mistake at an extent of source, under no `#[cfg]`, which is always told.
    pub(crate) fn new(at: impl Into<Extent>, message: Message) -> Self {
        let at = at.into();
        Self {
            at,
            message,
            about: None,
            origins: Vec::new(),
            conditions: Vec::new(),
        }
    }

    /// Makes it a mistake that is told once per file: of all whose `about` is equal only the first
    /// is.
    pub(crate) fn once(self, about: String) -> Self {
        let about = Some(about);
        Self { about, ..self }
    }

    /// Adds the conditions `#[cfg(…)]` among `attrs`, the attributes of an item or a member around
    /// the mistake: the code is wrong only where they hold.
    pub(crate) fn under(&mut self, attrs: &[Attribute]) {
        self.conditions.extend(conditions(attrs));
    }

    /// Tells whether a cure of the mistake is to freeze a const, which is then no weight, or to
    /// allow a body to be nonlinear.
    pub(crate) fn is_of_weights(&self) -> bool {
        let mut cures = self.message.cures.iter();
        cures.any(|cure| matches!(cure, Cure::Freeze { .. } | Cure::Nonlinear(_)))
    }

    /// Tells whether a cure of the mistake is to leave the statement out of the twin, the traced
    /// version, as where a score is stored for later.
    pub(crate) fn is_of_a_cache(&self) -> bool {
        let is_cure = |cure: &Cure| matches!(cure, Cure::Say(w) if w == messages::LEAVE_OUT);
        self.message.cures.iter().any(is_cure)
    }

    /// Fills in the names of the consts of which one may be frozen to cure the mistake;
    /// `is_elsewhere`: one of them is in another file.
    pub(crate) fn name_consts(&mut self, names: &[String], is_elsewhere: bool) {
        for cure in &mut self.message.cures {
            if let Cure::Freeze {
                consts, elsewhere, ..
            } = cure
            {
                (*consts, *elsewhere) = (names.to_vec(), is_elsewhere);
            }
        }
    }

    /// The message with its location in front, for code that is read from a
    /// file: its tokens have no span that the compiler knows.
    pub(crate) fn located(&self, file: &str, frozen_by: FrozenBy) -> String {
        let start = self.at.start.start();
        let (line, column) = (start.line, start.column + 1);
        format!("{file}:{line}:{column}: {}", self.message.text(frozen_by))
    }

    /// The cures of the mistake that are annotations, in a line that `tuner new` reads: `cures:
    /// freeze A B; nonlinear A B; trace f A; untrace g h`, of which only those are there that the
    /// mistake has; `None` if it has no such cure. Behind `freeze` and `nonlinear` are all consts
    /// that the score may come from.
    pub(crate) fn annotations(&self) -> Option<String> {
        let annotation = |cure: &Cure| match cure {
            Cure::Freeze { .. } if !self.origins.is_empty() => {
                Some(format!("freeze {}", self.origins.join(" ")))
            }
            Cure::Nonlinear(_) if self.origins.is_empty() => Some("nonlinear".to_owned()),
            Cure::Nonlinear(_) => Some(format!("nonlinear {}", self.origins.join(" "))),
            Cure::LeaveOut(names) => Some(format!("untrace {}", names.join(" "))),
            _ => None,
        };
        let all = (self.message.cures.iter().filter_map(annotation))
            .chain(self.message.annotation.clone());
        let all: Vec<String> = all.collect();
        (!all.is_empty()).then(|| format!("cures: {}", all.join("; ")))
    }

    /// The mistake as an error for the compiler, under its conditions `#[cfg(…)]`. A cure by
    /// freezing a const is `#[frozen]`.
    pub(crate) fn compile_error(&self) -> TokenStream {
        let (conditions, error) = (&self.conditions, self.message.to_string());
        let error = compile_error(self.at, &error);
        quote!(#(#conditions)* #error)
    }
}

impl From<syn::Error> for Diagnostic {
    /// The parser's error in its own words, at the token that it names.
    fn from(error: syn::Error) -> Self {
        let message = Message {
            what: error.to_string(),
            cures: Vec::new(),
            annotation: None,
        };
        Self::new(error.span(), message)
    }
}

impl Message {
    /// The message as `WHAT; CURE, CURE, or CURE`, with the cure that leaves methods without a twin
    /// behind another semicolon. A const is frozen in the form that `frozen_by` says.
    fn text(&self, frozen_by: FrozenBy) -> String {
        let mut text = self.what.clone();
        // Cures of which one is enough.
        let is_choice = |cure: &Cure| !matches!(cure, Cure::LeaveOut(_));
        let last = self.cures.iter().rposition(is_choice);
        for (index, cure) in self.cures.iter().enumerate() {
            text += match cure {
                cure if index == 0 || !is_choice(cure) => "; ",
                _ if Some(index) == last => ", or ",
                _ => ", ",
            };
            text += &cure.text(frozen_by);
        }
        text
    }
}

impl fmt::Display for Message {
    /// Writes the message with `#[frozen]` as the form in which a const is frozen.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(FrozenBy::Attribute))
    }
}

/// The mistakes that are told: of several with one `about` (the topic, if a mistake has one) under
/// the same `#[cfg]` only the first.
pub(crate) fn told_once(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut told = HashSet::new();
    diagnostics.retain(|diagnostic| {
        let conditions = &diagnostic.conditions;
        let is_new =
            |about: &String| told.insert((about.clone(), quote!(#(#conditions)*).to_string()));
        diagnostic.about.as_ref().is_none_or(is_new)
    });
    diagnostics
}

/// The mistakes as errors for the compiler. Those with one `about` (the topic, if a mistake has
/// one) under the same `#[cfg]` are one error.
pub(crate) fn compile_errors(diagnostics: Vec<Diagnostic>) -> TokenStream {
    let told = told_once(diagnostics);
    told.iter().map(Diagnostic::compile_error).collect()
}

/// The call `::core::compile_error! { "message" }`. The compiler underlines it from the path's
/// first token to the braces, so the path gets the first span of `at` and the braces the last. A
/// `feature = "tune"` in the message becomes the feature that the package has for its twin.
pub(crate) fn compile_error(at: Extent, message: &str) -> TokenStream {
    let feature = format!("feature = {:?}", crate::package::feature());
    let message = message.replace("feature = \"tune\"", &feature);
    let path = quote_spanned!(at.start=> ::core::compile_error);
    let mut bang = Punct::new('!', Spacing::Alone);
    bang.set_span(at.start);
    let mut braces = Group::new(Delimiter::Brace, quote!(#message));
    braces.set_span(at.end);
    quote!(#path #bang #braces)
}
