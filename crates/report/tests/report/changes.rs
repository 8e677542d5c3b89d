//! The table of changes of a page.

use crate::pages::{read, text};
use crate::support::{names, run};
use scraper::Selector;
use tuner_judge::WeightEstimate;
use tuner_report::html;

#[test]
fn a_change_without_a_standard_error_is_not_shown_as_one_in_standard_errors() {
    let mut record = run(&names());
    let (known, other) = record.judgement.weights.split_at_mut(1);
    known[0].data = Some(WeightEstimate {
        value: known[0].before + 8.0,
        standard_error: 2.0,
    });
    for weight in other {
        weight.value = weight.before;
    }
    let other = &mut record.judgement.weights[1];
    (other.before, other.value, other.data) = (3.0, 40.0, None);
    let page = read(&html(&record));
    let row = |number| {
        text(
            &page,
            &format!("#changes tbody tr:nth-of-type({number}) td"),
        )
    };
    assert!(row(1).contains("+4.0"), "{}", row(1));
    assert!(
        row(2).contains("3 → 40") && !row(2).contains("37"),
        "{}",
        row(2)
    );
    // Only the weight with an error has a bar, which is as long as half the picture.
    let bars = Selector::parse("#changes tbody tr svg rect").unwrap();
    let widths: Vec<_> = page
        .select(&bars)
        .map(|bar| bar.attr("width").unwrap())
        .collect();
    assert_eq!(widths, ["100.0"]);
}
