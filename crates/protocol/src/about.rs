//! Who an evaluator is.

use crate::{DONE, VERSION};
use tuner_base::{escaped_word, unescaped, unexpected};
use tuner_game::Perspective;

/// Something that not every evaluator can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Ability {
    /// `trace`: rows.
    Trace,
    /// `bytes`: rows as bytes.
    Bytes,
    /// `tables`: what was computed from weights before all positions.
    Tables,
    /// `look` and `resolve`: a quiescence search.
    Quiet,
    /// `search`, `match`, `selfplay`, `playout`: games.
    Play,
    /// No command: `score` is computed by what `trace` records, so that nothing but the
    /// evaluator's word says that it is production's.
    Twin,
}

impl Ability {
    /// All abilities with their words, in the order of the variants.
    const NAMED: [(&'static str, Self); 6] = [
        ("trace", Self::Trace),
        ("bytes", Self::Bytes),
        ("tables", Self::Tables),
        ("quiet", Self::Quiet),
        ("play", Self::Play),
        ("twin", Self::Twin),
    ];
}

/// The answer to `tuner`: who the evaluator is and what it can do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// The version of the protocol that it speaks with who asks.
    pub version: u32,
    /// The name of the engine.
    pub name: String,
    /// How positions are written: `chess` and `shogi` are known to Tuner, any other name is
    /// that of a game whose positions are texts without meaning to it.
    pub game: String,
    /// Whose view its scores have.
    pub view: Perspective,
    /// What the file of fitted weights is written in: `rust`, `c`, `cpp` or `json`; empty if the
    /// evaluator does not say.
    pub language: String,
    /// A text that tells this build from others; empty if the evaluator does not say.
    pub build: String,
    /// Its abilities besides `weights`, `set`, `position` and `score`.
    pub abilities: Vec<Ability>,
}

impl About {
    /// Tells whether the evaluator says that it can do something.
    pub fn can(&self, ability: Ability) -> bool {
        self.abilities.contains(&ability)
    }

    /// Reads the lines of an evaluator's answer to `tuner`, without the last one, `ok`. Lines and
    /// abilities that only newer versions know are passed over.
    ///
    /// # Errors
    /// If a line that this version knows is wrong or there twice, or one is missing.
    pub fn read<'l>(lines: impl IntoIterator<Item = &'l str>) -> Result<Self, String> {
        let mut about = Self::default();
        let mut said = Vec::new();
        for line in lines {
            let (key, rest) = line.split_once(' ').unwrap_or((line, ""));
            let text = || unescaped(rest.trim()).map_err(|_| unexpected(line, "a text"));
            match key {
                "version" => {
                    let version = rest.trim().parse();
                    about.version = version.map_err(|_| unexpected(line, "a version"))?;
                }
                "name" => rest.trim().clone_into(&mut about.name),
                "game" => about.game = text()?,
                "view" => {
                    let expected = "`view first-player` or `view side-to-move`";
                    let view = Perspective::named(rest.trim());
                    about.view = view.ok_or_else(|| unexpected(line, expected))?;
                }
                "language" => about.language = text()?,
                "build" => about.build = text()?,
                "can" => {
                    // A newer evaluator can do more.
                    let all = |word| Ability::NAMED.iter().filter(move |(name, _)| *name == word);
                    let known = rest.split_whitespace().flat_map(all);
                    about.abilities = known.map(|(_, ability)| *ability).collect();
                }
                // A newer evaluator says more.
                _ => continue,
            }
            if said.contains(&key) {
                return Err(unexpected(line, &format!("the line `{key} …` once")));
            }
            said.push(key);
        }
        // A version of 0 is one that was not said.
        let missing = [
            ("version", about.version == 0),
            ("name", about.name.is_empty()),
            ("game", about.game.is_empty()),
            ("view", !said.contains(&"view")),
        ];
        if let Some((key, _)) = missing.into_iter().find(|(_, is_missing)| *is_missing) {
            return Err(format!(
                "found no line `{key} …` in the answer to `tuner {VERSION}`"
            ));
        }
        Ok(about)
    }
}

tuner_base::impl_fmt! {
/// The lines of the answer to `tuner`, the last one included.
Display for About, |self, f| {
    writeln!(f, "version {}", self.version)?;
    writeln!(f, "name {}", self.name.replace(['\n', '\r'], " "))?;
    writeln!(f, "game {}", escaped_word(&self.game))?;
    writeln!(f, "view {}", self.view.name())?;
    for (key, word) in [("language", &self.language), ("build", &self.build)] {
        if !word.is_empty() {
            writeln!(f, "{key} {}", escaped_word(word))?;
        }
    }
    f.write_str("can")?;
    for ability in &self.abilities {
        write!(f, " {}", Ability::NAMED[*ability as usize].0)?;
    }
    writeln!(f, "\n{DONE}")
} }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_as_it_was_written() {
        let about = About {
            version: 1,
            name: "wren 2.0".to_owned(),
            game: "chess".to_owned(),
            view: Perspective::SideToMove,
            language: "rust".to_owned(),
            build: "5f3a".to_owned(),
            abilities: vec![Ability::Trace, Ability::Play],
        };
        let text = about.to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.last(), Some(&DONE));
        assert_eq!(
            About::read(lines[..lines.len() - 1].iter().copied()),
            Ok(about)
        );
    }

    #[test]
    fn what_is_missing_or_wrong_is_named() {
        let read = |lines: &[&str]| About::read(lines.iter().copied()).err().unwrap_or_default();
        assert!(read(&["version 1", "name a"]).contains("game"));
        assert!(read(&["version 1", "name a", "game chess"]).contains("view"));
        assert!(read(&["version one"]).contains("version one"));
        let found = read(&["version 1", "name a", "name b"]);
        assert!(found.contains("`name …` once"), "{found}");
        assert!(read(&["view white"]).contains("view first-player"));
    }
}
