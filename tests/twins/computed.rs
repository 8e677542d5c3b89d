//! Tables computed from weights: by blocks, functions and operators, when the
//! program starts, from each other.

use crate::support::{assert_derivatives, derivatives};

#[allow(
    clippy::all,
    clippy::pedantic,
    reason = "an engine's code as it is found"
)]
#[tuner_core::tunable]
mod tables {
    use std::ops::{Add, AddAssign, Mul};
    use std::sync::LazyLock;

    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Hash)]
    pub struct Two(i32, i32);

    impl Two {
        const fn plus(self, other: Two) -> Two {
            Two(self.0 + other.0, self.1 + other.1)
        }
    }

    impl Add for Two {
        type Output = Two;
        fn add(self, other: Two) -> Two {
            self.plus(other)
        }
    }

    impl AddAssign for Two {
        fn add_assign(&mut self, other: Two) {
            *self = *self + other;
        }
    }

    impl Mul<i32> for Two {
        type Output = Two;
        fn mul(self, count: i32) -> Two {
            Two(self.0 * count, self.1 * count)
        }
    }

    pub const VALUES: [Two; 2] = [Two(100, 90), Two(300, 310)];
    pub const SQUARES: [[Two; 3]; 2] = [
        [Two(-5, 0), Two(1, 2), Two(8, -3)],
        [Two(4, 4), Two(0, 0), Two(-9, 6)],
    ];

    /// Both sides' tables, the second mirrored.
    const ALL: [[Two; 3]; 4] = {
        let mut all = [[Two(0, 0); 3]; 4];
        let mut square = 0;
        while square < 3 {
            let mut role = 0;
            while role < 2 {
                all[2 * role][square] = VALUES[role].plus(SQUARES[role][square]);
                all[2 * role + 1][square] = VALUES[role].plus(SQUARES[role][2 - square]);
                role += 1;
            }
            square += 1;
        }
        all
    };

    const STEP: i32 = 12;
    const RAMP: [i32; 3] = [STEP, STEP * 2, STEP * 3 + 5];
    const MEAN: i32 = (RAMP[0] + RAMP[2]) / 2;

    impl Two {
        const STEP: i32 = STEP;
        const STEPS: [i32; 2] = [Self::STEP, 0];
        const DOUBLE: i32 = Self::STEP * 2;
        const LAST: usize = 1;
    }

    /// The macro of the crate of this name, as far as it is needed here.
    macro_rules! lazy_static {
        ($($vis:vis static ref $name:ident: $ty:ty = $value:expr;)*) => {
            $($vis static $name: LazyLock<$ty> = LazyLock::new(|| $value);)*
        };
    }

    lazy_static! {
        static ref LATE: [[Two; 2]; 2] = {
            let mut late = [[Two(0, 0); 2]; 2];
            for role in 0..2 {
                late[1][role] = VALUES[role];
            }
            late
        };
        static ref LAST: i32 = STEP * 4;
    }

    static HALVES: LazyLock<[i32; 3]> = LazyLock::new(|| RAMP.map(|x| x / 2));

    pub fn evaluate_tables(men: &[(usize, usize)], count: i32) -> i32 {
        let mut sum = Two::default();
        for &(kind, square) in men {
            sum += ALL[kind][square];
        }
        sum = sum * 2;
        sum += LATE[1][0];
        let steps = Two::STEP + Two::STEPS[0] + Two::STEPS[Two::LAST] + Two::DOUBLE;
        sum.0 + sum.1 + RAMP[1] * count + MEAN + HALVES[2] - HALVES.iter().sum::<i32>() - *LAST
            + steps
    }
}

#[test]
fn computed_tables_lead_to_their_weights() {
    let men = [(0, 0), (1, 0), (3, 1)];
    let (score, _, trace) = derivatives(|| tables::__traced::evaluate_tables(&men, 4));
    assert_eq!(score, f64::from(tables::evaluate_tables(&men, 4)));
    assert!((trace.constant - (2.5 + 2.5 - 2.5)).abs() < 1e-12);
    assert_derivatives(
        || tables::__traced::evaluate_tables(&men, 4),
        &[
            ("SQUARES0", 2.0),
            ("SQUARES1", 2.0),
            ("SQUARES4", 2.0),
            ("SQUARES5", 2.0),
            ("SQUARES8", 2.0),
            ("SQUARES9", 2.0),
            ("STEP0", 8.0 + 2.0 + 1.5 - 3.0 - 4.0 + 4.0),
            ("VALUES0", 5.0),
            ("VALUES1", 5.0),
            ("VALUES2", 2.0),
            ("VALUES3", 2.0),
        ],
    );
}

#[test]
fn computed_tables_follow_other_weights() {
    let twin = || tables::__traced::evaluate_tables(&[(0, 2)], 1);
    let registry = crate::support::registry();
    let mut values = registry.values();
    let first = |name| {
        let found = registry.parameters.iter().find(|p| p.name == name);
        found.map(|p| p.first as usize).unwrap()
    };
    let before = tuner_core::trace::Recorder::defined_at(&values, twin).0;
    assert_eq!(before, f64::from(tables::evaluate_tables(&[(0, 2)], 1)));
    values[first("VALUES")] += 7.0;
    values[first("SQUARES") + 4] -= 3.0;
    let after = tuner_core::trace::Recorder::defined_at(&values, twin).0;
    assert_eq!(after - before, 3.0 * 7.0 - 2.0 * 3.0);
}
