//! What is said of releases in three places: how archives are packed, what is built, and where
//! `cargo binstall` looks.

use crate::source::text;

#[test]
fn archives_are_where_binstall_looks() {
    let pack = text(".ci/release");
    assert!(pack.contains("name=tuner-$version-$target"), "{pack}");
    let manifest: toml::Table = toml::from_str(&text("crates/tuner/Cargo.toml")).unwrap();
    let of = &manifest["package"]["metadata"]["binstall"];
    let name = "tuner-{ version }-{ target }";
    let [url, folder] = ["pkg-url", "bin-dir"].map(|key| of[key].as_str().unwrap());
    assert!(
        url.ends_with(&format!("/v{{ version }}/{name}{{ archive-suffix }}")),
        "{url}"
    );
    assert_eq!(folder, format!("{name}/{{ bin }}{{ binary-ext }}"));
    let release = text(".github/workflows/release.yml");
    let lines = release.lines();
    let targets: Vec<&str> = lines
        .filter_map(|line| line.split_once("target: ")?.1.split([' ', '}']).next())
        .collect();
    assert!(targets.len() >= 5, "{targets:?}");
    for target in targets {
        let own = of["overrides"].get(target).unwrap_or(of);
        let [suffix, format] = if target.contains("windows") {
            ["$name.zip", "zip"]
        } else {
            ["$name.tar.gz", "tgz"]
        };
        assert_eq!(own["pkg-fmt"].as_str(), Some(format), "{target}");
        assert!(pack.contains(suffix), "{target}");
    }
    assert!(text(".github/workflows/ci.yml").contains("- run: .ci/run\n"));
}
