//! Two engines whose weights are fields of structs: from sources to a spec that its author
//! works on, from a fit back to both, and again.

use std::fs;
use std::path::Path;

use super::folder;
use crate::support::{tuner, words};
use tuner_core::spec::Spec;

/// One const struct: nested structs, arrays of structs, nested arrays, pairs.
const CONST: &str = "\
use crate::pair::*;

pub struct Weights {
    /// By square.
    pub pst: [[S; 2]; 2],
    pub king: King,
    pub men: [Man; 2],
    pub tempo: i32,
    size: usize,
}
pub struct King { pub shield: [S; 3], pub storm: S }
pub struct Man { pub value: S, pub rows: [i32; 2], pub hung: S }

// All of them.
pub const WEIGHTS: Weights = Weights {
    pst: [[S(1, 2), S(3, 4)], [s!(5, 6), S::new(7, 8)]], // by hand
    king: King { shield: [S(9, 10); 3], storm: S(-11, -12) },
    men: [
        Man { value: S( 80,  95), rows: [0; 2], hung: S(13, 14) },
        Man { value: S(300, 310), rows: [15, 16], hung: S(13, 14) },
    ],
    tempo: 17, /* half a move */
    size: 64,
};
";

/// A struct that `default` makes, held at run time: scalars and arrays.
const HELD: &str = "\
#[derive(Clone)]
pub struct EvalParams { pub material: [i32; 3], pub tempo: i16, pub ranks: [[i16; 2]; 2], pub flat: [i16; 4] }

impl Default for EvalParams {
    /// As played.
    fn default() -> Self {
        Self {
            material: [100, 1_050, -3],
            tempo: 12_i16, // half a move
            ranks: [[1, 2], [3, 4]],
            flat: [0; 4],
        }
    }
}

pub struct Engine { weights: EvalParams }
impl Engine {
    pub fn new() -> Self { Self { weights: EvalParams::default() } }
    pub fn evaluate(&self, men: i32) -> i32 { self.weights.material[0] * men }
}
";

fn said(folder: &Path, args: &str) -> String {
    let args: Vec<&str> = args.split(' ').collect();
    let output = tuner(folder, &args);
    assert_eq!(output.status.code(), Some(0), "{}", words(&output));
    words(&output)
}

fn text(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap()
}

/// Replaces what is there, once.
fn replaced(text: &str, changes: &[(&str, &str)]) -> String {
    let mut text = text.to_owned();
    for (old, new) in changes {
        assert_eq!(text.matches(old).count(), 1, "{old}\n{text}");
        text = text.replace(old, new);
    }
    text
}

/// Import, edit, set, patch, import again: `written` is what an author adds to the spec,
/// `values` what a fit finds, `fitted` and `patched` what both are then.
fn round_trip(
    source: &str,
    written: &[(&str, &str)],
    values: &str,
    fitted: &[(&str, &str)],
    patched: &[(&str, &str)],
) {
    let folder = folder(source);
    let folder = folder.path();
    said(folder, "spec import eval.rs -o e.toml");
    let ties = "\n# Mine.\n[[tie]]\nentry = \"TIED\"\nto = \"TO\"\n";
    let (tie, written) = written.split_first().unwrap();
    let tie = ties.replace("TIED", tie.0).replace("TO", tie.1);
    let spec = replaced(&text(folder, "e.toml"), written) + &tie;
    fs::write(folder.join("e.toml"), &spec).unwrap();
    said(folder, "spec check e.toml");
    // Nothing to do: nothing is done.
    said(folder, "spec import eval.rs --into e.toml");
    assert_eq!(text(folder, "e.toml"), spec);
    assert!(said(folder, "patch e.toml eval.rs").contains("nothing to write"));

    fs::write(folder.join("w.txt"), values).unwrap();
    said(folder, "spec set w.txt -o e.toml");
    let expected = replaced(&spec, fitted);
    let without = |text: &str| {
        let lines = text.lines().filter(|line| !line.starts_with("values = "));
        lines.collect::<Vec<_>>().join("\n")
    };
    assert_eq!(without(&text(folder, "e.toml")), without(&expected));
    let spec = text(folder, "e.toml");

    let words = said(folder, "patch e.toml eval.rs");
    assert!(words.contains("eval.rs: literals changed: "), "{words}");
    assert_eq!(text(folder, "eval.rs"), replaced(source, patched));

    // And again: nothing is lost, nothing changes.
    said(folder, "spec import eval.rs --into e.toml");
    assert_eq!(text(folder, "e.toml"), spec);
    assert!(said(folder, "patch e.toml eval.rs").contains("nothing to write"));
    said(folder, "spec import eval.rs -o again.toml");
    let initial = |file: &str| Spec::load(&folder.join(file)).unwrap().layout().initial();
    assert_eq!(initial("e.toml"), initial("again.toml"));
}

#[test]
fn a_const_struct_comes_back_and_nothing_is_lost() {
    round_trip(
        CONST,
        &[
            ("WEIGHTS_MEN_1_HUNG", "WEIGHTS_MEN_0_HUNG"),
            (
                "name = \"engine\"\n",
                "name = \"engine\" # mine\nunit = \"points\"\nnames.side = [\"us\", \"them\"]\n",
            ),
            (
                "doc = \"By square.\"\nshape = [2, 2]\n",
                "doc = \"By square.\"\nshape = [\"side\", 2]\nsmooth = { deviation = 9, axis = 1 }\n",
            ),
            (
                "name = \"WEIGHTS_KING_STORM\"\n",
                "name = \"WEIGHTS_KING_STORM\"\nbounds = [-50, 0] # never good\nfrozen = [\"eg\"]\n",
            ),
            (
                "name = \"WEIGHTS_MEN_1_VALUE\"\n",
                "name = \"WEIGHTS_MEN_1_VALUE\"\ndoc = \"A knight.\"\ngroup = \"material\"\nprior = 20\n",
            ),
        ],
        "WEIGHTS_PST[us][1].mg -300\nWEIGHTS_PST[them][0].eg 66\nWEIGHTS_KING_SHIELD[1].mg 90\n\
         WEIGHTS_KING_STORM.mg -7\nWEIGHTS_MEN_0_VALUE.mg 7\nWEIGHTS_MEN_0_ROWS[1] 4\n\
         WEIGHTS_MEN_0_HUNG.eg 20\nWEIGHTS_MEN_1_HUNG.eg 20\nWEIGHTS_MEN_1_VALUE.eg 1000\n\
         WEIGHTS_TEMPO 18\n",
        &[
            ("[3, 4]", "[-300, 4]"),
            ("[5, 6]", "[5, 66]"),
            (
                "[[9, 10], [9, 10], [9, 10]]",
                "[[9, 10], [90, 10], [9, 10]]",
            ),
            ("[-11, -12]", "[-7, -12]"),
            ("[80, 95]", "[7, 95]"),
            ("initial = [0, 0]", "initial = [0, 4]"),
            (
                "initial = [13, 14]\n\n[[parameter]]\n# eval.rs:20",
                "initial = [13, 20]\n\n[[parameter]]\n# eval.rs:20",
            ),
            (
                "initial = [13, 14]\n\n[[parameter]]\n# eval.rs:22",
                "initial = [13, 20]\n\n[[parameter]]\n# eval.rs:22",
            ),
            ("[300, 310]", "[300, 1000]"),
            ("initial = 17", "initial = 18"),
        ],
        &[
            ("S(3, 4)", "S(-300, 4)"),
            ("s!(5, 6)", "s!(5, 66)"),
            ("[S(9, 10); 3]", "[S(9, 10), S(90, 10), S(9, 10)]"),
            ("S(-11, -12)", "S(-7, -12)"),
            (
                "S( 80,  95), rows: [0; 2], hung: S(13, 14)",
                "S(  7,  95), rows: [0, 4], hung: S(13, 20)",
            ),
            (
                "S(300, 310), rows: [15, 16], hung: S(13, 14)",
                "S(300, 1000), rows: [15, 16], hung: S(13, 20)",
            ),
            ("tempo: 17,", "tempo: 18,"),
        ],
    );
}

#[test]
fn a_struct_held_at_run_time_comes_back_and_nothing_is_lost() {
    held_round_trip(HELD);
}

#[test]
fn a_struct_that_a_function_changes_before_it_returns_it_comes_back_too() {
    let source = replaced(
        HELD,
        &[
            (
                "        Self {\n            material",
                "        let mut made = Self {\n            material",
            ),
            (
                "flat: [0; 4],\n        }",
                "flat: [0; 4],\n        };\n        made.mirror();\n        made",
            ),
        ],
    );
    held_round_trip(&source);
}

fn held_round_trip(source: &str) {
    round_trip(
        source,
        &[
            ("EVAL_PARAMS_FLAT[1]", "EVAL_PARAMS_FLAT[0]"),
            ("version = 1\n", "# By hand.\nversion = 1\n"),
            (
                "name = \"EVAL_PARAMS_MATERIAL\"\nshape = [3]\n",
                "name = \"EVAL_PARAMS_MATERIAL\"\nshape = [3]\nbounds = [-2000, 2000]\ngroup = \"material\"\nfrozen = [\"[0]\"]\n",
            ),
            (
                "name = \"EVAL_PARAMS_TEMPO\"\n",
                "name = \"EVAL_PARAMS_TEMPO\"\ndoc = \"Whose move it is.\"\nprior = 4\n",
            ),
        ],
        "EVAL_PARAMS_MATERIAL[1] 1100\nEVAL_PARAMS_TEMPO 13\nEVAL_PARAMS_RANKS[1][0] 30\n\
         EVAL_PARAMS_FLAT[0] 2\nEVAL_PARAMS_FLAT[1] 2\nEVAL_PARAMS_FLAT[3] -7\n",
        &[
            ("[100, 1050, -3]", "[100, 1100, -3]"),
            ("initial = 12", "initial = 13"),
            ("[3, 4]", "[30, 4]"),
            ("[0, 0, 0, 0]", "[2, 2, 0, -7]"),
        ],
        &[
            ("1_050", "1_100"),
            ("12_i16,", "13i16,"),
            ("[3, 4]", "[30, 4]"),
            ("[0; 4]", "[2, 2, 0, -7]"),
        ],
    );
}

/// Consts of an impl block that are weights, and one that is none.
const ASSOCIATED: &str = "\
pub struct Safety;

impl Safety {
    #[cfg_attr(feature = \"tune\", tuner_core::tunable)]
    pub const ATTACKS: [i32; 2] = [9, 12]; // by number
    /// Beyond it nothing counts.
    #[tunable]
    pub(crate) const LIMIT: i32 = 500;
    const SHIFT: i32 = 3;
}

pub const TABLE: [i32; 2] = [Safety::LIMIT, 9];

#[cfg(feature = \"tune\")]
tuner_core::traced!();
";

#[test]
fn consts_of_an_impl_block_come_back_and_nothing_is_lost() {
    round_trip(
        ASSOCIATED,
        &[
            ("SAFETY_ATTACKS[0]", "TABLE[1]"),
            (
                "doc = \"Beyond it nothing counts.\"\n",
                "doc = \"Beyond it nothing counts.\"\nbounds = [0, 900]\n",
            ),
        ],
        "SAFETY_ATTACKS[0] -3\nSAFETY_LIMIT 480\nTABLE[0] 480\nTABLE[1] -3\n",
        &[
            ("initial = [9, 12]", "initial = [-3, 12]"),
            ("initial = 500", "initial = 480"),
            ("initial = [500, 9]", "initial = [480, -3]"),
        ],
        &[
            ("[9, 12]", "[-3, 12]"),
            ("i32 = 500", "i32 = 480"),
            ("[Safety::LIMIT, 9]", "[Safety::LIMIT, -3]"),
        ],
    );
}

#[test]
fn a_spec_is_written_as_one_struct_and_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let spec = "\
version = 1
name = \"engine\"
[output]
in_struct = \"WEIGHTS\"
[[parameter]]
name = \"WEIGHTS_MEN\"
shape = [6]
phases = [\"mg\", \"eg\"]
initial = [[82, 94], [337, 281], [365, 297], [477, 512], [1025, 936], [0, 0]]
[[parameter]]
name = \"WEIGHTS_TEMPO\"
initial = 12
";
    fs::write(folder.join("engine.toml"), spec).unwrap();
    said(folder, "spec emit engine.toml -o weights.rs");
    said(folder, "spec import weights.rs -o again.toml");
    let values = "spec emit again.toml --to json -o again.json";
    said(folder, values);
    said(folder, &values.replace("again", "engine"));
    let [one, other] = ["again.json", "engine.json"].map(|name| {
        let all: serde_json::Value = serde_json::from_str(&text(folder, name)).unwrap();
        let parameters = all["parameters"].as_object().unwrap().iter();
        let values = parameters.map(|(name, found)| (name.clone(), found["values"].clone()));
        values.collect::<Vec<_>>()
    });
    assert_eq!(one, other);
    assert_eq!(one.len(), 2);
}
