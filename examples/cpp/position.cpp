#include "position.hpp"

#include <sstream>
#include <stdexcept>

Position::Position(const std::string &fen) {
    std::istringstream words(fen);
    std::string board, side;
    words >> board >> side;
    int rank = 7, file = 0;
    for (char c : board) {
        const std::size_t piece = std::string("PNBRQKpnbrqk").find(c);
        if (c == '/' && file == 8 && rank > 0) {
            --rank;
            file = 0;
        } else if (c >= '1' && c <= '8' && file + (c - '0') <= 8) {
            file += c - '0';
        } else if (piece != std::string::npos && file < 8) {
            const Bitboard square = Bitboard(1) << (8 * rank + file++);
            pieces[piece % 6] |= square;
            colors[piece / 6] |= square;
        } else {
            throw std::invalid_argument(std::string("found '") + c + "' in the board of `" + fen + "`");
        }
    }
    if (rank != 0 || file != 8) throw std::invalid_argument("found no 8 rows of 8 squares in `" + fen + "`");
    if (side != "w" && side != "b") throw std::invalid_argument("found no side to move, `w` or `b`, in `" + fen + "`");
    if (count(of(WHITE, KING)) != 1 || count(of(BLACK, KING)) != 1) throw std::invalid_argument("expected a king of each side in `" + fen + "`");
    to_move = side == "w" ? WHITE : BLACK;
}

int pop(Bitboard &squares) {
    int square = 0;
    for (Bitboard low = squares & (~squares + 1); low >>= 1;) ++square;
    squares &= squares - 1;
    return square;
}

Bitboard attacks(Piece piece, int square, Bitboard occupied) {
    static constexpr int STEPS[16][2] = {{0, 1}, {0, -1}, {1, 0}, {-1, 0}, {1, 1}, {1, -1}, {-1, 1}, {-1, -1},
                                         {1, 2}, {2, 1}, {2, -1}, {1, -2}, {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}};
    const int first = piece == KNIGHT ? 8 : piece == BISHOP ? 4 : 0;
    const int last = piece == KNIGHT ? 16 : piece == ROOK ? 4 : 8;
    Bitboard reached = 0;
    for (int i = first; i < last; ++i) {
        int rank = square / 8 + STEPS[i][0], file = square % 8 + STEPS[i][1];
        while (rank >= 0 && rank < 8 && file >= 0 && file < 8) {
            const Bitboard to = Bitboard(1) << (8 * rank + file);
            reached |= to;
            if ((to & occupied) || piece == KNIGHT || piece == KING) break;
            rank += STEPS[i][0];
            file += STEPS[i][1];
        }
    }
    return reached;
}

Bitboard pawn_attacks(Color color, Bitboard pawns) {
    const Bitboard ahead = color == WHITE ? pawns << 8 : pawns >> 8;
    return west(ahead) | east(ahead);
}
