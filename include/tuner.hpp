// Numbers that record how a score depends on the weights, and an evaluator for Tuner: docs/cpp.md.
//
// An evaluation is compiled twice: with plain numbers to play, and with the numbers of this header,
// which have the same values, to be tuned. C++17 and its standard library are all it needs.
//
// Licensed under MIT OR Apache-2.0, at your option.
#ifndef TUNER_HPP
#define TUNER_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tuner {
using std::size_t, std::string, std::vector, std::to_string;
template <bool B> using If = std::enable_if_t<B>;

struct Error : std::runtime_error { using std::runtime_error::runtime_error; };

// ---- The tape: what was computed of a position, in order. Tuner takes it apart. ---------------

// What a number depends on: 24 bits are the number of a weight, from 1, or of an operation, behind
// them, and 0 for what depends on none; the upper 8 are the recording that it belongs to, 0 for
// weights and derived tables.
using Ref = std::uint32_t;
constexpr Ref UNTRACKED = 0xffffffff, PLACE = 0xffffff; // UNTRACKED: outside of a recording

// Operations by their numbers in docs/evaluator.md, and what a guard tells.
enum Kind { VALUE = 1, ADD, MUL = 4, DIV, MIN, MAX, ABS, POWEROF = 10, SQRT, EXP, LN, TANH, GUARD,
            SUM, WHOLE, QUOTIENT };
enum Relation { NEGATIVE = 0, POSITIVE = 2, ZERO = 4 };

struct Tape {
    struct Flags { bool overflow = false; double epsilon = 0; };
    vector<std::uint64_t> words; // an operation each: A, kind, B, K in 24, 8, 24 and 8 bits
    vector<double> numbers;      // of the operations VALUE
    Flags flags, table_flags;
    size_t table_words = 0, table_numbers = 0; // of derived tables, before all positions
    Ref weights = 0, turn = 0, epoch = 0; // how many; recordings until now, the number of this one
    // What plain numbers depend on. Before the start nobody knows which of them are weights.
    Ref plain = UNTRACKED;
    bool recording = false, reading = false; // a position, once for all weights

    void begin(bool records) {
        words.resize(table_words), numbers.resize(table_numbers);
        flags = table_flags, recording = records, reading = false;
        epoch = (++turn % 254 + 1) << 24;
    }
    // What is computed from weights, before all positions.
    void derive(const std::function<void()> &tables) {
        table_words = table_numbers = 0, table_flags = flags;
        begin(true), epoch = 0;
        if (tables) tables();
        table_words = words.size(), table_numbers = numbers.size(), table_flags = flags;
    }
    Ref check(Ref r) const {
        const bool is_here = r >> 24 == 0 || (r ^ epoch) >> 24 == 0;
        if (is_here && (r & PLACE) <= weights + words.size()) return r;
        throw Error("a score is used that was computed for another position or outside of the "
                    "evaluation: switch its cache off, compute it in `derive` if it is computed at "
                    "the start, or set `rereads` where reading a position adds up scores");
    }
    Ref push(Kind kind, Ref a, Ref b = 0, int k = 0) {
        words.push_back(std::uint64_t((check(b) & PLACE) | Ref(k) << 24) << 32 |
                        (check(a) & PLACE) | Ref(kind) << 24);
        const size_t number = weights + words.size();
        if (number > PLACE) throw Error("an evaluation of more than 16 million operations");
        return Ref(number) | epoch;
    }
    Ref value(double x) {
        numbers.push_back(x);
        return push(VALUE, 0, Ref(numbers.size() - 1 - table_numbers));
    }
    Ref apply(Kind kind, Ref a, Ref how = 0) {
        return a == 0 ? plain : recording ? push(kind, a, how) : UNTRACKED;
    }
    // Of two numbers, with the values of those that depend on no weight; SUM is a + k·b.
    Ref apply(Kind kind, Ref a, double x, Ref b, double y, int k = 1) {
        if ((a | b) == 0) return plain;
        if (!recording) return UNTRACKED;
        if (kind == SUM) {
            const double rest = (a ? 0 : x) + (b ? 0 : k * y);
            a = b == 0 ? check(a) : a == 0 && k == 1 ? check(b) : push(SUM, a, b, k);
            return rest == 0 ? a : push(ADD, a, value(rest));
        }
        if (kind == MUL && a == 0) std::swap(a, b), std::swap(x, y);
        if (kind == MUL && b == 0 && std::abs(y) < 128 && y == int(y))
            return y == 0 ? 0 : y == 1 ? check(a) : push(SUM, 0, a, int(y));
        a = a == 0 ? value(x) : a;
        return push(kind, a, b == 0 ? value(y) : b);
    }
};
inline Tape tape;

// ---- Numbers. ---------------------------------------------------------------------------------

template <class P> struct Num;
using Int = Num<int>;
using Real = Num<double>;

template <class T> constexpr bool is_num = false;
template <class P> constexpr bool is_num<Num<P>> = true;
template <class T> constexpr bool is_real = std::is_floating_point_v<T>;
template <class T>
constexpr bool is_index = std::is_same_v<T, std::ptrdiff_t> || std::is_same_v<T, size_t>;
template <class P, class Q> using Common = decltype(P() + Q());
template <class R> using Wrapping = std::conditional_t<is_real<R>, R, std::uint64_t>;
// An operand: a number that records, or a plain one, which an enum converts to.
template <class P> Num<P> num(const Num<P> &x) { return x; }
template <class T, class P = decltype(+T()), class = If<std::is_arithmetic_v<P>>>
constexpr Num<P> num(T x) { return {P(x), 0}; }
template <class T> using plain_t = decltype(num(std::declval<T>()).value);
template <class... T> using if_operands = std::void_t<plain_t<T>...>;
template <class... T> using if_recorded = std::void_t<If<(is_num<T> || ...)>, plain_t<T>...>;

// As a number of the row; what wrapped below 0 was negative.
template <class P> constexpr bool wraps = std::is_unsigned_v<P> && sizeof(P) >= sizeof(int);
template <class P> double real(P v) {
    if constexpr (wraps<P>) return double(std::make_signed_t<P>(v));
    else return double(v);
}
template <class R, class P> R unwrapped(P v) {
    if (!wraps<R> || real(R(v)) >= 0) return R(v);
    throw Error("a negative score is divided or compared as an unsigned number");
}
template <class P, class L = std::numeric_limits<P>> bool holds(double v) {
    return v >= double(L::lowest()) && v < double(L::max()) + 1;
}
// A result as its type has it, and a note where an integer does not fit or a float is rounded.
template <class R> R fit(Wrapping<R> v, double exact) {
    using Limits = std::numeric_limits<R>;
    if constexpr (is_real<R>)
        tape.flags.epsilon = std::max<double>(tape.flags.epsilon, Limits::epsilon());
    else if (!wraps<R>) tape.flags.overflow |= !holds<R>(exact);
    return R(v);
}
template <class P> P frozen(const Num<P> &x);

// A number of type P and what it depends on. Its members are mutable, so that weights may be const
// or constexpr and are set nevertheless; its copies are made at run time, so that they know that.
template <class P> struct Num {
    mutable P value;
    mutable Ref ref;

    constexpr Num() : value(0), ref(0) {}
    constexpr Num(P v, Ref r) : value(v), ref(r) {}
    Num(const Num &o) : value(o.value), ref(o.ref | tape.plain) {}
    Num &operator=(const Num &o) { return value = o.value, ref = o.ref | tape.plain, *this; }
    template <class T, class = If<!is_num<T>>, class = if_operands<T>>
    constexpr Num(T v) : value(static_cast<P>(v)), ref(0) {}
    template <class Q> Num(const Num<Q> &o) : value(0), ref(o.ref | tape.plain) {
        const Q v = o.value;
        if constexpr (is_real<P>) value = fit<P>(P(unwrapped<Q>(v)), 0);
        else if constexpr (!is_real<Q>) value = fit<P>(std::uint64_t(v), wraps<Q> ? 0 : real(v));
        else {
            const auto whole = std::abs(v) < Q(9e18) ? std::int64_t(v) : 0;
            value = fit<P>(std::uint64_t(whole), std::trunc(double(v)));
            ref = tape.apply(WHOLE, o.ref);
        }
    }
    explicit operator bool() const { return *this != 0; }
    bool operator!() const { return *this == 0; }
    // As an index; the compiler cannot tell it from a score in 64 bits.
    template <class T, class = If<is_index<T>>> operator T() const {
        if (ref == 0 || !tape.recording) return T(value);
        throw Error("a score is used as an index or a plain integer of 64 bits, which has no "
                    "record: write tuner::frozen(score) for an index, by which alone no weight "
                    "can be fitted, else use a type of scores");
    }
    // What an enum has for it holds as long as it stays as it is.
    template <class T, class = If<!is_index<T> && !std::is_same_v<T, bool>>,
              class = If<std::is_enum_v<T> || std::is_arithmetic_v<T>>>
    explicit operator T() const {
        static_assert(std::is_enum_v<T>, "a cast to a plain number loses the record of a score: "
                      "cast to the type of scores, as `Value(x)`; write `int(x)` in place of "
                      "`(int)x` and define TUNER_CASTS; or write tuner::frozen(x)");
        return T(frozen(*this));
    }
    auto operator+() const { return *this + 0; }
    auto operator-() const { return 0 - *this; }
#define TUNER_ASSIGN(op) \
    template <class T> Num &operator op##=(const T &o) { return *this = *this op o; }
    TUNER_ASSIGN(+) TUNER_ASSIGN(-) TUNER_ASSIGN(*) TUNER_ASSIGN(/) TUNER_ASSIGN(%)
    TUNER_ASSIGN(<<) TUNER_ASSIGN(>>)
    Num &operator++() { return *this += 1; }
    Num &operator--() { return *this -= 1; }
    Num operator++(int) { return std::exchange(*this, *this + 1); }
    Num operator--(int) { return std::exchange(*this, *this - 1); }
    friend std::ostream &operator<<(std::ostream &to, const Num &x) { return to << x.value; }
};

// What is computed of two numbers, by the arithmetic of their type.
template <Kind kind, class R, class P, class Q>
Num<R> binary(const Num<P> &a, const Num<Q> &b, int sign = 1) {
    using W = Wrapping<R>;
    const double x = real(a.value), y = real(b.value);
    const auto ref = [&](Kind of) { return tape.apply(of, a.ref, x, b.ref, y, sign); };
    if constexpr (kind == SUM)
        return {fit<R>(W(a.value) + W(sign) * W(b.value), x + sign * y), ref(SUM)};
    if constexpr (kind == MUL) return {fit<R>(W(a.value) * W(b.value), x * y), ref(MUL)};
    const R v = unwrapped<R>(a.value), w = unwrapped<R>(b.value);
    if constexpr (kind == MIN) return {w < v ? w : v, ref(MIN)};
    if constexpr (kind == MAX) return {v < w ? w : v, ref(MAX)};
    if constexpr (is_real<R>) return {fit<R>(v / w, 0), ref(DIV)};
    if (w == 0 && b.ref == 0) throw Error("a score is divided by zero");
    if (std::is_signed_v<R> && w == R(-1) && b.ref == 0) return binary<MUL, R>(a, b);
    if (w == 0) tape.flags.overflow = true; // at these weights
    return {w == 0 ? w : fit<R>(W(v / w), x / y), ref(QUOTIENT)};
}
// A comparison; one that depends on weights guards the branch that was taken.
template <class P, class Q, class F>
bool compared(const Num<P> &a, const Num<Q> &b, Relation relation, F holds) {
    const bool is = holds(unwrapped<Common<P, Q>>(a.value), unwrapped<Common<P, Q>>(b.value));
    const Ref difference = tape.apply(SUM, a.ref, real(a.value), b.ref, real(b.value), -1);
    if (difference && tape.reading)
        throw Error("reading a position decides by weights: decide in `evaluate`, or set "
                    "`rereads`");
    return tape.apply(GUARD, difference, Ref(relation + is)), is;
}
template <class A, class B> bool has_nan(const A &a, const B &b) {
    return std::isunordered(real(num(a).value), real(num(b).value));
}
#define TUNER_OPERATOR(op, result) \
    template <class A, class B, class = if_recorded<A, B>> \
    auto operator op(const A &a, const B &b) { return result; }
#define TUNER_COMPARISON(op, relation, holds) \
    TUNER_OPERATOR(op, compared(num(a), num(b), relation, [](auto x, auto y) { return holds; }))
TUNER_OPERATOR(+, (binary<SUM, Common<plain_t<A>, plain_t<B>>>(num(a), num(b))))
TUNER_OPERATOR(-, (binary<SUM, Common<plain_t<A>, plain_t<B>>>(num(a), num(b), -1)))
TUNER_OPERATOR(*, (binary<MUL, Common<plain_t<A>, plain_t<B>>>(num(a), num(b))))
TUNER_OPERATOR(/, (binary<DIV, Common<plain_t<A>, plain_t<B>>>(num(a), num(b))))
TUNER_OPERATOR(%, num(a) - num(a) / num(b) * num(b))
TUNER_OPERATOR(&, frozen(num(a)) & frozen(num(b)))
TUNER_COMPARISON(<, NEGATIVE, x < y)
TUNER_COMPARISON(>, POSITIVE, x > y)
TUNER_COMPARISON(==, ZERO, x <= y && x >= y)
TUNER_OPERATOR(<=, !(a > b || has_nan(a, b)))
TUNER_OPERATOR(>=, !(a < b || has_nan(a, b)))
TUNER_OPERATOR(!=, !(a == b))
template <class P> auto operator<<(const Num<P> &a, int n) { return a * (Common<P, P>(1) << n); }
template <class P> Num<Common<P, P>> operator>>(const Num<P> &a, int n) { // rounds down
    const Ref ref = tape.apply(QUOTIENT, a.ref, 0, 0, std::ldexp(1, n));
    return {Common<P, P>(unwrapped<P>(a.value) >> n), ref};
}

// The plain number: guards keep its whole part as it is.
template <class P> P frozen(const Num<P> &x) {
    const double whole = std::trunc(real(x.value));
    if (x.ref == 0) return x.value;
    (void)(whole > 0 ? x >= whole : x > whole - 1), (void)(whole < 0 ? x <= whole : x < whole + 1);
    return x.value;
}
template <class P, class = If<std::is_arithmetic_v<P>>> constexpr P frozen(P x) { return x; }
template <class To, class T> constexpr auto cast(const T &x) {
    return static_cast<std::conditional_t<is_num<T>, Num<To>, To>>(x);
}

// What evaluations call by the names of the library, whose templates would compare the arguments
// and leave guards where a step suffices. T is of `max<int>(a, b)`.
template <class T, class...> struct Head { using type = T; };
#define TUNER_EXTREME(name, kind) \
    template <class... T, class A, class B, class = if_recorded<A, B>> \
    auto name(const A &a, const B &b) { \
        using R = typename Head<plain_t<T>..., Common<plain_t<A>, plain_t<B>>>::type; \
        return binary<kind, R>(num(a), num(b)); \
    } \
    template <class P> \
    Num<P> name(const Num<P> &a, const Num<P> &b) { return binary<kind, P>(a, b); }
TUNER_EXTREME(max, MAX) TUNER_EXTREME(min, MIN)
#define TUNER_FUNCTION(name, kind, R) \
    template <class P, class Q = decltype(std::name(P()))> Num<R> name(const Num<P> &x) { \
        return {fit<R>(Wrapping<R>(std::name(x.value)), 0), tape.apply(kind, x.ref)}; \
    }
TUNER_FUNCTION(sqrt, SQRT, Q) TUNER_FUNCTION(exp, EXP, Q) TUNER_FUNCTION(log, LN, Q)
TUNER_FUNCTION(tanh, TANH, Q) TUNER_FUNCTION(floor, WHOLE, double)
TUNER_FUNCTION(ceil, WHOLE, double) TUNER_FUNCTION(round, WHOLE, double)
TUNER_FUNCTION(trunc, WHOLE, double) TUNER_FUNCTION(rint, WHOLE, double)
TUNER_FUNCTION(lround, WHOLE, long) TUNER_FUNCTION(llround, WHOLE, long long)
template <class P> auto abs(const Num<P> &x) {
    const auto v = unwrapped<P>(x.value) < 0 ? -Num<P>(x.value, 0) : +Num<P>(x.value, 0);
    return decltype(+x)(v.value, tape.apply(ABS, x.ref));
}
template <class P> auto fabs(const Num<P> &x) { return abs(x); }
template <class A, class B, class C, class = if_recorded<A, B, C>>
auto clamp(const A &a, const B &low, const C &high) { return min(max(num(a), low), high); }
template <class A, class B, class = if_recorded<A, B>> Real pow(const A &a, const B &b) {
    const Real x = num(a), n = num(b);
    const double v = fit<double>(std::pow(x.value, n.value), 0);
    return {v, tape.apply(POWEROF, x.ref, x.value, n.ref, n.value)};
}

// Which half of an integer that packs two of 16 bits is the upper one: TUNER_UPPER is mg or eg.
namespace halves { enum { unknown, mg, eg }; }
#ifdef TUNER_UPPER
constexpr int UPPER = halves::TUNER_UPPER;
#else
constexpr int UPPER = halves::unknown;
#endif
constexpr auto UPPER_UNKNOWN = "an integer in the place of a pair: define TUNER_UPPER as mg or eg, "
                               "the half in its upper bits, before tuner.hpp";

// In the place of a pair, and of such an integer: a plain one is taken apart, and `mg` and `eg`
// below are what engines call `mg_value` and `eg_value`.
struct Pair {
    Int mg, eg;

    constexpr Pair() = default;
    template <class A, class B, class = if_operands<A, B>>
    constexpr Pair(const A &m, const B &e) : mg(m), eg(e) {}
    template <class T, class = If<std::is_integral_v<T>>> constexpr Pair(T packed)
        : mg(half(unsigned(packed), UPPER == halves::mg)),
          eg(half(unsigned(packed), UPPER != halves::mg)) {
        if (packed != 0 && UPPER == halves::unknown) throw Error(UPPER_UNKNOWN);
        if (packed != T(int(packed)) && packed != T(unsigned(packed)))
            throw Error("an integer in the place of a pair has more than two halves of 16 bits");
    }
    static constexpr std::int16_t half(unsigned packed, bool is_upper) {
        return std::int16_t(is_upper ? (packed + 0x8000u) >> 16 : packed);
    }
    Pair operator-() const { return {-mg, -eg}; }
#define TUNER_PAIRS(op) \
    friend Pair operator op(const Pair &a, const Pair &b) { return {a.mg op b.mg, a.eg op b.eg}; } \
    Pair &operator op##=(const Pair &o) { return *this = *this op o; }
#define TUNER_SCALED(op) \
    template <class T, class = if_operands<T>> \
    friend Pair operator op(const Pair &a, const T &k) { return {a.mg op k, a.eg op k}; } \
    template <class T> Pair &operator op##=(const T &k) { return *this = *this op k; }
    TUNER_PAIRS(+) TUNER_PAIRS(-) TUNER_SCALED(*) TUNER_SCALED(/)
    template <class T, class = if_operands<T>>
    friend Pair operator*(const T &k, const Pair &a) { return a * k; }
};
inline Int half(const Int &x) {
    return tape.flags.overflow |= x.value != std::int16_t(x.value), x;
}
inline Int mg(const Pair &x) { return half(x.mg); }
inline Int eg(const Pair &x) { return half(x.eg); }
} // namespace tuner

namespace std {
using tuner::abs, tuner::ceil, tuner::clamp, tuner::exp, tuner::fabs, tuner::floor, tuner::llround,
    tuner::log, tuner::lround, tuner::max, tuner::min, tuner::pow, tuner::rint, tuner::round,
    tuner::sqrt, tuner::tanh, tuner::trunc;
}

namespace tuner {
// ---- Tables of weights. -----------------------------------------------------------------------

inline string decimal(double x, int digits = 17) {
    char to[32];
    return {to, size_t(std::snprintf(to, sizeof to, "%.*g", digits, x))};
}

// A weight: its value in the source and now, what its type holds, what sets it in each source.
struct Weight {
    string name;
    double source, now, low, high;
    vector<std::function<void(double)>> set;
};
// Those that tuner has a program begin with, by number, to see what is computed of them and kept.
inline const vector<double> &begins_with() {
    static const vector<double> numbers = [] {
        const char *const path = std::getenv("TUNER_WEIGHTS");
        std::ifstream file(path ? path : "");
        return vector<double>{std::istream_iterator<double>(file), {}};
    }();
    return numbers;
}
struct Table {
    string name, place, about; // the last for the answer to `weights`
    const void *at;
    size_t first; // of its weights
    vector<Weight> found = {};

    template <class P, class F> int add(const string &of, double v, F set) {
        const double low = double(std::numeric_limits<P>::lowest());
        const double most = double(std::numeric_limits<P>::max());
        const double high = std::is_integral_v<P> ? std::min(most, 2147483647.) : most;
        // A `float` of 0.1 is told as that.
        for (int digits = 1; std::is_same_v<P, float> && digits < 10; ++digits) {
            const double shorter = std::stod(decimal(v, digits));
            if (float(shorter) == float(v)) { v = shorter; break; }
        }
        const size_t number = first + found.size();
        const double now = number < begins_with().size() ? begins_with()[number] : v;
        found.push_back({of, v, now, low, high, {set}});
        if (now != v) set(now);
        return 1;
    }
};
inline vector<Table> tables;
inline vector<Weight> weights;
inline string mistake, plain; // in what is declared; a table of plain numbers

template <class P> void store(P &to, double v) {
    to = Num<P>(Real(is_real<P> ? v : std::round(v))).value;
}
template <class T, class = void> constexpr bool is_array = false;
template <class T>
constexpr bool is_array<T, std::void_t<decltype(std::size(std::declval<T &>()))>> = true;

// Whether a struct has more members than a pair; an array within it counts by its entries.
struct Any { template <class T> operator T() const; };
template <class T, class = void> constexpr bool has_three = false;
template <class T>
constexpr bool has_three<T, std::void_t<decltype(T{Any(), Any(), Any()})>> =
    std::is_aggregate_v<T>;

// Adds the numbers of a table, and the lengths of its arrays; returns how many an entry has.
template <class T> int visit(T &x, const string &name, bool is_packed, Table &to) {
    if constexpr (is_array<T>) {
        if (to.found.empty())
            to.about += (to.about.empty() ? " shape " : ",") + to_string(std::size(x));
        int lanes = 1, n = 0;
        for (auto &each : x) lanes = visit(each, name + "[" + to_string(n++) + "]", is_packed, to);
        return lanes;
    } else if constexpr (is_num<std::remove_const_t<T>>) {
        x.ref = Ref(to.first + to.found.size() + 1);
        const auto set = [&x](double v) { store(x.value, v); };
        return is_packed ? to.add<std::int16_t>(name, double(x.value), set)
                         : to.add<decltype(x.value)>(name, double(x.value), set);
    } else if constexpr (std::is_arithmetic_v<T>) {
        static_assert(!std::is_const_v<T>, "a table of constant plain numbers: to be tuned it "
                      "needs the types of this header, to be loaded it cannot be const");
        plain = to.name;
        if (!is_packed) return to.add<T>(name, double(x), [&x](double v) { store(x, v); });
        if (UPPER == halves::unknown) mistake = to.name + ": " + UPPER_UNKNOWN;
        if (sizeof(T) != 4 || !std::is_integral_v<T>)
            mistake = to.name + ": packed are two halves of 16 bits in an integer of 32";
        for (const int lane : {halves::mg, halves::eg}) {
            const bool is_upper = lane == UPPER;
            const auto half = [&x, is_upper] { return Pair::half(unsigned(x), is_upper); };
            const auto set = [&x, half, is_upper](double v) {
                x += T((int(v) - half()) * (is_upper ? 65536 : 1));
            };
            to.add<std::int16_t>(name + (lane == halves::mg ? ".mg" : ".eg"), half(), set);
        }
        return 2;
    } else {
        static_assert(!has_three<T>, "a struct of more than two numbers: name its members "
                      "by TUNER_MEMBER, or, if it is a score, derive it from std::array");
        auto &[mg, eg] = x; // an engine's own pair: two members that can be reached
        return visit(mg, name + ".mg", is_packed, to) + visit(eg, name + ".eg", is_packed, to);
    }
}

// ROOK_OPEN of `rookOpen` and `Terms::rook_open`, TERMS_ROOK_OPEN of `terms.rookOpen`.
inline string capitals(const string &name) {
    string to;
    char before = 0;
    for (const char c : name.substr(name.find_last_of(':') + 1)) {
        if (std::isupper(c) && std::islower(before)) to += '_';
        to += std::isalnum(before = c) ? char(std::toupper(c)) : '_';
    }
    return to;
}
// A file by one name, from wherever it is included: `eval.h` of `syzygy/../eval.h` and `./eval.h`.
inline string by_one_name(string path) {
    for (size_t dot = 0; (dot = path.find("./", dot)) != string::npos;) {
        if (dot == 0 || path[dot - 1] == '/') path.erase(dot, 2);
        else ++dot;
    }
    for (size_t up = 1; (up = path.find("/../", up)) != string::npos;) {
        const size_t from = path.rfind('/', up - 1) + 1;
        if (path.compare(from, up - from, "..") == 0) ++up;
        else path.erase(from, up + 4 - from), up = 1;
    }
    return path;
}
// Declares a table of weights. What is wrong is answered when the evaluator is asked.
template <class T>
bool table(const string &name, T &x, const string &by = "", int line = 0, bool packed = false) {
    const string file = by_one_name(by), place = line ? file + ":" + to_string(line) : "a call";
    Table added{capitals(name), place, "", &x, weights.size()};
    if (tape.plain == 0)
        throw Error("table " + added.name + " is declared after the start: declare it outside of "
                    "functions, or before `serve`");
    const auto same = std::find_if(tables.begin(), tables.end(), [&](const Table &other) {
        return other.name == added.name || other.at == &x;
    });
    const bool is_new = same == tables.end(), is_copy = !is_new && line && same->place == place;
    if (is_copy && same->at == &x) return true;
    if (is_copy) added.first = same->first; // of a header in another source
    const int lanes = visit(x, added.name, packed, added);
    if (added.found.empty()) return mistake = "table " + added.name + " is empty", false;
    const double low = added.found[0].low, high = added.found[0].high;
    added.about += " lanes " + to_string(lanes);
    if (low > -2e9) added.about += " bounds " + decimal(low) + "," + decimal(high);
    if (line && name.find_first_of(":.[ ") == string::npos) added.about += " symbol " + name;
    if (line && file.find(' ') == string::npos)
        added.about += " file " + file + " line " + to_string(line);
    const auto equal = [](const Weight &a, const Weight &b) { return a.source == b.source; };
    if (is_new) {
        weights.insert(weights.end(), added.found.begin(), added.found.end());
        tape.weights = Ref(weights.size());
        tables.push_back(added);
    } else if (is_copy && same->about == added.about &&
               std::equal(same->found.begin(), same->found.end(), added.found.begin(), equal)) {
        for (size_t n = 0; n < added.found.size(); ++n)
            weights[added.first + n].set.push_back(added.found[n].set[0]);
    } else {
        mistake = "table " + added.name + " is declared twice: " + same->place + " as " +
                  same->name + ", and " + place + (is_copy ? " with other values" : "");
    }
    return true;
}

// Reads a fit's `weights.txt` into the tables, in the engine as in the evaluator; if something is
// wrong there, all stay as they were.
inline void load(const string &path) {
    std::ifstream file(path);
    if (!file) throw Error(path + ": cannot be opened");
    std::map<string, double> values;
    string line, name;
    for (double v = 0; std::getline(file, line) && !file.eof();) {
        std::istringstream words(line);
        if (line[0] != '#' && words >> name >> v && (words >> std::ws).eof()) values[name] = v;
    }
    for (const Weight &weight : weights) {
        const auto found = values.find(weight.name);
        if (found == values.end() || found->second < weight.low || found->second > weight.high)
            throw Error(path + ": expected a line `" + weight.name + " VALUE`, VALUE in its range");
    }
    if (!mistake.empty() || values.size() != weights.size())
        throw Error(mistake.empty() ? path + ": has weights that are in no table" : mistake);
    for (const Weight &weight : weights)
        for (const auto &set : weight.set) set(values[weight.name]);
}

// ---- The evaluator. ---------------------------------------------------------------------------

// Where a quiescence search ends: its score, of the player to move, and its last position, as a
// text; empty where nothing was played.
struct Quiet { int score; string leaf; };
template <class Position, class Score = Int> class Engine {
    static_assert(is_num<Score>, "the evaluation returns a plain number: compile it with the types "
                  "of this header, as by -DTUNE, and let it return tuner::Int or tuner::Real");
public:
    string name, game = "chess";
    bool side_to_move = true;                     // whose view scores have; else the first player's
    std::function<Position(const string &)> read; // throws where the text is no position
    std::function<Score(Position &)> evaluate;
    // What follows may be left out.
    std::function<void()> derive;                          // computes tables from weights
    std::function<std::optional<Quiet>(Position &)> quiet; // none where the search ends in mate
    std::function<bool(const string &)> first_to_move;     // without it as FEN and SFEN say
    std::function<double(const string &)> production;      // the evaluation with plain types
    bool rereads = false;                                  // reading a position adds up scores

    // Answers on standard input and output until its end. The program's file tells builds apart.
    int serve(const string &program) {
        std::ifstream file(program, std::ios::binary);
        for (char c; file.get(c);) build = (build ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
        if (weights.empty())
            mistake = "no table is declared: write TUNER_TABLE(name) behind each table of weights";
        else if (mistake.empty() && !plain.empty())
            mistake = "table " + plain + " has plain numbers: compile all of the evaluation with "
                      "the types of this header";
        std::ios::sync_with_stdio(false);
        std::cin.tie(nullptr);
        tape.plain = 0;
        for (string line; std::getline(std::cin, line) && line.compare(0, 4, "quit") != 0;) {
            line.erase(line.find_last_not_of(" \r") + 1);
            string error = mistake;
            out.clear();
            try {
                if (error.empty() && !is_set) set(begins_with().empty() ? "source" : "");
                if (error.empty()) answer(line);
            } catch (const std::exception &thrown) {
                error = *thrown.what() ? thrown.what() : "an exception without words";
            } catch (...) { error = "the evaluation threw what is no std::exception"; }
            std::replace(error.begin(), error.end(), '\n', ' ');
            std::cout << (error.empty() ? out : "error " + error + "\n");
            // Questions come in batches: answers go when no more of them are at hand.
            if (std::cin.rdbuf()->in_avail() <= 0) std::cout.flush();
        }
        return std::cout.flush(), 0;
    }

private:
    std::uint64_t build = 0xcbf29ce484222325u;
    bool is_set = false, at_source = false; // whether weights are in force, and those of the source
    string text, out;                       // of the position; the answer
    std::unique_ptr<Position> position;

    void set(const string &to) {
        is_set = false, at_source = to == "source", tape.flags = {};
        for (Weight &weight : weights) weight.now = at_source ? weight.source : weight.now;
        std::istringstream words(at_source ? "" : to);
        char equals = 0;
        for (size_t n = 0; words >> n;)
            if (!(words >> equals >> weights.at(n).now)) break;
        if (!words.eof()) throw Error("found a word that is not NUMBER=VALUE");
        for (const Weight &weight : weights)
            for (const auto &one : weight.set) one(weight.now);
        tape.derive(derive), is_set = true;
    }
    Score evaluated(bool records) {
        if (!position) throw Error("found no position, expected `position FEN` before");
        tape.begin(records);
        if (rereads) position.reset(new Position(read(text)));
        const Score score = evaluate(*position);
        tape.flags.overflow |= !std::isfinite(double(score.value));
        return tape.flags.overflow ? Score(0) : score;
    }
    bool first() const {
        if (first_to_move) return first_to_move(text);
        const string color = game == "shogi" ? " b" : " w";
        return text.compare(std::min(text.find(' '), text.size()), 2, color) == 0;
    }
    // An evaluation, of the player to move.
    int standing() {
        const double score = double(evaluated(false).value);
        return int(std::lround(side_to_move || first() ? score : -score));
    }
    void take(const string &to) {
        position.reset();
        tape.reading = !rereads;
        position.reset(new Position(read(text = to)));
        tape.reading = false;
    }
    template <class T> void put(const T *from, size_t count = 1) {
        out.append(reinterpret_cast<const char *>(from), count * sizeof(T));
    }
    // The tape behind so many words and numbers, as docs/evaluator.md describes it.
    void operations(const Score &score, size_t word, size_t number) {
        const Ref result = tape.check(score.ref) & PLACE;
        const size_t words = tape.flags.overflow ? 0 : tape.words.size() - word;
        const auto numbers = std::uint32_t(words == 0 ? 0 : tape.numbers.size() - number);
        const double value = double(score.value), rounding = tape.flags.epsilon * double(words + 1);
        const char flags = char(32 + tape.flags.overflow);
        out = "bytes " + to_string(25 + 8 * (numbers + words)) + "\n";
        put(&flags), put(&value), put(&rounding), put(&result), put(&numbers);
        put(tape.numbers.data() + number, numbers), put(tape.words.data() + word, words);
    }
    void answer(const string &line) {
        const string word = line.substr(0, line.find(' '));
        const string rest = line.substr(std::min(line.size(), word.size() + 1));
        if (word == "position") {
            take(rest);
            out = first() ? "position first\n" : "position second\n";
        } else if (word == "score" && production && at_source && position) {
            out = "score " + decimal(production(text)) + "\n";
        } else if (word == "score") {
            const double score = double(evaluated(false).value);
            out = "score " + decimal(score) + (tape.flags.overflow ? " overflow\n" : "\n");
        } else if (word == "trace") {
            operations(evaluated(true), tape.table_words, tape.table_numbers);
        } else if (word == "tables") {
            tape.begin(false), operations(Score(0), 0, 0);
        } else if (word == "set" || word == "bytes") { // a tape is in bytes anyway
            if (word == "set") set(rest);
            out = "ok\n";
        } else if (word == "tuner") {
            out = "version 1\nlanguage cpp\nname " + name + "\ngame " + game + "\nview " +
                  (side_to_move ? "side-to-move" : "first-player") + "\nbuild " + to_string(build) +
                  "\ncan trace tables bytes" + (quiet ? " quiet" : "") +
                  (production ? "" : " twin") + "\nok\n";
        } else if (word == "weights") {
            for (const Table &table : tables) {
                out += "parameter " + table.name + table.about + " values";
                for (const Weight &weight : table.found) out += " " + decimal(weight.source);
                out += "\n";
            }
            out += "ok\n";
        } else if ((word == "look" || word == "resolve") && quiet) {
            const bool mover = first();
            const int before = standing();
            const std::optional<Quiet> found = quiet(*position);
            if (!found) return void(out = word + " none\n");
            const string score = " " + to_string(found->score), stands = " " + to_string(before);
            if (word == "look") return void(out = word + stands + score + "\n");
            if (found->leaf.empty()) return void(out = word + score + stands + "\n");
            take(found->leaf);
            const int leaf = mover == first() ? standing() : -standing();
            out = word + score + " " + to_string(leaf) + " leaf " +
                  (first() ? "first " : "second ") + text + "\n";
        } else if (!word.empty()) {
            throw Error("found `" + word + "`, expected tuner, weights, set, position, score, "
                        "bytes, trace, tables or quit");
        }
    }
};
} // namespace tuner

// Behind the declaration of a table, outside of functions: its name, shape and values are those of
// the declaration. An engine without this header defines these macros as nothing.
#define TUNER_TABLE(name) TUNER_NAMED(name, name, __FILE__, __LINE__)
// The same where production has an integer that packs two halves.
#define TUNER_PACKED(name) TUNER_NAMED(name, name, __FILE__, __LINE__, true)
// A table by an expression, as of a struct: TUNER_MEMBER(tempo, TERMS.tempo) makes TERMS_TEMPO.
#define TUNER_MEMBER(tag, expression) TUNER_NAMED(tag, expression, __FILE__, __LINE__)
#define TUNER_NAMED(tag, x, ...) \
    [[maybe_unused]] static const bool tuner_table_##tag = ::tuner::table(#x, x, __VA_ARGS__);

// Casts such as `int(score)`, whose type no `using` replaces: include this header last.
#ifdef TUNER_CASTS
#ifdef __clang__
#pragma clang diagnostic ignored "-Wkeyword-macro"
#endif
#define int(...) ::tuner::cast<int>(__VA_ARGS__)
#define float(...) ::tuner::cast<float>(__VA_ARGS__)
#define double(...) ::tuner::cast<double>(__VA_ARGS__)
#endif

#endif // TUNER_HPP
