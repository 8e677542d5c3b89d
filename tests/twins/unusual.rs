//! Rust that is legal and seldom written.

use crate::support::assert_derivatives;

#[allow(
    clippy::all,
    clippy::pedantic,
    non_upper_case_globals,
    reason = "an engine's code as it is found"
)]
#[tuner_core::tunable]
mod unusual {
    pub type Row<const N: usize> = [i32; N];
    pub type Twice<T> = (T, T);

    const ROW: Row<3> = [3, -5, 8];
    pub const r#PLAIN: [i32; 2] = [13, 21];
    const r#match: i32 = 6;
    const PAIR: Twice<i32> = (2, 4);

    #[derive(Clone, Copy)]
    pub struct Unusual {
        mg: i32,
        r#in: i32,
    }

    impl From<(i32, i32)> for Unusual {
        fn from((mg, eg): (i32, i32)) -> Self {
            Self { mg, r#in: eg }
        }
    }

    impl std::ops::AddAssign<i32> for Unusual {
        fn add_assign(&mut self, both: i32) {
            self.mg += both;
            self.r#in += both;
        }
    }

    #[cfg(any())]
    impl Unusual {
        pub fn of_bytes(bytes: &[i32]) -> Self {
            missing::cast(Self::from((bytes[0], bytes[1])))
        }
    }

    #[cfg(any())]
    impl missing::Shown for [u8; 3] {
        fn shown(&self) -> i32 {
            ROW[missing::first(self)]
        }
    }

    pub struct Total(i32);

    impl std::iter::Sum<i32> for Total {
        fn sum<I: Iterator<Item = i32>>(all: I) -> Self {
            let mut total = PAIR.0;
            for one in all {
                total += one;
            }
            Self(total)
        }
    }

    fn r#fn(r#loop: i32) -> i32 {
        r#loop * 2 + r#match
    }

    pub fn evaluate(places: &[usize]) -> i32 {
        let mut pair: Unusual = (ROW[0], ROW[1]).into();
        pair += ROW[2];
        let mut eg;
        let mg;
        Unusual { mg, .. } = pair;
        Unusual { r#in: eg, mg: _ } = pair;
        let other;
        [eg, other] = [eg + PAIR.0, PAIR.1];
        let sum = places.iter().try_fold(0, |sum, &place| match place {
            9 => None,
            place => Some(sum + PLAIN[place]),
        });
        let few = places.iter().filter(|&&place| place < 2);
        let total: Total = few.map(|&place| PLAIN[place]).sum();
        total.0 * 10000 + r#fn(mg) + eg * 10 + other * 100 + sum.unwrap_or(0) * 1000
    }
}

#[test]
fn unusual_rust_has_a_twin() {
    let all = [
        ("PAIR0", 10010.0),
        ("PAIR1", 100.0),
        ("PLAIN0", 11000.0),
        ("PLAIN1", 22000.0),
        ("ROW0", 2.0),
        ("ROW1", 10.0),
        ("ROW2", 12.0),
        ("match0", 1.0),
    ];
    assert_derivatives(|| unusual::__traced::evaluate(&[1, 0, 1]), &all);
    let without = all.map(|(name, derivative)| match name {
        "PLAIN1" => (name, 10000.0),
        _ => (name, derivative),
    });
    let without: Vec<_> = without
        .into_iter()
        .filter(|(name, _)| *name != "PLAIN0")
        .collect();
    assert_derivatives(|| unusual::__traced::evaluate(&[1, 9]), &without);
}
