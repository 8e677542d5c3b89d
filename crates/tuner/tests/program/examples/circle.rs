//! From the engine's source to its spec, to a fit, back into both, and once more.

use std::fs;
use std::path::Path;

use tuner_core::spec::Spec;

use super::{Example, root, run};

/// An engine, and the folder where it goes round.
struct Round<'a> {
    example: &'a Example,
    engine: &'a Path,
    folder: &'a Path,
}

impl Round<'_> {
    /// Runs the program, which must succeed; returns what it said. `SPEC` stands for the file
    /// of the spec.
    fn said(&self, args: &str) -> String {
        let args = args.replace("SPEC", &self.spec_name());
        let output = run(
            self.engine,
            self.folder,
            &args.split(' ').collect::<Vec<_>>(),
        );
        String::from_utf8_lossy(&output.stderr).into_owned()
    }

    fn spec_name(&self) -> String {
        format!("{}.toml", self.example.name)
    }
}

fn text(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap()
}

/// A text without its numbers and the line that says where they come from: what an
/// author wrote.
fn written(text: &str) -> String {
    let is_new = |line: &str| line.starts_with("values = ") || line.starts_with("k = ");
    let lines = text.lines().filter(|line| !is_new(line));
    let kept = lines.flat_map(|line| line.chars().chain(['\n']));
    kept.filter(|c| !matches!(c, '0'..='9' | '-' | ' '))
        .collect()
}

/// What is fitted to some positions comes back, and a second fit changes nothing.
pub(crate) fn goes_round(example: &Example, engine: &Path, positions: &str) {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let round = Round {
        example,
        engine,
        folder,
    };
    let spec_name = round.spec_name();
    let root = root();
    fs::create_dir(folder.join("src")).unwrap();
    let source = root.join(format!("examples/{}/src/tuned_weights.rs", example.name));
    fs::copy(source, folder.join("src/tuned_weights.rs")).unwrap();
    fs::write(folder.join("data.tsv"), positions).unwrap();

    // The author's spec, with a comment and a bound of their own.
    let own = fs::read_to_string(root.join("specs").join(&spec_name)).unwrap();
    let tempo = "name = \"TEMPO\"\n";
    assert_eq!(own.matches(tempo).count(), 1);
    let own = own.replace(tempo, &format!("{tempo}# Mine: half a move.\n"));
    fs::write(folder.join(&spec_name), &own).unwrap();
    round.said("spec import src --into SPEC");
    assert_eq!(text(folder, &spec_name), own);

    // Fit, and write into spec and source. K would be fitted where a fit starts.
    let fit = "fit data.tsv --freeze PST --lambda 1 --k 1 --prior 20 --write-worse";
    round.said(&format!("{fit} --out one"));
    round.said("spec set one -o SPEC --write-worse");
    let fitted = text(folder, &spec_name);
    assert_eq!(written(&fitted), written(&own));
    assert_ne!(fitted, own);
    round.said("patch SPEC src");
    round.said("spec emit SPEC -o generated.rs");
    let again = round.said("spec emit SPEC -o generated.rs");
    assert!(again.contains("generated.rs: unchanged"), "{again}");
    round.said("spec import generated.rs -o generated.toml");
    let initial = |file: &str| Spec::load(&folder.join(file)).unwrap().layout().initial();
    assert_eq!(initial(&spec_name), initial("generated.toml"));

    // Once more: nothing changes, nothing is lost.
    round.said("spec import src --into SPEC");
    assert_eq!(text(folder, &spec_name), fitted);
    assert!(round.said("patch SPEC src").contains("nothing to write"));
    let again = "--init one/weights.txt --prior-mean spec --out two";
    round.said(&format!("{fit} {again}"));
    let spec = Spec::load(&folder.join(&spec_name)).unwrap();
    let of = |run: &str| {
        let lines = text(folder, &format!("{run}/weights.txt"));
        let values = lines.lines().filter(|line| !line.starts_with('#'));
        let values = values.map(|line| line.rsplit_once(' ').unwrap().1.parse::<f64>().unwrap());
        values.collect::<Vec<_>>()
    };
    let (one, two) = (of("one"), of("two"));
    let pairs = one.iter().zip(spec.layout().initial());
    assert!(pairs.clone().count() == one.len() && pairs.clone().all(|(a, b)| (a - b).abs() < 1e-9));
    let moves: Vec<f64> = one.iter().zip(&two).map(|(a, b)| (a - b).abs()).collect();
    let moved = moves.iter().filter(|&&by| by > 0.0).count();
    assert!(moved * 50 <= one.len(), "{moved} of {} moved", one.len());
    assert!(
        moves.into_iter().fold(0.0, f64::max) <= 1.0,
        "by rounding alone"
    );
}
