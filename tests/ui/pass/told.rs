//! A macro that tells something of a board with a twin gives no board.

mod eval {
    macro_rules! fail {
        ($text:literal, $($value:expr),*) => {{
            $(let _ = &$value;)*
            std::process::abort()
        }};
    }

    const MAN: i32 = 90;

    pub struct Board {
        men: u64,
        kept: i32,
    }

    impl Board {
        pub fn of(squares: &[u32]) -> Self {
            let mut board = Self { men: 0, kept: 0 };
            for square in squares {
                board.men |= 1 << square;
                board.kept += MAN;
            }
            board
        }
    }

    pub fn evaluate(board: &Board, side: u8) -> i32 {
        let mut men = match side {
            0 => board.men,
            1 => 0,
            _ => fail!("no side {} of {}", side, board),
        };
        let mut count = 0;
        while men != 0 {
            men &= men - 1;
            count += 1;
        }
        board.kept + count
    }

    #[cfg(feature = "tune")]
    tuner_core::traced!();
}

fn main() {
    assert_eq!(eval::evaluate(&eval::Board::of(&[3, 5]), 0), 182);
}
