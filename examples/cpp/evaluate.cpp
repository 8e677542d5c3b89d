#include "evaluate.hpp"

#include <algorithm>

#include "weights.hpp"

namespace {

// What a side's pieces do next to the king of the other.
struct Attack {
    Value sum = 0;
    int pieces = 0;
};

template <Color Us> int from_own_side(int square) { return Us == WHITE ? square : square ^ 56; }

template <Color Us> Bitboard ahead_of(int square) {
    const int rank = square / 8;
    if (Us == WHITE) return rank == 7 ? 0 : ~Bitboard(0) << (8 * (rank + 1));
    return (Bitboard(1) << (8 * rank)) - 1;
}

template <Color Us> Score pawns(const Position &position) {
    const Bitboard own = position.of(Us, PAWN), other = position.of(~Us, PAWN);
    Score score = 0;
    for (Bitboard left = own; left;) {
        const int square = pop(left);
        const Bitboard file = file_of(square), sides = west(file) | east(file), ahead = ahead_of<Us>(square);
        if (own & file & ahead) score += DOUBLED;
        if (!(own & sides)) score += ISOLATED;
        if (!((other & (file | sides)) & ahead)) score += PASSED[from_own_side<Us>(square) / 8];
    }
    return score;
}

template <Color Us> Score pieces(const Position &position, Attack &attack) {
    Bitboard king = position.of(~Us, KING);
    const Bitboard zone = attacks(KING, pop(king), 0);
    const Bitboard safe = ~(position.colors[Us] | pawn_attacks(~Us, position.of(~Us, PAWN)));
    Score score = 0;
    for (int piece = PAWN; piece <= KING; ++piece) {
        for (Bitboard left = position.of(Us, Piece(piece)); left;) {
            const int square = pop(left);
            score += MATERIAL[piece] + PST[piece][from_own_side<Us>(square)];
            if (piece == PAWN || piece == KING) continue;
            const Bitboard reached = attacks(Piece(piece), square, position.occupied());
            score += MOBILITY[piece - 1] * count(reached & safe);
            if (reached & zone) {
                attack.sum += KING_ATTACK[piece - 1] * count(reached & zone);
                ++attack.pieces;
            }
        }
    }
    if (count(position.of(Us, BISHOP)) >= 2) score += BISHOP_PAIR;
    return score;
}

// A single piece gives no mate; the danger of several grows with the square.
Score danger(const Attack &attack) {
    const Value danger = attack.sum * std::min(attack.pieces, 4) / 2 - HARMLESS;
    if (attack.pieces < 2 || danger <= 0) return 0;
    return S(std::min(danger * danger / 128, Value(500)), danger / 8);
}

} // namespace

Value evaluate(const Position &position) {
    Attack white, black;
    Score score = pieces<WHITE>(position, white) - pieces<BLACK>(position, black);
    score += pawns<WHITE>(position) - pawns<BLACK>(position);
    score += danger(white) - danger(black);
    score += position.to_move == WHITE ? TEMPO : -TEMPO;

    const int phase = std::min(24, count(position.pieces[KNIGHT] | position.pieces[BISHOP]) + 2 * count(position.pieces[ROOK]) +
                                       4 * count(position.pieces[QUEEN]));
    const Value value = (mg_value(score) * phase + eg_value(score) * (24 - phase)) / 24;
    return position.to_move == WHITE ? value : -value;
}
