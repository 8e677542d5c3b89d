// Small evaluations, each written as some engines write theirs. Compiled with plain numbers, and
// under -DTUNE, where a position is the number of an evaluation and eight numbers: "3 1 0 -2 …".
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

#ifdef TUNE
#define TUNER_CASTS
#define TUNER_UPPER eg
#include "tuner.hpp"
using Value = tuner::Int;
using Small = tuner::Num<std::int16_t>;
using Large = tuner::Num<long long>;
using Real = tuner::Real;
using Float = tuner::Num<float>;
using Packed = tuner::Pair;
#define mg_value(s) tuner::mg(s)
#define eg_value(s) tuner::eg(s)
#define make(mg, eg) tuner::Pair(mg, eg)
using tuner::frozen;
#else
using Value = int;
using Small = std::int16_t;
using Large = long long;
using Real = double;
using Float = float;
using Packed = int;
#define mg_value(s) int(std::int16_t(std::uint16_t(unsigned(s))))
#define eg_value(s) int(std::int16_t(std::uint16_t((unsigned(s) + 0x8000) >> 16)))
#define make(mg, eg) (int(unsigned(eg) << 16) + (mg))
#define frozen(x) (x)
#define TUNER_TABLE(name)
#define TUNER_PACKED(name)
#define TUNER_MEMBER(tag, expression)
#endif

#define S(mg, eg) (int(unsigned(eg) << 16) + (mg)) // as in an engine that knows nothing of Tuner

namespace { // so that both compilations fit into a program
struct Input {
    int n[8];
};
enum Color { WHITE, BLACK };
enum Side : int { LEFT = -1, RIGHT = 1 };

namespace packed {
constexpr Packed PAWN_VALUE = S(82, -14);
TUNER_PACKED(PAWN_VALUE)
const Packed KnightTable[2][3] = {{S(-30, 12), S(5, -4), S(17, 8)}, {S(3, 3), S(-9, -21), S(0, 1)}};
TUNER_PACKED(KnightTable)
Value evaluate(const Input &in) {
    Packed eval = 0, other = S(3, -2);
    eval += PAWN_VALUE * in.n[0];
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 3; ++j) eval += in.n[1 + i + j] * KnightTable[i][j];
    eval -= other;
    eval = in.n[3] > 2 ? -eval : eval;
    const int phase = std::abs(in.n[7]) * 16;
    return (mg_value(eval) * (256 - phase) + eg_value(eval) * phase) / 256;
}
} // namespace packed

namespace colors {
constexpr Packed TABLE[2][2][4] = {{{S(10, 20), S(30, 40), S(5, 6), S(7, 8)}, {S(1, 2), S(3, 4), S(-5, 6), S(7, -8)}},
                                   {{S(11, 21), S(31, 41), S(5, 6), S(7, 8)}, {S(9, 2), S(3, 14), S(-5, 6), S(7, -8)}}};
TUNER_PACKED(TABLE)
static const Packed SPACE = S(2, 0);
TUNER_PACKED(SPACE)
template <Color Us, int Offset> Packed side(const Input &in) {
    constexpr Color Them = Us == WHITE ? BLACK : WHITE;
    const Packed *row = TABLE[Us][Them];
    Packed score = 0;
    for (int i = 0; i < 4; i++) score += row[i] * in.n[(i + Offset) % 8];
    const auto &first = TABLE[Us][Us];
    score += first[in.n[0] & 3];
    if (in.n[Offset] > 1) score += SPACE * in.n[1] * in.n[2];
    return score;
}
Value evaluate(const Input &in) {
    const Packed score = side<WHITE, 0>(in) - side<BLACK, 4>(in);
    Value mg = mg_value(score), eg = eg_value(score);
    // The scale of an endgame, by who is ahead.
    const Color strong = eg > 0 ? WHITE : BLACK;
    eg = eg * (strong == WHITE ? 48 : 64) / 64;
    // What is complex counts for who is ahead, and never changes who that is.
    const Value complexity = 9 * in.n[5] - 12;
    mg += ((mg > 0) - (mg < 0)) * std::max(complexity, -std::abs(mg));
    return (mg * 7 + eg * (24 - 7)) / 24;
}
} // namespace colors

namespace structs {
struct Score {
    Value mg, eg;
    Score operator+(const Score &o) const { return {mg + o.mg, eg + o.eg}; }
    Score operator-(const Score &o) const { return {mg - o.mg, eg - o.eg}; }
    Score operator*(int k) const { return {mg * k, eg * k}; }
    Score &operator+=(const Score &o) {
        mg += o.mg;
        eg += o.eg;
        return *this;
    }
};
struct Terms {
    Score tempo;
    Score rookOpen[3];
    Value king_danger;
};
constexpr Terms TERMS = {{7, 3}, {{20, 5}, {10, 6}, {-4, 2}}, 13};
TUNER_MEMBER(danger, TERMS.king_danger)
TUNER_MEMBER(tempo, TERMS.tempo)
TUNER_MEMBER(rook, TERMS.rookOpen)
std::array<std::array<Score, 2>, 2> grid = {{{{{1, 2}, {3, 4}}}, {{{5, 6}, {7, 8}}}}};
TUNER_TABLE(grid)
void add(Score &score, const Score &term, int count) { score += term * count; }
std::pair<Score, int> pieces(const Input &in) {
    Score score = TERMS.tempo;
    for (int i = 0; i < 3; ++i) add(score, TERMS.rookOpen[i], in.n[i]);
    return {score, in.n[3] + in.n[4]};
}
Value evaluate(const Input &in) {
    auto [score, attackers] = pieces(in);
    score += grid[in.n[5] & 1][in.n[6] & 1];
    Value danger = TERMS.king_danger * attackers;
    danger -= 20;
    if (danger > 0 && attackers > 1) score = score - Score{danger * danger / 64, danger / 16};
    return (score.mg * 10 + score.eg * 14) / 24;
}
} // namespace structs

namespace limits {
const Value A[4] = {40, -25, 60, 12};
TUNER_TABLE(A)
#define MAX_OF(a, b) ((a) > (b) ? (a) : (b))
Value evaluate(const Input &in) {
    const Value x = A[0] * in.n[0] + A[1] * in.n[1], y = A[2] * in.n[2] - A[3];
    Value v = std::max(x, y) - std::min(x, 50) + std::min<int>(y, 3) + std::clamp(x, -30, 70) + std::clamp(y, Value(-9), x > 200 ? x : Value(200));
    v += std::abs(x - y) / 3;
    v += std::max<int>(20, y) - std::min<Value>(x, 90) + std::max<Value>(x, y) + std::max(1, in.n[2]);
    {
        using namespace std;
        v -= max(x, 7) + min(y, x) + abs(y) / 2;
    }
    v += MAX_OF(x, 10) - MAX_OF(y, x);
    v += x > 0 ? x / 2 : 0;
    v += !(x <= y) ? 5 : x == y ? 4 : -5;
    if (y >= 0 && x != 1) v -= y;
    if (v) v -= 1;
    return std::max({x, y, v});
}
} // namespace limits

namespace casts {
const Value B[3] = {90, 33, -71};
TUNER_TABLE(B)
Small small[2] = {300, -7};
TUNER_TABLE(small)
const Large LARGE = 12;
TUNER_TABLE(LARGE)
Value evaluate(const Input &in) {
    Value v = B[0] * in.n[0] + B[1] * in.n[1] + B[2] * in.n[2];
    v = (v >> 1) + (std::abs(v) << 2) / 256 + v / -3;
    v += small[0] * in.n[3] + small[1];
    v += static_cast<Value>(LARGE * in.n[4]);
    const Real scaled = 0.75 * Real(v) + double(B[1]) / 3.0;
    Value half = int(scaled * 0.5);
    half *= 3;
    half /= 2;
    ++half;
    v -= half--;
    const std::size_t many = std::size_t(std::abs(in.n[5]));
    const unsigned few = unsigned(in.n[6] & 3);
    v += B[0] * many - few * B[2];
    v += B[1] % 7 - (B[0] & 3);
    v += B[1] * (in.n[7] > 2) + B[2] * (in.n[7] > 1 ? RIGHT : LEFT);
    v *= 1.25;
    return v;
}
} // namespace casts

namespace derived {
Packed base = S(100, 90), step[2] = {S(4, 7), S(-3, 2)};
TUNER_PACKED(base)
TUNER_PACKED(step)
Packed table[2][8];
void fill() {
    for (int i = 0; i < 8; ++i) table[0][i] = base + step[0] * i + step[1] * (i * i % 5);
    for (int i = 0; i < 8; ++i) table[1][i] = mg_value(step[0]) > 2 ? -table[0][7 - i] : step[1];
}
Value evaluate(const Input &in) {
    Packed score = 0;
    for (int i = 0; i < 8; ++i) score += table[i % 2][in.n[i] & 7] * (i == 3 ? 2 : 1);
    return (mg_value(score) + eg_value(score)) / 2;
}
} // namespace derived

namespace reals {
Real r[3] = {0.5, -1.25, 2.0};
TUNER_TABLE(r)
Float f = 1.5f;
TUNER_TABLE(f)
Value evaluate(const Input &in) {
    Real x = r[0] * in.n[0] + r[1] * in.n[1] + r[2];
    Real y = 100 / (1 + std::exp(-x / 4)) + std::sqrt(std::abs(x) + 1) + 10 * std::tanh(x / 8) + std::pow(x, 2) / 8 + std::log(x * x + 2);
    y += std::pow(1.1, x / 16);
    y += f * 2.5f * in.n[2];
    const Real nan = std::log(-1 - x * x);
    y += 4 * ((nan < x) + 2 * (nan > x) + 4 * (nan <= x) + 8 * (nan >= x) + 16 * (nan == x) + 32 * (nan != x));
    return Value(std::round(y * 16)) + Value(std::floor(x));
}
} // namespace reals

namespace products {
Value p[4] = {12, 30, 7, 9}, divisor = 11, curve[5] = {0, 5, 20, 45, 80};
TUNER_TABLE(p)
TUNER_TABLE(divisor)
TUNER_TABLE(curve)
int add(int a, int b) { return a + b; }
Value evaluate(const Input &in) {
    const std::array<Value, 3> parts = {p[0] * in.n[0], p[1] * in.n[1], p[2]};
    Value sum = std::accumulate(parts.begin(), parts.end(), Value(0));
    const Value product = p[3] * parts[0] / 4;
    const auto scaled = [&](const Value &v) { return v * (16 + in.n[2]) / 16; };
    sum += scaled(product) + product * sum / 256 + sum / divisor + 1000 / divisor;
    const int at = std::clamp(int(frozen(p[2] / 3)), 0, 4);
    for (int i = 0; i < add(1, 2); ++i) sum += curve[at] * in.n[3 + i];
    return sum;
}
} // namespace products

namespace classes {
enum Scale { DRAWN = 0, NORMAL = 64 };
enum Tracing { NO_TRACE, TRACE };
constexpr Packed OUTPOST[2] = {S(31, 25), S(55, 41)}, THREAT[2][3] = {{S(0, 3), S(5, 32), S(55, -41)}, {S(3, 44), S(37, 68), S(42, 60)}};
TUNER_PACKED(OUTPOST)
TUNER_PACKED(THREAT)
constexpr Value LAZY = 250, SAFE[2][2] = {{80, 62}, {-45, 17}};
TUNER_TABLE(LAZY)
TUNER_TABLE(SAFE)
template <Tracing T> class Evaluation {
public:
    explicit Evaluation(const Input &in) : in(in) {}
    Value value() {
        Packed score = threats<WHITE>() - threats<BLACK>();
        const auto lazy_skip = [&](const Value &limit) { return std::abs(mg_value(score) + eg_value(score)) / 2 > limit + count() / 32; };
        if (lazy_skip(LAZY)) return (mg_value(score) + eg_value(score)) / 2;
        score += mobility[WHITE] - mobility[BLACK];
        score += king<WHITE>() - king<BLACK>();
        Value v = mg_value(score) * int(in.n[7] + 3) + eg_value(score) * int(12 - in.n[7]) * scale(eg_value(score)) / NORMAL;
        v /= 15;
        v = (v / 16) * 16;
        return (in.n[0] & 1 ? v : -v) + 20;
    }

private:
    const Input &in;
    Packed mobility[2] = {0, 0};
    int count() const { return in.n[0] * 10; }
    Scale scale(const Value &eg) const {
        const Color strong = eg > 0 ? WHITE : BLACK;
        return in.n[strong] > 3 ? DRAWN : NORMAL;
    }
    template <Color Us> Packed threats() {
        const Packed *const row = THREAT[Us];
        Packed score = row[0] * bool(in.n[2]) + row[1] * (in.n[3] > 2);
        for (int i : {1, 2}) mobility[Us] += row[i] * (in.n[i + 3 * Us] - 2);
        switch (in.n[6] & 3) {
        case 0: return score;
        case 1: return score + OUTPOST[Us == BLACK];
        default: return score - OUTPOST[0] * 2;
        }
    }
    template <Color Us> Packed king() const {
        Value danger = SAFE[Us][0] * in.n[1] + SAFE[Us][1] * (in.n[2] + 1) - 3 * mg_value(mobility[Us]) / 4;
        return danger > 100 ? make(-danger * danger / 4096, -danger / 16) : Packed(0);
    }
};
Value evaluate(const Input &in) { return Evaluation<NO_TRACE>(in).value(); }
} // namespace classes

namespace runtime {
struct Weights {
    Value list[5];
    Value both[2][2];
} weights = {{10, -20, 30, -40, 50}, {{1, 2}, {3, 4}}};
TUNER_MEMBER(list, weights.list)
TUNER_MEMBER(both, weights.both)
struct Sum {
    const Weights &w;
    std::array<Value, 2> of(const Input &in) const {
        Value values[3] = {w.list[0] * in.n[0], w.list[1] * in.n[1], w.list[2] * in.n[2] + w.list[3]};
        std::sort(values, values + 3);
        std::swap(values[0], values[1]);
        return {values[0], *std::max_element(values, values + 3)};
    }
};
Value evaluate(const Input &in) {
    auto [low, high] = Sum{weights}.of(in);
    for (const auto &row : weights.both)
        for (const Value &w : row) low += w * in.n[3];
    Value result = 0;
    result += low *= 2;
    result -= std::max(high, 0) << 1;
    return +result * (result < 0 ? -1 : 1) + weights.list[4];
}
} // namespace runtime

Input read(const std::string &text, int &style) {
    std::istringstream words(text);
    Input in;
    words >> style;
    for (int &n : in.n) words >> n;
    if (!words || style < 0 || style > 9) throw std::invalid_argument("expected nine numbers");
    return in;
}
} // namespace

Value evaluate(const std::string &text) {
    int style = 0;
    const Input in = read(text, style);
    static Value (*const all[])(const Input &) = {packed::evaluate, colors::evaluate, structs::evaluate, limits::evaluate,
                                                  casts::evaluate, derived::evaluate, reals::evaluate, products::evaluate,
                                                  classes::evaluate, runtime::evaluate};
    return all[style](in);
}

#ifdef TUNE
int production(const std::string &text);
int main(int, char **argv) {
    tuner::Engine<const std::string> engine;
    engine.name = engine.game = "styles";
    engine.side_to_move = false;
    engine.read = [](const std::string &text) {
        int style = 0;
        read(text, style);
        return text;
    };
    engine.first_to_move = [](const std::string &) { return true; };
    engine.evaluate = evaluate;
    engine.derive = derived::fill;
    engine.production = production;
    return engine.serve(argv[0]);
}
#else
[[maybe_unused]] static const bool is_filled = (derived::fill(), true);
#endif
