//! What is no evidence against an evaluation, and what is.
#![cfg(unix)]

use crate::evaluator::{check, failed, folder, has};
use crate::support::words;

/// Trace and score agree as far as weight 0 is below 30, which is where it is not.
#[test]
fn a_difference_across_a_jump_is_no_evidence() {
    let jump = "echo \"score $((a*x+b*y+(a>30?10:0)))\"";
    let output = check(&folder(":", jump, "", ""), &[]);
    let found = words(&output);
    assert!(output.status.success(), "{found}");
    has(&found, &["0 mismatches, 200 derivatives compared, 0 wrong"]);
    let slope = "echo \"score $((a*x+b*y+(a-10)*x/5))\"";
    has(&failed(&folder(":", slope, "", "")), &["wrong"]);
}

#[test]
fn an_overflow_that_only_the_score_tells_is_one() {
    let score =
        r#"if [ "$x" = 3 ]; then echo score 0 overflow; else echo "score $((a*x+b*y))"; fi"#;
    let folder = folder(":", score, "", "");
    has(
        &failed(&folder),
        &["an operation of the score's type overflowed on 10 positions, first: 3 0"],
    );
    let output = check(&folder, &["--on-bad-line", "skip"]);
    let found = words(&output);
    assert!(output.status.success(), "{found}");
    has(
        &found,
        &[
            "90 positions + 10 rejected",
            "check: 90 positions, 0 mismatches",
        ],
    );
}
