// A position, read from FEN, and the attacks of its pieces.
#ifndef POSITION_HPP
#define POSITION_HPP

#include <cstdint>
#include <string>

using Bitboard = std::uint64_t; // a1 is bit 0, h8 bit 63

enum Color { WHITE, BLACK };
enum Piece { PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING };

struct Position {
    Bitboard pieces[6] = {}, colors[2] = {};
    Color to_move = WHITE;

    // Throws std::invalid_argument with what is wrong.
    explicit Position(const std::string &fen);

    Bitboard of(Color color, Piece piece) const { return colors[color] & pieces[piece]; }
    Bitboard occupied() const { return colors[WHITE] | colors[BLACK]; }
};

inline Color operator~(Color color) { return Color(color ^ 1); }
inline int count(Bitboard squares) {
    int n = 0;
    for (; squares; squares &= squares - 1) ++n;
    return n;
}
// Takes the first square out.
int pop(Bitboard &squares);

// Squares that a piece other than a pawn attacks.
Bitboard attacks(Piece piece, int square, Bitboard occupied);
Bitboard pawn_attacks(Color color, Bitboard pawns);

constexpr Bitboard FILE_A = 0x0101010101010101;
constexpr Bitboard file_of(int square) { return FILE_A << (square & 7); }
constexpr Bitboard west(Bitboard b) { return (b & ~FILE_A) >> 1; }
constexpr Bitboard east(Bitboard b) { return (b << 1) & ~FILE_A; }

#endif
