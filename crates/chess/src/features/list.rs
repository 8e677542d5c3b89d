//! The features of chess, by combination: pieces and shapes of pawns on places, what pieces
//! reach and threaten, kings, and pairs of counts.

use super::tree::{Forest, NodeId};

/// A feature: the count of White's minus that of Black's.
#[derive(Debug)]
pub(super) struct Feature {
    /// English, of one's own pieces: "rooks on open files".
    pub(super) words: String,
    /// The expression that counts it for one player.
    pub(super) text: String,
    /// The node of the expression.
    pub(super) count: NodeId,
}

/// Words, or a name, and the expression of a set of squares.
type Part = (&'static str, &'static str);

/// Sets of squares by name; an expression may name those before it. The board is seen by `us`,
/// whose pawns move up.
#[rustfmt::skip] // a row each
pub(super) const SETS: [Part; 61] = [
    ("ours", "us.pawns | us.knights | us.bishops | us.rooks | us.queens | us.king"),
    ("theirs", "them.pawns | them.knights | them.bishops | them.rooks | them.queens | them.king"),
    ("occupied", "ours | theirs"),
    ("our_pawn_attacks", "beside(up(us.pawns))"),
    ("their_pawn_attacks", "beside(down(them.pawns))"),
    ("our_lines", "bishop(us.bishops | us.queens, occupied) | rook(us.rooks | us.queens, occupied)"),
    ("our_attacks", "our_pawn_attacks | knight(us.knights, occupied) | king(us.king, occupied) | our_lines"),
    ("their_minor_attacks", "knight(them.knights, occupied) | bishop(them.bishops, occupied)"),
    ("their_lines", "bishop(them.queens, occupied) | rook(them.rooks | them.queens, occupied)"),
    ("their_attacks", "their_pawn_attacks | their_minor_attacks | king(them.king, occupied) | their_lines"),
    ("our_zone", "us.king | king(us.king, occupied)"),
    ("their_zone", "them.king | king(them.king, occupied)"),
    ("centre", "0x0000001818000000"),
    ("wide_centre", "0x00003c3c3c3c0000"),
    ("edge", "0x8181818181818181"),
    ("middle_files", "0x1818181818181818"),
    ("their_half", "0xffffffff00000000"),
    ("rank_1", "0x00000000000000ff"),
    ("rank_2", "0x000000000000ff00"),
    ("rank_4", "0x00000000ff000000"),
    ("rank_5", "0x000000ff00000000"),
    ("rank_6", "0x0000ff0000000000"),
    ("rank_7", "0x00ff000000000000"),
    // Pawns.
    ("their_front", "fill_down(down(them.pawns))"),
    ("their_span", "beside(their_front)"),
    ("passed", "us.pawns & !(their_front | their_span | fill_down(down(us.pawns)))"),
    ("isolated", "us.pawns & !beside(files(us.pawns))"),
    ("doubled", "us.pawns & fill_up(up(us.pawns))"),
    ("backward", "us.pawns & down(their_pawn_attacks) & !(beside(fill_up(us.pawns)) | isolated)"),
    ("supported", "us.pawns & our_pawn_attacks"),
    ("phalanx", "us.pawns & beside(us.pawns)"),
    ("candidate", "us.pawns & !(their_front | passed)"),
    ("way", "fill_up(up(passed))"),
    ("met", "down(them.pawns)"),
    ("blocked", "down(theirs)"),
    ("can_advance", "down(!(their_attacks | occupied))"),
    ("before_our_rooks", "fill_up(us.rooks)"),
    ("before_their_rooks", "fill_up(them.rooks)"),
    ("bishop_colour", "same_colour(us.bishops)"),
    ("free_files", "!files(them.pawns)"),
    // Pieces.
    ("hanging", "their_attacks & !our_attacks"),
    ("open", "!files(us.pawns | them.pawns)"),
    ("half_open", "files(them.pawns) & !files(us.pawns)"),
    ("hole", "0x0000ffffff000000 & !their_span"),
    ("outpost", "hole & our_pawn_attacks"),
    ("behind_pawns", "down(us.pawns)"),
    ("behind_passed", "fill_down(down(passed))"),
    ("king_file", "files(them.king)"),
    ("beside_king_file", "beside(king_file)"),
    ("queen_file", "files(them.queens)"),
    ("pushed", "up(us.pawns) & !(occupied | their_attacks)"),
    ("undefended", "theirs & !their_attacks"),
    ("space", "0x000000003c3c3c00 & !(their_pawn_attacks | us.pawns)"),
    // What is reached.
    ("not_ours", "!ours"),
    ("safe", "!(ours | their_pawn_attacks)"),
    ("unattacked", "!(ours | their_attacks)"),
    ("far_safe", "their_half & safe"),
    ("weak", "theirs & !their_pawn_attacks"),
    // Kings.
    ("king_front", "up(us.king | beside(us.king))"),
    ("king_files", "files(us.king | beside(us.king))"),
    ("storm", "them.pawns & king_files"),
];

/// The kinds of pieces, with the set of one's own. They are combined with places, with what they
/// reach and threaten, and with each other.
const PIECES: [Part; 6] = [
    ("pawns", "us.pawns"),
    ("knights", "us.knights"),
    ("bishops", "us.bishops"),
    ("rooks", "us.rooks"),
    ("queens", "us.queens"),
    ("the king", "us.king"),
];

/// Kinds of pawns, each counted on all [`PLACES_OF_PAWNS`].
const SHAPES: [Part; 8] = [
    ("pawns", "us.pawns"),
    ("passed pawns", "passed"),
    ("isolated pawns", "isolated"),
    ("doubled pawns", "doubled"),
    ("backward pawns", "backward"),
    ("pawns defended by pawns", "supported"),
    ("pawns beside pawns", "phalanx"),
    ("half-passed pawns", "candidate"),
];

/// Squares on which each kind of pawns is counted.
const PLACES_OF_PAWNS: [Part; 16] = [
    ("on the middle files", "middle_files"),
    ("on edge files", "edge"),
    ("met by a pawn", "met"),
    ("blocked by a piece", "blocked"),
    ("attacked and not defended", "hanging"),
    ("attacked by pawns", "their_pawn_attacks"),
    ("that can advance safely", "can_advance"),
    ("before an own rook", "before_our_rooks"),
    ("before a rook of theirs", "before_their_rooks"),
    ("on the colour of own bishops", "bishop_colour"),
    ("on files without pawns of theirs", "free_files"),
    ("on rank 2", "rank_2"),
    ("on rank 4", "rank_4"),
    ("on rank 5", "rank_5"),
    ("on rank 6", "rank_6"),
    ("on rank 7", "rank_7"),
];

/// Squares on which knights, bishops, rooks, queens and the king are counted.
const PLACES_OF_PIECES: [Part; 22] = [
    ("on open files", "open"),
    ("on half-open files", "half_open"),
    ("on rank 1", "rank_1"),
    ("on rank 7", "rank_7"),
    ("in their half", "their_half"),
    ("in the centre", "centre"),
    ("in the wide centre", "wide_centre"),
    ("on edge files", "edge"),
    ("attacked by pawns", "their_pawn_attacks"),
    ("attacked by minor pieces", "their_minor_attacks"),
    ("attacked and not defended", "hanging"),
    ("defended by pawns", "our_pawn_attacks"),
    ("on outposts", "outpost"),
    ("on squares that no pawn of theirs can attack", "hole"),
    ("behind own pawns", "behind_pawns"),
    ("behind passed pawns", "behind_passed"),
    ("before pawns of theirs", "met"),
    ("on the file of their king", "king_file"),
    ("beside the file of their king", "beside_king_file"),
    ("on the file of their queen", "queen_file"),
    ("near their king", "their_zone"),
    ("near the own king", "our_zone"),
];

/// Squares of which it is counted how many a piece attacks.
const REACHED: [Part; 9] = [
    ("squares", "not_ours"),
    ("squares safe from pawns", "safe"),
    ("squares that nothing attacks", "unattacked"),
    ("safe squares in their half", "far_safe"),
    ("squares of the centre", "centre"),
    ("squares near their king", "their_zone"),
    ("squares near the own king", "our_zone"),
    ("pieces that no pawn defends", "weak"),
    ("own pieces", "ours"),
];

/// Pieces of the other player, of which it is counted how many are attacked.
const THREATENED: [Part; 6] = [
    ("pawns", "them.pawns"),
    ("knights", "them.knights"),
    ("bishops", "them.bishops"),
    ("rooks", "them.rooks"),
    ("queens", "them.queens"),
    ("undefended pieces", "undefended"),
];

/// Sets whose squares are counted, each a feature by itself.
#[rustfmt::skip] // a row each
const COUNTED: [Part; 16] = [
    ("squares before passed pawns that they do not attack", "way & !their_attacks"),
    ("squares before passed pawns that are defended", "way & our_attacks"),
    ("safe squares of the own centre", "space"),
    ("safe squares of the own centre behind pawns", "space & fill_down(us.pawns)"),
    ("centre squares attacked by pawns", "centre & our_pawn_attacks"),
    ("squares attacked by own pieces", "our_attacks"),
    ("squares attacked by own pieces alone", "our_attacks & !their_attacks"),
    ("pawns right before the own king", "us.pawns & king_front"),
    ("pawns two ranks before the own king", "us.pawns & up(king_front)"),
    ("pawns of theirs on the files of the own king", "storm"),
    ("pawns of theirs near the own king", "storm & 0x00000000ffffff00"),
    ("files near the own king without own pawns", "rank_1 & king_files & !files(us.pawns)"),
    ("squares near their king attacked by own pieces", "our_attacks & their_zone"),
    ("squares near their king attacked without a pawn's defence", "our_attacks & their_zone & !their_pawn_attacks"),
    ("squares near their king that nothing defends", "their_zone & !their_attacks"),
    ("squares from where a queen checks their king", "queen(them.king, occupied)"),
];

/// Features that are not the count of one set: words, and the whole expression.
#[rustfmt::skip] // a row each
const FURTHER: [Part; 9] = [
    ("distances of the own king to the centre", "distance(centre, us.king)"),
    ("two knights or more", "at_least(count(us.knights), 2)"),
    ("two bishops or more", "at_least(count(us.bishops), 2)"),
    ("two rooks or more", "at_least(count(us.rooks), 2)"),
    ("passed pawns, squared", "count(passed) * count(passed)"),
    ("passed pawns, with a queen", "count(passed) * at_least(count(us.queens), 1)"),
    ("squares near their king attacked, squared", "count(our_attacks & their_zone) * count(our_attacks & their_zone)"),
    ("squares near their king attacked, with a queen", "count(our_attacks & their_zone) * at_least(count(us.queens), 1)"),
    ("squares near their king attacked, with a rook", "count(our_attacks & their_zone) * at_least(count(us.rooks), 1)"),
];

/// Returns all features of chess, and the forest of expressions that count them. An expression that
/// cannot be read is left out, and so is a feature that counts the same as an earlier one.
pub(super) fn all() -> (Forest, Vec<Feature>) {
    let mut forest = Forest::default();
    for (name, text) in SETS {
        let _ = forest.name(name, text);
    }
    let mut features: Vec<Feature> = Vec::new();
    for (words, text) in texts() {
        let Some(count) = forest.read(&text) else {
            continue;
        };
        if features.iter().all(|feature| feature.count != count) {
            features.push(Feature { words, text, count });
        }
    }
    (forest, features)
}

/// Returns the words of all features of chess, such as "rooks on open files", and the expression
/// that counts each for one player. They are combined from tables of words and sets of squares.
/// Some are there twice, as pawns are among the kinds of pawns and among the pieces; the caller
/// leaves out the second.
pub(super) fn texts() -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = Vec::new();
    let mut add = |words: String, text: String| all.push((words, text));
    // Features with an expression of their own, then sets whose squares are counted.
    for (words, text) in FURTHER {
        add(words.to_owned(), text.to_owned());
    }
    for (words, set) in COUNTED {
        add(words.to_owned(), format!("count({set})"));
    }
    // Kinds of pawns and of pieces, but kings: how many there are, and how far they are from both
    // kings.
    for (words, set) in SHAPES.iter().chain(&PIECES[..5]) {
        add((*words).to_owned(), format!("count({set})"));
        let text = format!("distance({set}, us.king)");
        add(format!("distances of {words} to the own king"), text);
        let text = format!("distance({set}, them.king)");
        add(format!("distances of {words} to their king"), text);
    }
    // How many of each kind are on squares of certain sorts: kinds of pawns, then all pieces but
    // pawns.
    let places = [
        (&SHAPES[..], &PLACES_OF_PAWNS[..]),
        (&PIECES[1..], &PLACES_OF_PIECES),
    ];
    for (parts, places) in places {
        for (words, set) in parts {
            for (place, squares) in places {
                let text = format!("count({set} & {squares})");
                add(format!("{words} {place}"), text);
            }
        }
    }
    // All pieces but pawns: the squares that they reach, the pieces that they attack, and from
    // where they could give check. Then what pawns attack.
    let attacks = ["knight", "bishop", "rook", "queen", "king"];
    for ((words, set), attacks) in PIECES[1..].iter().zip(attacks) {
        for (reached, squares) in REACHED {
            let text = format!("reach({set}, {squares}, occupied, {attacks})");
            add(format!("{reached} attacked by {words}"), text);
        }
        for (target, theirs) in THREATENED {
            let text = format!("count({theirs} & {attacks}({set}, occupied))");
            add(format!("{target} of theirs attacked by {words}"), text);
        }
        if attacks != "king" {
            let from =
                format!("{attacks}(them.king, occupied) & {attacks}({set}, occupied) & !ours");
            add(format!("checks by {words}"), format!("count({from})"));
            let safe = format!("count({from} & !their_attacks)");
            add(format!("safe checks by {words}"), safe);
        }
    }
    for (target, theirs) in THREATENED {
        let text = format!("count({theirs} & our_pawn_attacks)");
        add(format!("{target} of theirs attacked by pawns"), text);
        let text = format!("count({theirs} & beside(up(pushed)))");
        let pushed = format!("{target} of theirs attacked by a safe push of a pawn");
        add(pushed, text);
    }
    all.extend(products());
    all
}

/// Returns the words and expressions of products: of the numbers of two kinds of pieces, but kings,
/// both of one player or one of each, and of such a number and the number of passed pawns, or of
/// attacked squares near the other king.
fn products() -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = Vec::new();
    let mut add = |words: String, text: String| all.push((words, text));
    for (first, (words, set)) in PIECES[..5].iter().enumerate() {
        // From this kind on, so that each pair of kinds is there once.
        for (other, others) in &PIECES[first..5] {
            let text = format!("count({set}) * count({others})");
            add(format!("{words} times {other}"), text);
            // Of one kind the product is the same for both players, and the difference 0.
            if words != other {
                let theirs = others.replace("us.", "them.");
                let text = format!("count({set}) * count({theirs})");
                add(format!("{words} times {other} of theirs"), text);
            }
        }
        let near_king = (
            "squares near their king attacked",
            "our_attacks & their_zone",
        );
        for (other, others) in [("passed pawns", "passed"), near_king] {
            let text = format!("count({others}) * count({set})");
            add(format!("{other} times {words}"), text);
        }
    }
    all
}
