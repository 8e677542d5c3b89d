/// The pieces of one player, as sets of squares (a1 is bit 0, h8 bit 63).
#[derive(Clone, Copy, Debug, Default)]
pub struct Side {
    pub pawns: u64,
    pub knights: u64,
    pub bishops: u64,
    pub rooks: u64,
    pub queens: u64,
    pub king: u64,
}

impl Side {
    /// The pieces on the board with its ranks reversed: what Black sees.
    pub fn turned(self) -> Side {
        Side {
            pawns: self.pawns.swap_bytes(),
            knights: self.knights.swap_bytes(),
            bishops: self.bishops.swap_bytes(),
            rooks: self.rooks.swap_bytes(),
            queens: self.queens.swap_bytes(),
            king: self.king.swap_bytes(),
        }
    }
}

/// The squares of `b` moved by one rank toward the eighth; those of the eighth are gone.
pub fn up(b: u64) -> u64 {
    b << 8
}

/// The squares of `b` moved by one rank toward the first; those of the first are gone.
pub fn down(b: u64) -> u64 {
    b >> 8
}

/// The squares of `b` moved by one file toward the a-file; those of the a-file are gone.
pub fn left(b: u64) -> u64 {
    (b & 0xfefe_fefe_fefe_fefe) >> 1
}

/// The squares of `b` moved by one file toward the h-file; those of the h-file are gone.
pub fn right(b: u64) -> u64 {
    (b & 0x7f7f_7f7f_7f7f_7f7f) << 1
}

/// The squares to the left and to the right of those of `b`.
pub fn beside(b: u64) -> u64 {
    left(b) | right(b)
}

/// The squares of `b` and all squares above them on their files.
pub fn fill_up(mut b: u64) -> u64 {
    b |= b << 8;
    b |= b << 16;
    b | b << 32
}

/// The squares of `b` and all squares below them on their files.
pub fn fill_down(mut b: u64) -> u64 {
    b |= b >> 8;
    b |= b >> 16;
    b | b >> 32
}

/// All squares of the files on which `b` has a square.
pub fn files(b: u64) -> u64 {
    fill_up(b) | fill_down(b)
}

/// All dark squares if a square of `b` is dark, and all light ones if one is light.
pub fn same_colour(b: u64) -> u64 {
    let dark = 0xaa55_aa55_aa55_aa55;
    (if b & dark != 0 { dark } else { 0 }) | (if b & !dark != 0 { !dark } else { 0 })
}

/// The squares that pieces reach by steps of one direction: each goes up to the first occupied
/// square, which it reaches, too.
fn ray(b: u64, occupied: u64, step: impl Fn(u64) -> u64) -> u64 {
    let mut at = step(b);
    let mut reached = 0;
    while at != 0 {
        reached |= at;
        at = step(at & !occupied);
    }
    reached
}

/// The squares that knights attack, all of them together. Nothing is in their way: `_occupied` is
/// there so that the attacks of all pieces are functions of one type.
pub fn knight(b: u64, _occupied: u64) -> u64 {
    // Two ranks up or down and a file aside, or a rank up or down and two files aside.
    let (near, far) = (beside(b), left(left(b)) | right(right(b)));
    near << 16 | near >> 16 | far << 8 | far >> 8
}

/// The squares that bishops attack, all of them together, over a board with these squares occupied.
pub fn bishop(b: u64, occupied: u64) -> u64 {
    ray(b, occupied, |b| up(left(b)))
        | ray(b, occupied, |b| up(right(b)))
        | ray(b, occupied, |b| down(left(b)))
        | ray(b, occupied, |b| down(right(b)))
}

/// The squares that rooks attack, all of them together, over a board with these squares occupied.
pub fn rook(b: u64, occupied: u64) -> u64 {
    ray(b, occupied, up) | ray(b, occupied, down) | ray(b, occupied, left) | ray(b, occupied, right)
}

/// The squares that queens attack, all of them together, over a board with these squares occupied.
pub fn queen(b: u64, occupied: u64) -> u64 {
    bishop(b, occupied) | rook(b, occupied)
}

/// The squares around those of `b`, without these: what a king attacks. Nothing is in its way:
/// `_occupied` is there so that the attacks of all pieces are functions of one type.
pub fn king(b: u64, _occupied: u64) -> u64 {
    let row = b | beside(b);
    (row | up(row) | down(row)) & !b
}

/// How many squares are in `b`.
pub fn count(b: u64) -> i32 {
    b.count_ones() as i32
}

/// 1 if `count` is `least` or more, else 0.
pub fn at_least(count: i32, least: i32) -> i32 {
    i32::from(count >= least)
}

/// How many of `squares` each of the pieces attacks by itself, added up over the pieces.
pub fn reach(mut pieces: u64, squares: u64, occupied: u64, attacks: fn(u64, u64) -> u64) -> i32 {
    let mut sum = 0;
    while pieces != 0 {
        sum += count(attacks(pieces & pieces.wrapping_neg(), occupied) & squares);
        pieces &= pieces - 1;
    }
    sum
}

/// The distances of the squares of `b` from the square `from`, in moves of a king, added up. `near`
/// are the squares that it comes to in so many moves; each square of `b` counts 1 for each number
/// of moves, from 0, in which it is not among them.
pub fn distance(b: u64, from: u64) -> i32 {
    let (mut near, mut sum) = (from, 0);
    while b & !near != 0 && near != 0 {
        sum += count(b & !near);
        // Nothing is in a king's way, so that the occupied squares, here 0, do not matter.
        near |= king(near, 0);
    }
    sum
}
