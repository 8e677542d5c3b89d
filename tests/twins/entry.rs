//! A struct of partial scores that starts from a derived `default`, and that
//! only other crates ask for its score.

use crate::support::assert_derivatives;

#[tuner_core::tunable]
mod terms {
    const ENTRY: [i32; 2] = [6, 14];

    #[derive(Clone, Copy, Default)]
    pub struct Partial {
        count: u8,
        men: i32,
    }

    impl Partial {
        pub fn new(men: i32) -> Self {
            let mut terms = Self::default();
            terms.count += 1;
            terms.men += ENTRY[0] * men;
            terms
        }

        pub fn total(self) -> i32 {
            self.men + ENTRY[1] * i32::from(self.count)
        }
    }
}

#[test]
fn a_default_is_a_struct_of_its_type() {
    assert_eq!(terms::Partial::new(3).total(), 32);
    let twin = || terms::__traced::Partial::new(3).total();
    assert_derivatives(twin, &[("ENTRY0", 3.0), ("ENTRY1", 1.0)]);
}
