//! Pages for people: the structure of the book in `docs`, its links and its length.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use super::rules::prose;

/// Where the repository is on the web, for pages that are read elsewhere.
const ON_THE_WEB: [&str; 2] = [
    "https://github.com/tuner-rs/tuner/blob/main/",
    "https://github.com/tuner-rs/tuner/tree/main/",
];

/// The targets of the links of a page, each with its line; none in code.
pub fn links(markdown: &str) -> Vec<(usize, String)> {
    let links = prose(markdown).flat_map(|(number, line)| {
        // Outside of code spans.
        let text = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
        let parts = text.split("](").skip(1).map(str::to_owned);
        let targets = parts.filter_map(|part| Some(part.split_once(')')?.0.to_owned()));
        targets.map(|target| (number, target)).collect::<Vec<_>>()
    });
    links.collect()
}

/// The anchors of the headings of a page, as GitHub and mdBook make them.
pub fn anchors(markdown: &str) -> BTreeSet<String> {
    let headings = prose(markdown).filter_map(|(_, line)| line.strip_prefix('#'));
    let anchor = |heading: &str| {
        let text = heading.trim_start_matches('#').trim().to_lowercase();
        let letters = text.chars().filter_map(|c| match c {
            ' ' => Some('-'),
            c if c.is_alphanumeric() || "-_".contains(c) => Some(c),
            _ => None,
        });
        letters.collect()
    };
    headings.map(anchor).collect()
}

/// The links of a page that lead nowhere. `exists` tells whether there is a file or folder in the
/// repository, `read` returns the text of a page.
pub fn broken_links(
    page: &str,
    markdown: &str,
    exists: &dyn Fn(&str) -> bool,
    read: &dyn Fn(&str) -> String,
) -> Vec<String> {
    let mut complaints = Vec::new();
    for (line, target) in links(markdown) {
        let place = |what: &str| format!("{page}:{line}: `{target}`: {what}");
        let inside = ON_THE_WEB.iter().find_map(|web| target.strip_prefix(web));
        let elsewhere = ["http://", "https://", "mailto:"];
        if inside.is_none() && elsewhere.iter().any(|start| target.starts_with(start)) {
            continue;
        }
        let (file, anchor) = match inside.unwrap_or(&target).split_once('#') {
            Some((file, anchor)) => (file, Some(anchor)),
            None => (inside.unwrap_or(&target), None),
        };
        let file = match (inside, file) {
            (Some(_), file) => file.to_owned(),
            (None, "") => page.to_owned(),
            (None, file) => beside(page, file),
        };
        if !exists(&file) {
            complaints.push(place("no such file"));
        } else if let Some(anchor) = anchor
            && Path::new(&file)
                .extension()
                .is_some_and(|extension| extension == "md")
            && !anchors(&read(&file)).contains(anchor)
        {
            complaints.push(place("no such heading"));
        }
    }
    complaints
}

/// A path that a page names, from the root of the repository.
fn beside(page: &str, named: &str) -> String {
    let mut path = PathBuf::new();
    let folder = Path::new(page).parent().unwrap_or(Path::new(""));
    for part in folder.join(named).components() {
        match part {
            Component::ParentDir => drop(path.pop()),
            part => path.push(part),
        }
    }
    path.to_string_lossy().replace('\\', "/")
}

/// Pages that the contents do not list exactly once, as paths from the folder of the book.
pub fn unlisted(contents: &str, pages: &[String]) -> Vec<String> {
    let listed = links(contents);
    let count = |page: &str| listed.iter().filter(|(_, target)| target == page).count();
    let wrong = pages.iter().filter(|page| count(page) != 1);
    wrong
        .map(|page| format!("{page}: listed {} times", count(page)))
        .collect()
}

/// Whether a page ends with what to do next.
pub fn ends_with_next(markdown: &str) -> bool {
    let headings = prose(markdown).filter(|(_, line)| line.starts_with("## "));
    headings.last().is_some_and(|(_, line)| line == "## Next")
}
