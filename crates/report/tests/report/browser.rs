//! The pages in a real browser, where there is one.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::{hostile, names, run};
use tuner_record::MatchHead;
use tuner_report::{MatchRecord, compare, html, match_page};
use tuner_tournament::{EloUnit, Pentanomial, Sprt};

/// Chromium under its usual names.
const BROWSERS: [&str; 4] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
];

/// Width of the narrowest page that must be read without scrolling sideways.
const NARROW: u32 = 400;

fn browser() -> Option<&'static str> {
    let runs = |name: &&str| {
        let command = Command::new(name)
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        command.is_ok_and(|status| status.success())
    };
    BROWSERS.into_iter().find(runs)
}

/// Opens a page in a frame, and returns the width of what is in it, that of the
/// frame, and what the console says.
fn open(browser: &str, folder: &Path, page: &str) -> (u32, u32, String) {
    std::fs::write(folder.join("page.html"), page).unwrap();
    let frame = format!(
        "<!doctype html><title></title><iframe width={NARROW} height=2000 src=page.html#all \
         onload=\"const d = this.contentDocument.documentElement; \
         document.title = `width ${{d.scrollWidth}} ${{d.clientWidth}}`\"></iframe>"
    );
    let file = folder.join("frame.html");
    std::fs::write(&file, frame).unwrap();
    let found = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"])
        // The frame looks into the page; both are files.
        .args(["--allow-file-access-from-files", "--enable-logging=stderr"])
        .arg(format!(
            "--user-data-dir={}",
            folder.join("profile").display()
        ))
        .arg(format!("file://{}", file.display()))
        .output()
        .unwrap();
    let dom = String::from_utf8_lossy(&found.stdout).into_owned();
    let said = String::from_utf8_lossy(&found.stderr);
    let title = dom.split("<title>width ").nth(1).unwrap_or_default();
    let title = title.split('<').next().unwrap_or_default();
    let mut widths = title.split(' ').filter_map(|width| width.parse().ok());
    let console = said.lines().filter(|line| line.contains("CONSOLE"));
    (
        widths.next().unwrap_or(u32::MAX),
        widths.next().unwrap_or(0),
        console.collect::<Vec<_>>().join("\n"),
    )
}

/// Pages forbid all that they do not hold (a policy in each), so whatever they tried
/// to load or run would be a line of the console.
#[test]
fn browsers_show_the_pages_without_complaint() {
    let Some(browser) = browser() else {
        eprintln!("skipped: found no Chromium ({})", BROWSERS.join(", "));
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let point = |pairs| Pentanomial([pairs, pairs, 2 * pairs, pairs, pairs]);
    let games = MatchRecord {
        head: MatchHead {
            names: [hostile().concat(), "old".to_owned()],
            sprt: Some(Sprt::new(0.0, 5.0, 0.05, 0.05, EloUnit::Normalised).unwrap()),
            ..MatchHead::default()
        },
        points: (1..50).map(point).collect(),
        first_player: [1, 2, 3],
        one_sided: [(1..100).collect(), Vec::new()],
        ..MatchRecord::default()
    };
    let (good, bad) = (run(&names()), run(&hostile()));
    for page in [
        html(&good),
        html(&bad),
        compare(&good, &bad),
        match_page(&games),
    ] {
        let (inside, frame, console) = open(browser, folder.path(), &page);
        assert_eq!(console, "");
        assert!(frame > NARROW / 2 && frame <= NARROW, "{frame}");
        assert!(inside <= frame, "{inside} in {frame}");
    }
    // A page that does try is found out, and so is one that is too wide.
    let policy = "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'\">";
    let wide = "<img src=http://localhost:9/x.png><pre>".to_owned() + &"x".repeat(500);
    let (inside, frame, console) = open(browser, folder.path(), &(policy.to_owned() + &wide));
    assert!(console.contains("Content Security Policy"), "{console}");
    assert!(inside > frame);
}
