//! Texts of users in messages.

/// Returns a text in quotation marks, control characters escaped, cut after 40
/// characters.
pub fn quote(text: &str) -> String {
    const SHOWN: usize = 40;
    let shown: String = text.chars().take(SHOWN).collect();
    let dots = if shown.len() < text.len() { "…" } else { "" };
    format!(
        "\"{}{dots}\"",
        shown.escape_debug().to_string().replace("\\\"", "\"")
    )
}
