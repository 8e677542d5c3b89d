// An evaluation as engines write theirs whose scores are enums: packed `Score`, `Value`, pairs by
// `make_score`, templates on the color, an enum and an index that come from scores. Compiled with
// plain numbers it prints the score of each FEN on standard input; -DTUNED includes the header of
// a fit. Under -DTUNE it is the evaluator.
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <string>

#ifdef TUNE
#include "tuner.hpp"
using Value = tuner::Int;
using Score = tuner::Pair;
#define make_score(mg, eg) Score(mg, eg)
inline Value mg_value(const Score &s) { return tuner::mg(s); }
inline Value eg_value(const Score &s) { return tuner::eg(s); }
using tuner::frozen;
const Score SCORE_ZERO = Score(0, 0);
#else
#define TUNER_TABLE(name)
enum Value : int { VALUE_ZERO };
enum Score : int { SCORE_ZERO };
constexpr Score make_score(int mg, int eg) { return Score(int(unsigned(eg) << 16) + mg); }
inline Value mg_value(Score s) { return Value(std::int16_t(std::uint16_t(unsigned(s)))); }
inline Value eg_value(Score s) { return Value(std::int16_t(std::uint16_t(unsigned(s + 0x8000) >> 16))); }
#define OPERATORS(T) \
    constexpr T operator+(T a, T b) { return T(int(a) + int(b)); } \
    constexpr T operator-(T a, T b) { return T(int(a) - int(b)); } \
    constexpr T operator-(T a) { return T(-int(a)); } \
    constexpr T operator*(T a, int n) { return T(int(a) * n); } \
    [[maybe_unused]] inline T &operator+=(T &a, T b) { return a = a + b; } \
    [[maybe_unused]] inline T &operator-=(T &a, T b) { return a = a - b; }
OPERATORS(Value)
OPERATORS(Score)
constexpr Value operator/(Value a, int n) { return Value(int(a) / n); }
#define frozen(x) (x)
#endif

namespace { // so that both compilations fit into a program
template <class T> constexpr const T &clamp(const T &v, const T &low, const T &high) { return v < low ? low : v > high ? high : v; }
enum Color { WHITE, BLACK };
enum PieceType { PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING, PIECE_TYPES };
enum Phase { ENDGAME, MIDGAME = 128 };
enum Scale { DRAWN = 0, NORMAL = 64 };

#define S(mg, eg) make_score(mg, eg)
#define V Value
#ifdef TUNED
typedef Score S;
#include "tuned_weights.hpp"
using namespace tuned;
#else
constexpr Score pieceBonus[PIECE_TYPES] = {S(82, 94), S(337, 281), S(365, 297), S(477, 512), S(1025, 936)};
TUNER_TABLE(pieceBonus)
constexpr Score Advanced[2][4] = {{S(0, 4), S(-3, 2)}, {S(5, 9), S(2, 2), S(7, -7), S(1, 0)}};
TUNER_TABLE(Advanced)
constexpr Value Shelter[5] = {V(-20), V(5), V(17), V(30), V(38)};
TUNER_TABLE(Shelter)
constexpr Value npmLimit[2] = {V(915), V(6258)};
TUNER_TABLE(npmLimit)
constexpr Score Tempo = S(12, 6);
TUNER_TABLE(Tempo)
#endif
#undef V

Value NonPawn[PIECE_TYPES]; // computed from weights
void fill() {
    for (int piece = KNIGHT; piece < KING; ++piece) NonPawn[piece] = mg_value(Score(pieceBonus[piece]));
}

struct Counts {
    int pieces[2][PIECE_TYPES] = {}, advanced[2][4] = {};
    Color to_move = WHITE;
    explicit Counts(const std::string &fen) {
        int rank = 7;
        for (char c : fen.substr(0, fen.find(' '))) {
            const std::size_t piece = std::string("PNBRQKpnbrqk").find(c);
            if (c == '/') --rank;
            if (piece >= 12) continue;
            const Color color = piece < 6 ? WHITE : BLACK;
            ++pieces[color][piece % 6];
            if (piece % 6 == PAWN) ++advanced[color][(color == WHITE ? rank : 7 - rank) / 2];
        }
        if (fen.find(" b ") != std::string::npos) to_move = BLACK;
    }
};

struct Entry { // as of a hash table
    Score scores[2];
    Phase phase = ENDGAME;
};

template <Color Us> Score side(const Counts &counts) {
    constexpr Color Them = Us == WHITE ? BLACK : WHITE;
    Score score = SCORE_ZERO;
    for (int piece = PAWN; piece < KING; ++piece) score += Score(pieceBonus[piece]) * counts.pieces[Us][piece];
    const int many = counts.pieces[Them][PAWN] > 4;
    for (int i = 0; i < 4; ++i) score += Score(Advanced[many][i]) * counts.advanced[Us][i];
    const Value danger = Value(Shelter[std::min(4, counts.advanced[Us][0])]) * 3 - Value(counts.pieces[Them][QUEEN] * 40);
    score += make_score(danger / 2, 0);
    return danger < Value(0) ? score - make_score(0, danger / 8) : score;
}

Scale scale(const Counts &counts, Value eg) {
    switch (counts.pieces[eg > Value(0) ? WHITE : BLACK][PAWN]) {
    case 0: return Scale(NORMAL / 2);
    default: return NORMAL;
    }
}
} // namespace

Value evaluate(const std::string &fen) {
    const Counts counts(fen);
    Entry entry{{side<WHITE>(counts), side<BLACK>(counts)}};
    Value npm = Value(0);
    for (int piece = KNIGHT; piece < KING; ++piece) npm += NonPawn[piece] * (counts.pieces[WHITE][piece] + counts.pieces[BLACK][piece]);
    npm = clamp(npm, Value(npmLimit[0]), Value(npmLimit[1]));
    entry.phase = Phase(((npm - Value(npmLimit[0])) * MIDGAME) / int(5343));
    Score score = entry.scores[WHITE] - entry.scores[BLACK];
    score += counts.to_move == WHITE ? Score(Tempo) : -Score(Tempo);
    const Value mg = mg_value(score), eg = eg_value(score);
    static const int drawish[5] = {0, 0, 1, 2, 2}; // an index that is a score
    const int less = drawish[frozen(clamp(eg / 100, Value(-2), Value(2)) + Value(2))];
    Value v = mg * int(entry.phase) + eg * (MIDGAME - entry.phase) * scale(counts, eg) / NORMAL;
    v = v / MIDGAME - Value(less);
    return counts.to_move == WHITE ? v : -v;
}

#ifdef TUNE
int production(const std::string &fen);
int main(int, char **argv) {
    tuner::Engine<const std::string> engine;
    engine.name = "enums";
    engine.read = [](const std::string &fen) { return fen; };
    engine.evaluate = evaluate;
    engine.derive = fill;
    engine.production = [](const std::string &fen) { return production(fen); };
    return engine.serve(argv[0]);
}
#elif defined(LIBRARY)
int production(const std::string &fen) {
    static const bool is_filled = (fill(), true);
    (void)is_filled;
    return evaluate(fen);
}
#else
int main() {
    fill();
    for (std::string fen; std::getline(std::cin, fen);) std::cout << "score " << evaluate(fen) << '\n';
}
#endif
