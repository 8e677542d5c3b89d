//! Signs of pieces and digits in Japanese notation.

use crate::PieceType;

/// Wide digits, by their value.
pub(crate) const WIDE: &str = "０１２３４５６７８９";
/// Japanese digits, by their value.
pub(crate) const KANJI: &str = "〇一二三四五六七八九";

/// Names of pieces, longer ones first.
pub(crate) const PIECES: [(&str, PieceType); 24] = [
    ("成香", PieceType::PromotedLance),
    ("成桂", PieceType::PromotedKnight),
    ("成銀", PieceType::PromotedSilver),
    ("成歩", PieceType::Tokin),
    ("成角", PieceType::Horse),
    ("成飛", PieceType::Dragon),
    ("歩", PieceType::Pawn),
    ("香", PieceType::Lance),
    ("桂", PieceType::Knight),
    ("銀", PieceType::Silver),
    ("金", PieceType::Gold),
    ("角", PieceType::Bishop),
    ("飛", PieceType::Rook),
    ("玉", PieceType::King),
    ("王", PieceType::King),
    ("と", PieceType::Tokin),
    ("杏", PieceType::PromotedLance),
    ("仝", PieceType::PromotedLance),
    ("圭", PieceType::PromotedKnight),
    ("今", PieceType::PromotedKnight),
    ("全", PieceType::PromotedSilver),
    ("馬", PieceType::Horse),
    ("龍", PieceType::Dragon),
    ("竜", PieceType::Dragon),
];

/// Returns the Japanese name of a piece as moves have it: two signs for a promoted lance, knight or
/// silver, one for all others.
pub(crate) fn name(kind: PieceType) -> &'static str {
    match kind {
        PieceType::PromotedLance => "成香",
        PieceType::PromotedKnight => "成桂",
        PieceType::PromotedSilver => "成銀",
        other => sign(other),
    }
}

/// Returns the Japanese name of a piece in one sign, as diagrams have it.
pub(crate) fn sign(kind: PieceType) -> &'static str {
    let is_it = |(name, of): &&(&str, PieceType)| *of == kind && name.chars().count() == 1;
    // Every kind has such a name.
    PIECES.iter().find(is_it).map_or("", |(name, _)| name)
}
