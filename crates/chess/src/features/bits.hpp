#include <cstdint>

using u64 = std::uint64_t;

/// The pieces of one player, as sets of squares (a1 is bit 0, h8 bit 63).
struct Side {
    u64 pawns, knights, bishops, rooks, queens, king;

    /// The pieces on the board with its ranks reversed: what Black sees.
    Side turned() const {
        auto swap = [](u64 b) {
            u64 swapped = 0;
            for (int rank = 0; rank < 8; ++rank) swapped |= (b >> 8 * rank & 0xff) << 8 * (7 - rank);
            return swapped;
        };
        return {swap(pawns), swap(knights), swap(bishops), swap(rooks), swap(queens), swap(king)};
    }
};

/// The squares of `b` moved by one rank or file; those that leave the board are gone.
inline u64 up(u64 b) { return b << 8; }
inline u64 down(u64 b) { return b >> 8; }
inline u64 left(u64 b) { return (b & 0xfefefefefefefefe) >> 1; }
inline u64 right(u64 b) { return (b & 0x7f7f7f7f7f7f7f7f) << 1; }
/// The squares to the left and to the right of those of `b`.
inline u64 beside(u64 b) { return left(b) | right(b); }

/// The squares of `b` and all squares above, or below, them on their files.
inline u64 fill_up(u64 b) { b |= b << 8; b |= b << 16; return b | b << 32; }
inline u64 fill_down(u64 b) { b |= b >> 8; b |= b >> 16; return b | b >> 32; }
/// All squares of the files on which `b` has a square.
inline u64 files(u64 b) { return fill_up(b) | fill_down(b); }

/// All dark squares if a square of `b` is dark, and all light ones if one is light.
inline u64 same_colour(u64 b) {
    const u64 dark = 0xaa55aa55aa55aa55;
    return (b & dark ? dark : 0) | (b & ~dark ? ~dark : 0);
}

template <typename Step>
u64 ray(u64 b, u64 occupied, Step step) {
    u64 at = step(b), reached = 0;
    while (at) {
        reached |= at;
        at = step(at & ~occupied);
    }
    return reached;
}

/// The squares that pieces attack, all of them together.
inline u64 knight(u64 b, u64) {
    // Two ranks up or down and a file aside, or a rank up or down and two files aside.
    const u64 near = beside(b), far = left(left(b)) | right(right(b));
    return near << 16 | near >> 16 | far << 8 | far >> 8;
}
inline u64 bishop(u64 b, u64 occupied) {
    return ray(b, occupied, [](u64 b) { return up(left(b)); })
        | ray(b, occupied, [](u64 b) { return up(right(b)); })
        | ray(b, occupied, [](u64 b) { return down(left(b)); })
        | ray(b, occupied, [](u64 b) { return down(right(b)); });
}
inline u64 rook(u64 b, u64 occupied) {
    return ray(b, occupied, up) | ray(b, occupied, down) | ray(b, occupied, left) | ray(b, occupied, right);
}
inline u64 queen(u64 b, u64 occupied) { return bishop(b, occupied) | rook(b, occupied); }
inline u64 king(u64 b, u64) {
    const u64 row = b | beside(b);
    return (row | up(row) | down(row)) & ~b;
}

inline int count(u64 b) {
    int sum = 0;
    for (; b; b &= b - 1) ++sum;
    return sum;
}

/// 1 if `count` is `least` or more, else 0.
inline int at_least(int count, int least) { return count >= least; }

/// How many of `squares` each of the pieces attacks by itself, added up over the pieces.
inline int reach(u64 pieces, u64 squares, u64 occupied, u64 (*attacks)(u64, u64)) {
    int sum = 0;
    for (; pieces; pieces &= pieces - 1) sum += count(attacks(pieces & -pieces, occupied) & squares);
    return sum;
}

/// The distances of the squares of `b` from the square `from`, in moves of a king, added up. `near`
/// are the squares that it comes to in so many moves; each square of `b` counts 1 for each number
/// of moves, from 0, in which it is not among them.
inline int distance(u64 b, u64 from) {
    u64 near = from;
    int sum = 0;
    while ((b & ~near) && near) {
        sum += count(b & ~near);
        // Nothing is in a king's way, so that the occupied squares, here 0, do not matter.
        near |= king(near, 0);
    }
    return sum;
}
