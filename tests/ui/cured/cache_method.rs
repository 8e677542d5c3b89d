//! The cure of `refused/cache_method.rs`: the twin stores nothing.

mod cache {
    use std::sync::Mutex;

    #[derive(Default)]
    pub struct Cache(Vec<(u64, i32)>);

    impl Cache {
        pub fn add(&mut self, key: u64, score: i32) {
            self.0.push((key, score));
        }

        pub fn insert(&mut self, key: u64, score: i32) {
            self.0.push((key, score));
        }
    }

    #[derive(Default)]
    pub struct Board {
        pub cache: Cache,
        pub shared: Mutex<Cache>,
    }
}

mod eval {
    use crate::cache::Board;

    const TEMPO: i32 = 10;

    pub fn evaluate(board: &mut Board, count: i32) -> i32 {
        let mut terms = Vec::new();
        terms.push(TEMPO);
        let score = terms[0] * count;
        tuner_core::untraced! {
            let cache = &mut board.cache;
            cache.add(7, score);
            board.cache.insert(7, score);
            board.shared.lock().unwrap().insert(7, score);
        }
        score
    }

    #[cfg(feature = "tune")]
    tuner_core::traced!();
}

fn main() {
    eval::evaluate(&mut cache::Board::default(), 2);
}
