//! The layout of `data/board.toml`: order, names, lanes, ties, bounds.

use std::collections::BTreeSet;
use std::path::Path;

use crate::BOARD;
use tuner_base::{LaneId, WeightId};
use tuner_spec::codegen::{Provenance, emit};
use tuner_spec::{FrozenChoice, Layout, Phases, Spec, schema};

fn board() -> Spec {
    Spec::parse(Path::new("board.toml"), BOARD).unwrap()
}

fn one(layout: &Layout, path: &str) -> WeightId {
    let weights = layout.find(path).unwrap();
    assert_eq!(weights.len(), 1, "{path}");
    weights[0]
}

#[test]
fn weights_are_numbered_row_major_with_the_phases_innermost() {
    let spec = board();
    let layout = spec.layout();
    let sizes: Vec<usize> = layout
        .parameters()
        .iter()
        .map(|p| p.weights().len())
        .collect();
    assert_eq!(sizes, [1, 2, 6, 384, 8, 12, 24, 56, 81]);
    assert_eq!(layout.weights(), 574);
    assert_eq!(layout.slots(), 1 + 1 + 3 + 192 + 8 + 12 + 12 + 28 + 81);
    assert_eq!(
        layout.find("MATERIAL[knight]").unwrap(),
        [5, 6].map(WeightId)
    );
    assert_eq!(layout.find("MATERIAL.eg").unwrap(), [4, 6, 8].map(WeightId));
    assert_eq!(one(layout, "PST[pawn][12].eg"), WeightId(9 + 25));
    assert_eq!(one(layout, "PST[1][12].mg"), WeightId(9 + 128 + 24));
    assert_eq!(layout.find("PST").unwrap().len(), 384);
    assert_eq!(layout.parameters()[2].phases, Phases::Tapered);
    assert_eq!(layout.parameters()[2].dims[0].names().unwrap()[1], "knight");
    assert_eq!(layout.parameters()[2].doc[0], "Piece values.");
}

#[test]
fn squares_have_their_names_from_the_first_one_on() {
    let spec = |first: &str| {
        let text = format!(
            "version = 1\nname = \"n\"\nnames.square = \"{first}\"\n\
             [[parameter]]\nname = \"PST\"\nshape = [\"square\"]\ninitial = 0\n"
        );
        Spec::parse(Path::new("n.toml"), &text)
    };
    for (first, side, names) in [
        ("a1", 8, ["a1", "b1", "h1", "a2", "h8"]),
        ("a8", 8, ["a8", "b8", "h8", "a7", "h1"]),
        ("9a", 9, ["9a", "8a", "1a", "9b", "1i"]),
    ] {
        let spec = spec(first).unwrap();
        let layout = spec.layout();
        for (place, name) in [0, 1, side - 1, side, side * side - 1]
            .into_iter()
            .zip(names)
        {
            assert_eq!(layout.name(WeightId(place)), format!("PST[{name}]"));
            assert_eq!(one(layout, &format!("PST[{place}]")), WeightId(place));
        }
        // The code shows a board, not a line a square.
        let text = emit(&spec, layout.initial_counts(), &Provenance::default()).unwrap();
        let [first, second, .., last] = names;
        assert!(
            text.contains(&format!("square ({first}, {second}, …, {last}).")),
            "{text}"
        );
        let row = format!("\n    {}\n", vec!["0,"; side].join(" "));
        assert_eq!(text.matches(&row[..row.len() - 1]).count(), side, "{text}");
    }
    let error = spec("h1").unwrap_err().to_string();
    assert!(error.contains("no first square `h1`"), "{error}");
}

#[test]
fn what_a_choice_freezes_stays_where_the_fit_starts() {
    let spec = board();
    let layout = spec.layout();
    let start: Vec<f64> = layout.initial().iter().map(|value| value + 7.0).collect();
    let choice = FrozenChoice {
        only: vec!["TEMPO".to_owned()],
        start: Some(start.clone()),
        ..FrozenChoice::default()
    };
    let chosen = spec.choose(&choice).unwrap();
    for weight in layout.weight_ids() {
        let at = weight.index();
        let is_chosen = chosen.layout().frozen(weight) && !layout.frozen(weight);
        let expected = if is_chosen {
            start[at]
        } else {
            layout.initial()[at]
        };
        assert!(
            (chosen.layout().initial()[at] - expected).abs() < 1e-9,
            "{}",
            layout.name(weight)
        );
    }
}

#[test]
fn what_a_choice_freezes_is_rounded_to_its_step() {
    for (step, initial, start, fixed) in [
        ("5", "50", 98.0, 100.0),
        ("0.25", "1.25", -2.3, -2.25),
        ("0.1", "0.5", 0.7, 0.7),
    ] {
        let text = format!(
            "version = 1\nname = \"n\"\n\
             [[parameter]]\nname = \"A\"\nstep = {step}\ninitial = {initial}\n"
        );
        let spec = Spec::parse(Path::new("n.toml"), &text).unwrap();
        let choice = FrozenChoice {
            freeze: vec!["A".to_owned()],
            start: Some(vec![start]),
            ..FrozenChoice::default()
        };
        let chosen = spec.choose(&choice).unwrap();
        assert_eq!(chosen.layout().initial(), [fixed], "step {step}");
    }
}

#[test]
fn a_choice_freezes_by_name_group_and_path_and_keeps_ties_together() {
    let spec = board();
    let free = |only: &str, freeze: &str, free: &str| {
        let list = |words: &str| words.split_whitespace().map(str::to_owned).collect();
        let choice = FrozenChoice {
            only: list(only),
            freeze: list(freeze),
            free: list(free),
            start: None,
        };
        let chosen = spec.choose(&choice).unwrap();
        assert_eq!(chosen.hash(), spec.hash());
        let layout = chosen.layout();
        let free = layout.weight_ids().filter(|&weight| !layout.frozen(weight));
        free.map(|weight| layout.name(weight)).collect::<Vec<_>>()
    };
    let material = [
        "MATERIAL[pawn].mg",
        "MATERIAL[pawn].eg",
        "MATERIAL[knight].mg",
        "MATERIAL[knight].eg",
    ];
    assert_eq!(free("material", "", ""), material);
    assert_eq!(
        free("MATER*", "MATERIAL[knight] MATERIAL.eg", ""),
        material[..1]
    );
    let king = ["MATERIAL[king].mg", "MATERIAL[king].eg"];
    assert_eq!(
        free("TEMPO", "TEMPO", "MATERIAL[king] TEMPO"),
        ["TEMPO", king[0], king[1]]
    );
    // Squares e2 and d2 are one weight by the mirror.
    let squares = ["PST[king][11].mg", "PST[king][12].mg"];
    assert_eq!(free("PST[king][12].mg", "", ""), squares);
    assert_eq!(free("PST[king][11].mg", "", ""), squares);
    assert_eq!(free("", "*", "other"), ["TEMPO"]);
    for (name, cure) in [
        ("MATERAL", "did you mean `MATERIAL`?"),
        ("BISHOP", "did you mean `BISHOP_PAIR`?"),
        (
            "SHEL",
            "did you mean `SHELTER`? `SHEL*` names all that begin so",
        ),
    ] {
        let choice = FrozenChoice {
            only: vec![name.to_owned()],
            ..FrozenChoice::default()
        };
        let words = spec.choose(&choice).unwrap_err().to_string();
        assert!(words.contains(cure), "{words}");
    }
}

#[test]
fn every_weight_has_a_name_that_finds_it_and_a_lane_of_its_own() {
    let spec = board();
    let layout = spec.layout();
    let mut lanes = BTreeSet::new();
    for weight in layout.weight_ids() {
        let name = layout.name(weight);
        assert_eq!(one(layout, &name), weight, "{name}");
        let lane = layout.lane(weight);
        assert_eq!(layout.weight_of_lane(lane), Some(weight), "{name}");
        assert!(lanes.insert(lane) && lane.index() < 2 * layout.slots());
    }
    for lane in (0..2 * layout.slots() as u32 + 2).map(LaneId) {
        assert_eq!(layout.weight_of_lane(lane).is_some(), lanes.contains(&lane));
    }
    assert_eq!(layout.name(WeightId(5)), "MATERIAL[knight].mg");
    assert_eq!(layout.name(WeightId(0)), "TEMPO");
    let lanes = [0, 1, 2].map(|weight| layout.lane(WeightId(weight)));
    assert_eq!(lanes, [0, 2, 3].map(LaneId));
}

#[test]
fn initial_values_take_every_form() {
    let spec = board();
    let layout = spec.layout();
    let initial = layout.initial();
    for (path, values) in [
        ("TEMPO", &[12.0][..]),
        ("BISHOP_PAIR", &[23.0, -41.0]),
        ("MATERIAL", &[82.0, 94.0, 337.0, 281.0, 0.0, 0.0]),
        ("SHELTER[far][1]", &[-4.0, -5.0, -6.0]),
        ("SHELTER_BY_RANK[near][2]", &[30.0, 0.0]),
        ("MOBILITY[27]", &[-30.0, 5.0]),
        ("SHOGI[80]", &[100.0]),
    ] {
        let weights = layout.find(path).unwrap().into_iter();
        let found: Vec<f64> = weights.map(|weight| initial[weight.index()]).collect();
        assert_eq!(found, values, "{path}");
    }
}

#[test]
fn bounds_and_frozen_weights_are_where_the_spec_says() {
    let spec = board();
    let layout = spec.layout();
    assert_eq!(layout.bounds(WeightId(0)), (0.0, 50.0));
    assert_eq!(
        layout.bounds(WeightId(1)),
        (f64::NEG_INFINITY, f64::INFINITY)
    );
    assert_eq!(layout.bounds(WeightId(8)), (-2000.0, 2000.0));
    let frozen = |path: &str| layout.find(path).unwrap().iter().all(|&w| layout.frozen(w));
    assert!(frozen("MATERIAL[king]") && frozen("MOBILITY"));
    assert!(!layout.frozen(WeightId(3)) && !layout.frozen(WeightId(6)) && !frozen("SHOGI"));
}

#[test]
fn ties_lead_straight_to_a_free_weight_and_hold_initially() {
    let spec = board();
    let layout = spec.layout();
    let ties = layout.ties();
    let tied: BTreeSet<WeightId> = ties.iter().map(|tie| tie.weight).collect();
    assert_eq!(tied.len(), ties.len());
    assert!(ties.is_sorted_by_key(|tie| tie.weight));
    let initial = layout.initial();
    for tie in ties {
        assert!(!tied.contains(&tie.root));
        assert_eq!(
            initial[tie.weight.index()],
            tie.factor * initial[tie.root.index()] + tie.difference
        );
    }
    // Mirrors: half of 192 entries; the knight's other half follows the pawn's.
    assert_eq!(ties.len(), 1 + 192 + 64 + 6);
    let root = |path: &str| {
        let weight = one(layout, path);
        let tie = ties.iter().find(|tie| tie.weight == weight).unwrap();
        (layout.name(tie.root), tie.factor, tie.difference)
    };
    assert_eq!(
        root("BISHOP_PAIR.eg"),
        ("BISHOP_PAIR.mg".to_owned(), -1.0, -18.0)
    );
    assert_eq!(
        root("PST[pawn][15].eg"),
        ("PST[pawn][8].eg".to_owned(), 1.0, 0.0)
    );
    assert_eq!(
        root("PST[knight][6].mg"),
        ("PST[pawn][1].mg".to_owned(), 1.0, 0.0)
    );
    assert_eq!(
        root("SHELTER[far][1][2]"),
        ("SHELTER[near][1][2]".to_owned(), -1.0, 0.0)
    );
}

#[test]
fn what_is_tied_to_a_frozen_weight_is_frozen() {
    let text = BOARD.replace(
        "mirror = { axis = 1, width = 8 }",
        "mirror = { axis = 1, width = 8 }\nfrozen = [\"knight[7].mg\"]",
    );
    let spec = Spec::parse(Path::new("f"), &text).unwrap();
    let layout = spec.layout();
    for path in [
        "PST[knight][7].mg",
        "PST[knight][0].mg",
        "PST[pawn][0].mg",
        "PST[pawn][7].mg",
    ] {
        assert!(layout.frozen(one(layout, path)), "{path}");
    }
    assert!(!layout.frozen(one(layout, "PST[pawn][0].eg")));
    assert!(!layout.frozen(one(layout, "PST[king][0].mg")));
}

#[test]
fn the_hash_follows_the_meaning_and_not_the_spelling() {
    let hash = board().hash().to_owned();
    assert_eq!(hash.len(), 16);
    let of = |text: &str| {
        let spec = Spec::parse(Path::new("f"), text).unwrap();
        spec.hash().to_owned()
    };
    let respelled = BOARD
        .replace("initial = 12", "# a comment\ninitial    =  0x0c")
        .replace("The right to move.", "Tempo.")
        .replace("initial = [-30, 5]", "initial = { eg = 5, mg = -30 }");
    assert_ne!(respelled, BOARD);
    assert_eq!(of(&respelled), hash);
    for (from, to) in [
        ("initial = 12", "initial = 13"),
        ("[0, 50]", "[0, 51]"),
        ("\"TEMPO\"", "\"TEMPI\""),
        ("[81]", "[9, 9]"),
        ("frozen = true", "frozen = false"),
        ("near", "close"),
        ("name = \"board\"", "name = \"plank\""),
        ("width = 8", "width = 4"),
    ] {
        let changed = BOARD.replace(from, to);
        assert_ne!(changed, BOARD);
        assert_ne!(of(&changed), hash, "{from} -> {to}");
    }
    let values_only = BOARD.replace("initial = 12", "initial = 13");
    let values_only = Spec::parse(Path::new("f"), &values_only).unwrap();
    let fingerprint = board().layout().fingerprint();
    assert_eq!(values_only.layout().fingerprint(), fingerprint);
    assert_eq!(
        format!("{fingerprint:016x}"),
        "b604b7a4785236bb",
        "in trace files"
    );
}

/// Keys of each kind of section in the schema, and an example of a spec with
/// just one wrong key there, whose message lists the keys that are read.
#[test]
fn the_schema_has_the_keys_that_the_parser_reads() {
    let schema: serde_json::Value = schema().parse().unwrap();
    let head = "version = 1\nname = \"a\"\n";
    let parameter = "[[parameter]]\nname = \"A\"\ninitial = 0\n";
    let cases = [
        ("", format!("{head}wrong = 1\n{parameter}")),
        (
            "RawOutput",
            format!("{head}{parameter}[output]\nwrong = 1\n"),
        ),
        ("RawParameter", format!("{head}{parameter}wrong = 1\n")),
        (
            "RawMirror",
            format!("{head}{parameter}[parameter.mirror]\nwrong = 1\n"),
        ),
        (
            "RawSmooth",
            format!("{head}{parameter}[parameter.smooth]\nwrong = 1\n"),
        ),
        ("RawTie", format!("{head}{parameter}[[tie]]\nwrong = 1\n")),
    ];
    for (section, text) in cases {
        let object = match section {
            "" => &schema,
            section => &schema["$defs"][section],
        };
        assert_eq!(object["additionalProperties"], false, "{section}");
        let keys: BTreeSet<&str> = object["properties"]
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        let required: BTreeSet<&str> = object["required"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|key| key.as_str().unwrap())
            .collect();
        let errors = Spec::parse(Path::new("f"), &text).unwrap_err();
        let messages: Vec<&str> = errors
            .mistakes
            .iter()
            .map(|one| one.message.as_str())
            .collect();
        let unknown = messages
            .iter()
            .find(|message| message.contains("unknown key"))
            .unwrap();
        let listed: BTreeSet<&str> = unknown.split('`').skip(3).step_by(2).collect();
        assert_eq!(keys, listed, "{section}");
        let present: BTreeSet<&str> = match section {
            "RawMirror" | "RawSmooth" | "RawTie" => messages
                .iter()
                .filter(|m| m.contains("is missing"))
                .map(|m| m.split('`').nth(1).unwrap())
                .collect(),
            _ => continue,
        };
        assert_eq!(required, present, "{section}");
    }
    let errors = Spec::parse(Path::new("f"), "[[parameter]]\n").unwrap_err();
    let text = errors.to_string();
    for key in schema["required"].as_array().unwrap() {
        let key = key.as_str().unwrap();
        assert!(key == "parameter" || text.contains(&format!("key `{key}` is missing")));
    }
}

#[test]
fn three_phases_are_the_last_dimension() {
    let spec = |initial: &str| {
        let text = format!(
            "version = 1\nname = \"three\"\n[[parameter]]\nname = \"ROOK\"\n\
             phases = [\"opening\", \"mg\", \"eg\"]\ninitial = [470, 480, 520]\n[[parameter]]\n\
             name = \"TABLE\"\nshape = [2]\nphases = [\"opening\", \"mg\", \"eg\"]\n\
             initial = {initial}\nfrozen = [\"[0][mg]\"]\n\
             smooth = {{ deviation = 5, axis = 1 }}\n"
        );
        Spec::parse(Path::new("three.toml"), &text)
    };
    let nested = spec("[[1, 2, 3], [4, 5, 6]]").unwrap();
    let by_phase = spec("{ opening = [1, 4], eg = [3, 6], mg = [2, 5] }").unwrap();
    assert_eq!(nested.hash(), by_phase.hash());
    let layout = nested.layout();
    assert_eq!(
        layout.initial(),
        [470.0, 480.0, 520.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    );
    let names: Vec<String> = layout
        .weight_ids()
        .map(|weight| layout.name(weight))
        .collect();
    assert_eq!((&*names[0], &*names[7]), ("ROOK[opening]", "TABLE[1][mg]"));
    assert_eq!(layout.find("TABLE[1][eg]").unwrap(), [WeightId(8)]);
    assert!(layout.frozen(WeightId(4)) && !layout.frozen(WeightId(7)));
    let code = emit(&nested, layout.initial_counts(), &Provenance::default()).unwrap();
    assert!(
        code.contains("pub const ROOK: [i32; 3] = [470, 480, 520];"),
        "{code}"
    );
    assert!(
        code.contains("pub const TABLE: [[i32; 3]; 2] = [[1, 2, 3], [4, 5, 6]];"),
        "{code}"
    );
    assert!(code.contains("then phase (opening, mg, eg)."), "{code}");
    for (initial, words) in [
        (
            "{ opening = 1, mg = 2 }",
            "without `eg`; expected `opening`, `mg` and `eg`",
        ),
        ("{ opening = 1, mg = 2, eg = 3, end = 4 }", "no phase `end`"),
    ] {
        let error = spec(initial).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}
