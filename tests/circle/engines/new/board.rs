//! How many men of each kind White has more.

#[derive(Clone, Debug)]
pub struct Board {
    pub more: [i32; 5],
}

impl Board {
    pub fn from_fen(fen: &str) -> Option<Self> {
        let men = fen.split(' ').next()?;
        let count = |man: char| men.chars().filter(|c| *c == man).count() as i32;
        let more = |man: char| count(man.to_ascii_uppercase()) - count(man);
        men.contains('/').then(|| Self { more: ['p', 'n', 'b', 'r', 'q'].map(more) })
    }
}
