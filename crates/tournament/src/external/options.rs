//! Options that an engine offers, and whether a value is one of them.

use super::Program;

/// An option, as an engine tells of it by UCI or USI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineOption {
    /// Its name; case does not matter.
    pub name: String,
    /// The values that it takes.
    pub kind: OptionKind,
}

/// The values that an option takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// Whole numbers from one to another.
    Spin(i64, i64),
    /// `true` or `false`.
    Check,
    /// One of the listed texts.
    Combo(Vec<String>),
    /// No value: setting the option does something at once.
    Button,
    /// Any text.
    Text,
}

impl EngineOption {
    /// Reads `option name NAME type TYPE …`; `None` if it is another line. A type that is not known
    /// is read as text, and a number without `min` or `max` has no limit there.
    pub(super) fn read(line: &str) -> Option<Self> {
        let line = line.trim().strip_prefix("option name ")?;
        let (name, rest) = line.split_once(" type ")?;
        let words: Vec<&str> = rest.split_whitespace().collect();
        let number = |key: &str| {
            let at = words.iter().position(|word| *word == key)?;
            words.get(at + 1)?.parse().ok()
        };
        let kind = match *words.first()? {
            "spin" => OptionKind::Spin(
                number("min").unwrap_or(i64::MIN),
                number("max").unwrap_or(i64::MAX),
            ),
            "check" => OptionKind::Check,
            "button" => OptionKind::Button,
            "combo" => OptionKind::Combo(
                (words.split(|word| *word == "var").skip(1))
                    .map(|value| value.join(" "))
                    .collect(),
            ),
            _ => OptionKind::Text,
        };
        let name = name.trim().to_owned();
        Some(Self { name, kind })
    }

    /// Fails unless the option takes a value: a whole number within its limits, `true` or `false`,
    /// or one of its texts, in small or capital letters. A button and an option of type text take
    /// any.
    ///
    /// # Errors
    /// What was found, and what was expected.
    pub fn check(&self, value: &str) -> Result<(), String> {
        let is_one = |values: &[String]| values.iter().any(|one| one.eq_ignore_ascii_case(value));
        let expected = match &self.kind {
            OptionKind::Spin(low, high) => match value.parse::<i64>() {
                Ok(number) if (*low..=*high).contains(&number) => return Ok(()),
                _ => format!("a whole number from {low} to {high}"),
            },
            OptionKind::Check if ["true", "false"].contains(&value) => return Ok(()),
            OptionKind::Check => "true or false".to_owned(),
            OptionKind::Combo(values) if is_one(values) => return Ok(()),
            OptionKind::Combo(values) => format!("one of {}", values.join(", ")),
            OptionKind::Button | OptionKind::Text => return Ok(()),
        };
        let name = &self.name;
        Err(format!(
            "option {name}: found {value:?}, expected {expected}"
        ))
    }
}

/// Finds an option by its name, whose case does not matter, among the `options` that `program`
/// offers.
///
/// # Errors
/// If it is not among them: all that the program offers or, of more than five, the five with the
/// nearest names, and how to see all.
pub fn offered<'o>(
    options: &'o [EngineOption],
    name: &str,
    program: &Program,
) -> Result<&'o EngineOption, String> {
    let mut all = options.iter();
    let found = all.find(|one| one.name.eq_ignore_ascii_case(name));
    found.ok_or_else(|| {
        let mut names: Vec<&str> = options.iter().map(|one| &*one.name).collect();
        if names.is_empty() {
            return format!("offers no option {name}, and no other");
        }
        if names.len() <= SHOWN {
            return format!("offers no option {name}, only {}", names.join(", "));
        }
        let likeness = |one: &str| strsim::jaro(&one.to_lowercase(), &name.to_lowercase());
        names.sort_by(|a, b| likeness(b).total_cmp(&likeness(a)));
        format!(
            "offers no option {name}; the nearest of {} are {}; `echo {} | {}` shows all",
            names.len(),
            names[..SHOWN].join(", "),
            program.protocol.greeting().0,
            tuner_base::shell_words(&program.command)
        )
    })
}

/// Most names of options in a message.
const SHOWN: usize = 5;

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failing test may end with a panic
    use super::super::Protocol;
    use super::*;

    #[test]
    fn values_are_those_of_the_kind() {
        let option = |line: &str| EngineOption::read(line).unwrap();
        let hash = option("option name Hash type spin default 16 min 1 max 33554432");
        assert_eq!(hash.kind, OptionKind::Spin(1, 33_554_432));
        assert!(hash.check("64").is_ok());
        for wrong in ["0", "1.5", "many", ""] {
            let words = hash.check(wrong).unwrap_err();
            assert!(words.contains("from 1 to 33554432"), "{words}");
        }
        let combo =
            option("option name Analysis Contempt type combo default Both var Off var Not so");
        assert_eq!(combo.name, "Analysis Contempt");
        assert!(combo.check("not so").is_ok());
        assert!(combo.check("so").unwrap_err().contains("Off, Not so"));
        let check = option("option name Ponder type check default false");
        assert!(check.check("yes").is_err() && check.check("true").is_ok());
        assert!(EngineOption::read("id name type spin").is_none());
        let names = [hash, check];
        let program = Program {
            command: vec!["./my engine".to_owned()],
            protocol: Protocol::Uci,
            options: Vec::new(),
            patience: std::time::Duration::ZERO,
        };
        assert_eq!(offered(&names, "hash", &program).unwrap().name, "Hash");
        let words = offered(&names, "Hush", &program).unwrap_err();
        assert_eq!(words, "offers no option Hush, only Hash, Ponder");
        let more =
            "Threads Contempt MultiPV Slow_Mover Move_Overhead UCI_Elo Skill_Level nodestime";
        let more = more.split(' ');
        let more = more.map(|name| option(&format!("option name {name} type string")));
        let many: Vec<EngineOption> = names.into_iter().chain(more).collect();
        let words = offered(&many, "MoveOverhed", &program).unwrap_err();
        assert!(
            words
                .starts_with("offers no option MoveOverhed; the nearest of 10 are Move_Overhead, "),
            "{words}"
        );
        assert!(
            words.ends_with("; `echo uci | './my engine'` shows all"),
            "{words}"
        );
        assert_eq!(words.matches(", ").count(), 4, "{words}");
    }
}
