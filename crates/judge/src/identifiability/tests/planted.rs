//! All that is planted is found, and nothing else.

use super::*;

/// Boards, and features of which one is there twice and one is a sum.
fn evaluation() -> Data {
    let pieces = ["knight", "bishop"];
    let mut slots = board(&pieces, 16);
    let others = [
        "KING[0]", "KING[1]", "KING[2]", "A", "B", "C", "TWICE", "SUM",
    ];
    slots.extend(others.map(str::to_owned));
    let mut data = Data::new(slots);
    let king = data.slot("KING[0]");
    data.push(3000, |rng, counts| {
        place(rng, counts, 2, 16);
        // Each side has one king.
        counts[king + rng.random_range(0..3)] += 1;
        counts[king + rng.random_range(0..3)] -= 1;
        let [a, b, c] = [0; 3].map(|_: i32| rng.random_range(-3..=3));
        counts[king + 3..].copy_from_slice(&[a, b, c, a, b + c]);
    });
    data
}

/// Features of no structure.
fn fill(rng: &mut ChaCha8Rng, counts: &mut [i16]) {
    for count in counts {
        *count = rng.random_range(-3..=3);
    }
}

#[test]
fn all_planted_directions_are_found_and_no_other() {
    let data = evaluation();
    let found = data.directions();
    assert_eq!(
        sentences(&found),
        [
            "adding 10 to A and taking 10 from TWICE changes no score in these positions (mg and \
             eg each on its own)",
            "adding 10 to each KING changes no score (mg and eg each on its own)",
            "adding 10 to B and C, and taking 10 from SUM, changes no score in these positions \
             (mg and eg each on its own)",
            "adding 10 to each PST[knight] and taking 10 from MATERIAL[knight] changes no score \
             (mg and eg each on its own)",
            "adding 10 to each PST[bishop] and taking 10 from MATERIAL[bishop] changes no score \
             (mg and eg each on its own)",
        ]
    );
    assert_eq!(found.len(), 10);
    for direction in &found {
        assert!(direction.is_exact() && direction.is_whole() && direction.unread.is_empty());
        assert_eq!(direction.rows, 3000);
        assert!(direction.largest_change < 1e-9);
    }
    // One phase, by itself.
    assert_eq!(
        found[0].sentence(),
        "adding 10 to A.mg and taking 10 from TWICE.mg changes no score in these positions"
    );
    let [a, twice] = ["A", "TWICE"].map(|name| WeightId(2 * data.slot(name)));
    assert_eq!(found[0].terms, [(a, 1.0), (twice, -1.0)]);
}

#[test]
fn data_that_determine_all_leave_no_direction() {
    let mut data = Data::new(["A", "B", "C", "D"].map(str::to_owned).to_vec());
    data.push(2000, |rng, counts| {
        fill(rng, counts);
    });
    assert_eq!(data.directions(), []);
}

#[test]
fn a_feature_that_differs_in_one_row_of_a_hundred_is_named_with_its_partner() {
    let names = ["A", "B", "C", "NEARLY"].map(str::to_owned).to_vec();
    let mut data = Data::new(names);
    data.push(5000, |rng, counts| {
        fill(rng, counts);
        if rng.random_range(0..100) > 0 {
            counts[3] = counts[1];
        }
    });
    let found = data.directions();
    let named: Vec<_> = found
        .iter()
        .map(|d| d.named.iter().map(ToString::to_string).collect::<Vec<_>>())
        .collect();
    assert_eq!(named.len(), 2, "{named:?}");
    assert!(named.contains(&vec!["B.mg".to_owned(), "NEARLY.mg".to_owned()]));
    assert!(named.contains(&vec!["B.eg".to_owned(), "NEARLY.eg".to_owned()]));
    for direction in &found {
        let inflation = match direction.flatness {
            Flatness::Near { inflation } => inflation,
            _ => 0.0,
        };
        // The difference has twice the variance of one, in a row of a hundred.
        assert!((50.0..200.0).contains(&inflation), "{inflation}");
        assert!(direction.largest_change > 1.0);
        let sentence = direction.sentence();
        assert!(sentence.starts_with("adding 10 to B."), "{sentence}");
        let middle = " hardly changes scores in these positions: the variance along it is ";
        assert!(sentence.contains(middle), "{sentence}");
    }
}

#[test]
fn a_table_that_nearly_stands_for_its_value_is_named_once() {
    // Some knights count without their square.
    let mut data = Data::new(board(&["knight", "bishop"], 8));
    data.push(5000, |rng, counts| {
        place(rng, counts, 2, 8);
        if rng.random_range(0..50) == 0 {
            counts[0] += 1;
        }
    });
    let words: Vec<String> = data.directions().iter().map(Direction::sentence).collect();
    assert_eq!(words.len(), 4, "{words:#?}");
    let starts = |with: &str| words.iter().filter(|words| words.starts_with(with)).count();
    for phase in ["mg", "eg"] {
        let of = |piece: &str| {
            format!(
                "adding 10 to each PST[{piece}].{phase} and taking 10 from MATERIAL[{piece}].{phase} "
            )
        };
        assert_eq!(
            starts(&(of("bishop") + "changes no score")),
            1,
            "{words:#?}"
        );
        assert_eq!(starts(&(of("knight") + "hardly changes")), 1, "{words:#?}");
    }
}

#[test]
fn frozen_and_tied_weights_are_named_by_what_moves() {
    let data = evaluation();
    // Without its value the table of the bishop is determined; the knight's is
    // symmetric; A counts half of TWICE.
    let mut ties: Vec<(String, String)> = Vec::new();
    for phase in ["mg", "eg"] {
        let square = |square: usize| format!("PST[knight][{square}].{phase}");
        ties.extend((8..16).map(|mirror| (square(mirror), square(15 - mirror))));
    }
    let mut ties: Vec<(&str, &str, f64)> = ties
        .iter()
        .map(|(a, b)| (a.as_str(), b.as_str(), 1.0))
        .collect();
    ties.push(("C.mg", "A.mg", 2.0));
    let frozen = [
        "MATERIAL[bishop].mg",
        "MATERIAL[bishop].eg",
        "SUM.mg",
        "KING[1].mg",
        "KING[1].eg",
    ];
    let reduction = data.reduction_with(&frozen, &ties, &[("B.eg", (5.0, 5.0))]);
    let found = data.directions_of(&reduction, &somewhere(reduction.variables()));
    assert_eq!(
        sentences(&found),
        [
            "adding 10 to A.eg and taking 10 from TWICE.eg changes no score in these positions",
            "adding 10 to each PST[knight] and taking 10 from MATERIAL[knight] changes no score \
             (mg and eg each on its own)",
        ]
    );
    assert_eq!(found[1].terms.len(), 9, "eight roots and the value");
}

#[test]
#[ignore = "a measurement: --ignored, in release mode"]
fn time_of_thousands_of_variables() {
    for (pieces, limit) in [(9, 3), (23, 60)] {
        let names: Vec<String> = (0..pieces).map(|piece| format!("p{piece}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut data = Data::new(board(&names, 64));
        data.push(30_000, |rng, counts| place(rng, counts, pieces, 64));
        let start = std::time::Instant::now();
        let found = data.directions();
        let seconds = start.elapsed().as_secs_f64();
        assert!(
            seconds < f64::from(limit),
            "{pieces} pieces: {seconds} seconds"
        );
        assert_eq!(found.len(), 2 * pieces);
        assert!(found.iter().all(|d| d.is_exact() && d.named.len() == 2));
    }
}
