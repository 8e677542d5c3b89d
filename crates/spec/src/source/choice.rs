//! Which consts a person wants.

use tuner_source::Const;

/// Which consts are wanted: patterns in which `*` matches anything.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// Only these; all if empty.
    pub only: Vec<String>,
    /// Not these.
    pub except: Vec<String>,
}

impl Choice {
    pub(super) fn takes(&self, found: &Const) -> bool {
        self.takes_what(|pattern| names(pattern, found))
    }

    /// Whether a parameter of this name is wanted.
    pub fn takes_name(&self, name: &str) -> bool {
        self.takes_what(|pattern| fits(pattern, name))
    }

    fn takes_what(&self, fits: impl Fn(&str) -> bool) -> bool {
        let any = |patterns: &[String]| patterns.iter().any(|pattern| fits(pattern));
        (self.only.is_empty() || any(&self.only)) && !any(&self.except)
    }
}

/// Whether a pattern means a const; the name of a struct of tables means all.
pub(super) fn names(pattern: &str, found: &Const) -> bool {
    fits(pattern, &found.name) || fits(pattern, found.item())
}

/// Whether a name fits a pattern in which `*` matches anything.
fn fits(pattern: &str, name: &str) -> bool {
    let mut pieces = pattern.split('*');
    let Some(mut rest) = name.strip_prefix(pieces.next().unwrap_or_default()) else {
        return false;
    };
    let pieces: Vec<&str> = pieces.collect();
    let Some((last, between)) = pieces.split_last() else {
        return rest.is_empty();
    };
    for piece in between {
        let Some(at) = rest.find(piece) else {
            return false;
        };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_anything() {
        for (pattern, name) in [
            ("A", "A"),
            ("*", ""),
            ("PST_*", "PST_MG"),
            ("*_MG", "PST_MG"),
            ("P*_*G", "PST_MG"),
            ("*S*T*", "PST"),
        ] {
            assert!(fits(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("A", "AB"),
            ("PST_*", "PST"),
            ("*_MG", "PST_EG"),
            ("A*A", "A"),
            ("*X*", "PST"),
        ] {
            assert!(!fits(pattern, name), "{pattern} {name}");
        }
    }
}
