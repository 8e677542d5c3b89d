#[derive(Default)]
pub struct TablesOf<E> {
    pub men: [E; 2],
    pub ranks: [E; 3],
}

impl<E> TablesOf<E> {
    pub fn rank(&self, rank: usize) -> &E {
        &self.ranks[rank]
    }

    pub fn rank_mut(&mut self, rank: usize) -> &mut E {
        &mut self.ranks[rank]
    }
}

tuner_core::traced!();
