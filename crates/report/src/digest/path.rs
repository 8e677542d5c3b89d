//! The name of a weight, taken apart: `PST[knight][12].mg`.

/// The parts of a weight's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WeightPath {
    /// The parameter.
    pub parameter: String,
    /// The names of the indices, the slowest first.
    pub indices: Vec<String>,
    /// `mg` or `eg`; empty without phases.
    pub phase: &'static str,
}

impl WeightPath {
    /// Takes a name apart: `PST[knight][12].mg` is the parameter `PST` with two indices, in phase
    /// `mg`. A name that is of another form is a parameter without indices.
    pub(super) fn of(name: &str) -> Self {
        let phases = [(".mg", "mg"), (".eg", "eg")];
        let (rest, phase) = (phases.iter())
            .find_map(|(suffix, phase)| Some((name.strip_suffix(suffix)?, *phase)))
            .unwrap_or((name, ""));
        Self::indexed(rest, phase).unwrap_or_else(|| Self {
            parameter: rest.to_owned(),
            indices: Vec::new(),
            phase,
        })
    }

    /// Takes `NAME[INDEX][INDEX]`, a name of a weight without its phase, apart; `None` for a text
    /// of another form. `phase`: `mg`, `eg`, or empty, for the result.
    fn indexed(rest: &str, phase: &'static str) -> Option<Self> {
        let (parameter, indices) = rest.split_once('[')?;
        let indices = indices.strip_suffix(']')?.split("][");
        let indices: Vec<String> = indices.map(str::to_owned).collect();
        let plain = |index: &String| !index.is_empty() && !index.contains(['[', ']']);
        (!parameter.is_empty() && indices.iter().all(plain)).then(|| Self {
            parameter: parameter.to_owned(),
            indices,
            phase,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart() {
        let of = |name| {
            let path = WeightPath::of(name);
            (path.parameter, path.indices.join(","), path.phase)
        };
        let parts = |a: &str, b: &str, phase| (a.to_owned(), b.to_owned(), phase);
        assert_eq!(of("TEMPO.mg"), parts("TEMPO", "", "mg"));
        assert_eq!(of("PST[knight][12].eg"), parts("PST", "knight,12", "eg"));
        assert_eq!(of("LIMIT"), parts("LIMIT", "", ""));
        for odd in ["", "A[", "A[]", "A[1", "[1]", "A[1]]", "A[[1]]", "A]x["] {
            assert_eq!(of(odd), parts(odd, "", ""), "{odd}");
        }
    }
}
