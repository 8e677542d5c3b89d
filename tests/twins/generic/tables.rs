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

/// Entries that no one reaches from outside.
pub struct RowOf<E>([E; 2]);

impl<E> RowOf<E> {
    pub const fn new(entries: [E; 2]) -> Self {
        Self(entries)
    }

    pub const fn at(&self, place: usize) -> &E {
        &self.0[place]
    }
}

tuner_core::traced!();
