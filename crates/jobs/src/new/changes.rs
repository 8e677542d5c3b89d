//! The changes that `new` would make, for who asks first: it adds lines, and takes none away.

use std::path::Path;

use tuner_base::counted;
use tuner_spec::source::unified_diff;

/// A file as it is, if it is there, and as it is to be.
#[derive(Debug)]
pub(super) struct Change<'a> {
    pub(super) path: &'a Path,
    pub(super) before: Option<&'a str>,
    pub(super) after: &'a str,
}

impl Change<'_> {
    /// Returns a line on the change of a file, such as `src/eval.rs: 3 lines more`, or
    /// `tuner.toml: new, 9 lines` for a file that is not there yet.
    pub(super) fn summary(&self) -> String {
        // Lines are mostly only added, so the difference of the numbers of lines says how many; if
        // lines are replaced, only what the file has more counts.
        let before = self.before.unwrap_or_default().lines().count();
        let added = self.after.lines().count().saturating_sub(before);
        let lines = counted(added, "line");
        let words = match self.before {
            Some(_) => format!("{lines} more"),
            None => format!("new, {lines}"),
        };
        format!("{}: {words}", self.path.display())
    }

    /// Returns the change of a file as `diff -u` shows it; a file that is not there yet is
    /// `/dev/null` before.
    pub(super) fn diff(&self) -> String {
        let name = self.path.display().to_string();
        let old = self.before.map_or("/dev/null", |_| &name);
        unified_diff([old, &name], self.before.unwrap_or_default(), self.after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_added_are_counted_and_shown() {
        let lines: Vec<String> = (1..=20).map(|n| format!("{n}\n")).collect();
        let before = lines.concat();
        let after = before.replace("2\n3\n", "2\nx\n3\n") + "y\n\nz\n";
        let change = Change {
            path: Path::new("a.rs"),
            before: Some(&before),
            after: &after,
        };
        assert_eq!(change.summary(), "a.rs: 4 lines more");
        let expected = "--- a/a.rs\n+++ b/a.rs\n@@ -1,5 +1,6 @@\n 1\n 2\n+x\n 3\n 4\n 5\n\
                        @@ -18,3 +19,6 @@\n 18\n 19\n 20\n+y\n+\n+z\n";
        assert_eq!(change.diff(), expected);
        let new = Change {
            path: Path::new("b.rs"),
            before: None,
            after: "one\n",
        };
        assert_eq!(new.summary(), "b.rs: new, 1 line");
        assert_eq!(
            new.diff(),
            "--- /dev/null\n+++ b/b.rs\n@@ -0,0 +1 @@\n+one\n"
        );
    }
}
