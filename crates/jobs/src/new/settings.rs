//! `tuner.toml`: what `tuner` is told of the engine.

/// The file's name, in the engine's folder.
pub(super) const FILE: &str = "tuner.toml";

/// Returns the text of tuner.toml. `spec` and `sources`: the file of the spec and the folder of the
/// sources, from the engine's folder; `folder`, `program`: the evaluator's folder and the name of
/// its program; `protocol`: what the engine speaks, `uci` or `usi`; `plays`: whether the engine's
/// own program plays games, or else the section for it is written as a comment.
pub(super) fn text(
    spec: &str,
    sources: &str,
    folder: &str,
    program: &str,
    protocol: &str,
    plays: bool,
) -> String {
    let quoted = |text: &str| toml::Value::from(text).to_string();
    include_str!("tuner.toml.txt")
        .replace("$SPEC", &quoted(spec))
        .replace("$SOURCES", &quoted(sources))
        .replace("$FOLDER", folder)
        .replace("$PROGRAM", program)
        .replace("$OFF", if plays { "" } else { "# " })
        .replace("$PROTOCOL", protocol)
        .replace("$IN_CAPITALS", &protocol.to_uppercase())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    /// With what is commented out as well.
    #[test]
    fn every_line_is_toml() {
        let read = |text: &str| text.parse::<toml::Table>().unwrap();
        let program = "wren-evaluator";
        let text = |plays| text("wren.toml", "a \"b\"/src", "tuner", program, "usi", plays);
        let (playing, text) = (text(true), text(false));
        assert_eq!(read(&playing)["engine"]["protocol"].as_str(), Some("usi"));
        let as_written = read(&text);
        assert_eq!(as_written["sources"][0].as_str(), Some("a \"b\"/src"));
        assert!(!as_written.contains_key("engine"));
        let (sentence, rest) = text.split_once('\n').unwrap();
        assert!(sentence.starts_with("# "));
        let whole = read(&rest.replace("\n# ", "\n"));
        let run = whole["evaluator"]["run"].as_str();
        assert_eq!(run, Some("tuner/target/release/wren-evaluator"));
        assert_eq!(whole["engine"]["protocol"].as_str(), Some("usi"));
        assert_eq!(whole["data"][0].as_str(), Some("games.tsv.zst"));
    }
}
