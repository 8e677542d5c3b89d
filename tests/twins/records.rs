//! A struct of several tables: each is a parameter of its own.

use crate::support::{assert_derivatives, derivatives, registry};

#[allow(
    clippy::all,
    clippy::pedantic,
    reason = "an engine's code as it is found"
)]
#[tuner_core::tunable]
mod record {
    pub struct Part<T> {
        pub man: T,
        pub rows: [T; 2],
    }

    pub struct Stage {
        pub part: Part<i16>,
        pub bonus: i16,
    }

    pub struct Terms {
        pub midgame: Stage,
        pub endgame: Stage,
        pub tempo: i16,
    }

    pub const TERMS: Terms = Terms {
        midgame: Stage {
            part: Part {
                man: 80,
                rows: [3, -4],
            },
            bonus: 12,
        },
        endgame: Stage {
            part: Part {
                man: 110,
                rows: [5, -6],
            },
            bonus: 0,
        },
        tempo: 9,
    };

    fn stage(stage: &Stage, men: i16, row: usize) -> i16 {
        stage.part.man * men + stage.part.rows[row] + stage.bonus
    }

    pub fn evaluate_record(men: i16, row: usize, phase: i32) -> i32 {
        let mg = stage(&TERMS.midgame, men, row) + TERMS.tempo;
        let eg = stage(&TERMS.endgame, men, row);
        (i32::from(mg) * phase + i32::from(eg) * (10 - phase)) / 10
    }
}

#[test]
fn fields_are_parameters() {
    let found = registry().parameters.iter();
    let found = found.filter(|p| p.file.ends_with("records.rs"));
    let names: Vec<_> = found.map(|p| (p.name, p.dims, p.lanes)).collect();
    let expected: [(&str, &[usize], usize); 7] = [
        ("TERMS_MIDGAME_PART_MAN", &[], 1),
        ("TERMS_MIDGAME_PART_ROWS", &[2], 1),
        ("TERMS_MIDGAME_BONUS", &[], 1),
        ("TERMS_ENDGAME_PART_MAN", &[], 1),
        ("TERMS_ENDGAME_PART_ROWS", &[2], 1),
        ("TERMS_ENDGAME_BONUS", &[], 1),
        ("TERMS_TEMPO", &[], 1),
    ];
    assert_eq!(names, expected);

    let (score, ..) = derivatives(|| record::__traced::evaluate_record(3, 1, 7));
    assert_eq!(score, f64::from(record::evaluate_record(3, 1, 7)));
    assert_derivatives(
        || record::__traced::evaluate_record(3, 1, 7),
        &[
            ("TERMS_MIDGAME_PART_MAN0", 2.1),
            ("TERMS_MIDGAME_PART_ROWS1", 0.7),
            ("TERMS_MIDGAME_BONUS0", 0.7),
            ("TERMS_ENDGAME_PART_MAN0", 0.9),
            ("TERMS_ENDGAME_PART_ROWS1", 0.3),
            ("TERMS_ENDGAME_BONUS0", 0.3),
            ("TERMS_TEMPO0", 0.7),
        ],
    );
}
