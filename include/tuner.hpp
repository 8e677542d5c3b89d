// Numbers that record how a score depends on the weights, and an evaluator for Tuner: docs/cpp.md.
//
// An evaluation is compiled twice: with plain numbers to play, and with the numbers of this header,
// which have the same values, to be tuned. C++17 and its standard library are all it needs.
//
// Licensed under MIT OR Apache-2.0, at your option.
#ifndef TUNER_HPP
#define TUNER_HPP

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tuner {
using std::size_t, std::string, std::vector, std::to_string;
template <bool B> using If = std::enable_if_t<B>;

struct Error : std::runtime_error { using std::runtime_error::runtime_error; };

// ---- The tape: what was computed of a position, in order. -------------------------------------

// A node of the tape: 24 bits are its place, 0 for what depends on no weight; the upper 8 are the
// recording that it belongs to, 0 for weights and derived tables.
using Ref = std::uint32_t;
constexpr Ref UNTRACKED = 0xffffffff, PLACE = 0xffffff; // UNTRACKED: computed outside of a recording

// The protocol's steps by number, and three kinds of sums ka·a + kb·b + c: a weight, a sum of
// weights that are counted by whole numbers, any other.
enum Kind : std::uint8_t { INPUT, VALUE, ADD, NEG, MUL, DIV, MIN, MAX, ABS, POWER, POWEROF, SQRT, EXP, LN, TANH, GUARD,
                           WEIGHT, COUNTED, LINEAR };
constexpr struct { const char *name; int operands; } STEPS[] = {
    {"input", 1}, {"value", 0}, {"add", 2}, {"neg", 1}, {"mul", 2}, {"div", 2}, {"min", 2}, {"max", 2},
    {"abs", 1}, {"power", 2}, {"powerof", 2}, {"sqrt", 1}, {"exp", 1}, {"ln", 1}, {"tanh", 1}, {"guard", 2}};
enum Relation : std::uint8_t { NEGATIVE = 0, POSITIVE = 2, ZERO = 4 };
constexpr const char *RELATIONS[] = {" negative no", " negative yes", " positive no", " positive yes", " zero no", " zero yes"};

struct Node { Kind kind; Ref a, b; double ka, kb, c, slack; };
struct Tape {
    struct Flags { bool overflow = false; double epsilon = 0; };
    vector<Node> nodes = vector<Node>(1);
    vector<std::pair<Ref, int>> guards;
    Flags flags, base_flags;
    Ref base = 1, epoch = 0; // the first node that is of a position, and the recording's number
    size_t base_guards = 0;  // what else is there before, of derived tables
    bool recording = false, serving = false;

    void begin(bool records) {
        nodes.resize(base);
        guards.resize(base_guards);
        flags = base_flags, recording = records;
        epoch = ((epoch >> 24) % 254 + 1) << 24;
    }
    // What is computed from so many weights, before all positions.
    void derive(size_t weights, const std::function<void()> &tables) {
        const Ref before = std::exchange(epoch, 0);
        nodes.resize(1 + weights);
        guards.clear();
        flags = {}, recording = true;
        if (tables) tables();
        recording = false, base_flags = flags, epoch = before;
        base = Ref(nodes.size()), base_guards = guards.size();
    }
    Ref check(Ref r) const {
        if (r >> 24 == 0 || (r ^ epoch) >> 24 == 0) return r;
        throw Error("a score is used that was computed for another position or outside of the evaluation: switch its cache off, "
                    "compute it in `derive` if it is of weights, or set `rereads` where reading a position adds up scores");
    }
    Ref push(const Node &node) {
        check(node.a), check(node.b);
        if (nodes.size() >= PLACE) throw Error("an evaluation of more than 16 million operations");
        nodes.push_back(node);
        return Ref(nodes.size() - 1) | epoch;
    }
    // Whether k·r only counts weights. A sum times a number is not taken apart: the number, such as
    // the phase, is kept as a factor outside.
    bool counts(Ref r, double k) const {
        const Kind kind = nodes[r & PLACE].kind;
        if (r == 0 || (kind != WEIGHT && kind != COUNTED)) return r == 0;
        return std::abs(k) == 1 || (r < base && std::abs(k) < 1e9 && k == std::trunc(k));
    }
    Ref sum(Ref a, double ka, Ref b = 0, double kb = 0, double c = 0, double slack = 0) {
        if (ka == 0) a = 0;
        if (kb == 0) b = 0;
        if (a == 0 && b == 0) return 0;
        if (!recording) return UNTRACKED;
        if (c == 0 && slack == 0 && (b == 0 ? ka == 1 : a == 0 && kb == 1)) return check(a | b);
        check(a), check(b);
        return push({slack == 0 && counts(a, ka) && counts(b, kb) ? COUNTED : LINEAR, a, b, ka, kb, c, slack});
    }
    Ref operand(Ref r, double value) { return r != 0 ? r : push({LINEAR, 0, 0, 0, 0, value, 0}); }
    Ref apply(Kind kind, Ref a, double x, Ref b = 0, double y = 0, double slack = 0) {
        if (a == 0 && b == 0) return 0;
        if (!recording) return UNTRACKED;
        a = operand(a, x);
        return push({kind, a, kind == POWER || STEPS[kind].operands == 1 ? 0 : operand(b, y), 0, 0, y, slack});
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
template <class T> constexpr bool is_index = std::is_same_v<T, std::ptrdiff_t> || std::is_same_v<T, size_t>;
template <class T> auto plain() { // of an operand; nothing of other types
    if constexpr (is_num<T>) return decltype(T::value)();
    else if constexpr (std::is_arithmetic_v<T>) return T();
    else if constexpr (std::is_enum_v<T> && std::is_convertible_v<T, int>) return +T();
}
template <class T> using plain_t = decltype(plain<T>());
template <class T> constexpr bool is_operand = !std::is_void_v<plain_t<T>>;
template <class... T> using if_recorded = If<(is_num<T> || ...) && (is_operand<T> && ...)>;
template <class P, class Q> using Common = decltype(P() + Q());
template <class R> using Wrapping = std::conditional_t<is_real<R>, R, std::uint64_t>;

// As a number of the row; what wrapped below 0 was negative.
template <class P> double real(P v) {
    if constexpr (std::is_unsigned_v<P> && !std::is_same_v<P, bool>) return double(std::make_signed_t<P>(v));
    else return double(v);
}
template <class R, class P> R unwrapped(P v) {
    if (std::is_unsigned_v<R> && real(R(v)) < 0) throw Error("a negative score is divided or compared as an unsigned number");
    return R(v);
}
// A result as its type has it, and a note where an integer does not fit or a float is rounded.
template <class R> R fit(Wrapping<R> v, double exact) {
    using Limits = std::numeric_limits<R>;
    if constexpr (is_real<R>) tape.flags.epsilon = std::max(tape.flags.epsilon, double(Limits::epsilon()));
    else if (std::is_signed_v<R> && !(exact >= double(Limits::min()) && exact <= double(Limits::max()))) tape.flags.overflow = true;
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
    Num(const Num &o) : value(o.value), ref(o.ref) {}
    Num &operator=(const Num &o) { return value = o.value, ref = o.ref, *this; }
    template <class T, class = If<!is_num<T> && is_operand<T>>> constexpr Num(T v) : value(static_cast<P>(v)), ref(0) {}
    template <class Q> Num(const Num<Q> &o) : value(0), ref(o.ref) {
        if constexpr (is_real<P>) value = fit<P>(P(unwrapped<Q>(o.value)), 0);
        else if constexpr (!is_real<Q>) value = fit<P>(std::uint64_t(o.value), std::is_signed_v<Q> ? real(o.value) : 0);
        else {
            value = fit<P>(std::abs(o.value) < Q(9e18) ? std::uint64_t(std::int64_t(o.value)) : 0, std::trunc(double(o.value)));
            ref = tape.sum(o.ref, 1, 0, 0, 0, 1);
        }
    }
    explicit operator bool() const { return *this != 0; }
    bool operator!() const { return *this == 0; }
    // An index, and what an enum has for it, hold as long as they stay as they are.
    template <class T, class = If<is_index<T>>> operator T() const { return T(frozen(*this)); }
    template <class T, class = If<std::is_enum_v<T>>, class = void> explicit operator T() const { return T(frozen(*this)); }
    template <class T, class = If<std::is_arithmetic_v<T> && !is_index<T> && !std::is_same_v<T, bool>>, class = void, class = void>
    explicit operator T() const {
        static_assert(!sizeof(T), "a cast to a plain number loses the record of a score: cast to the type of scores, "
                                  "as `Value(x)`, define TUNER_CASTS, or write tuner::frozen(x)");
    }
    auto operator+() const { return *this + 0; }
    auto operator-() const { return 0 - *this; }
#define TUNER_ASSIGN(op) template <class T> Num &operator op##=(const T &o) { return *this = *this op o; }
    TUNER_ASSIGN(+) TUNER_ASSIGN(-) TUNER_ASSIGN(*) TUNER_ASSIGN(/) TUNER_ASSIGN(%) TUNER_ASSIGN(<<) TUNER_ASSIGN(>>)
    Num &operator++() { return *this += 1; }
    Num &operator--() { return *this -= 1; }
    Num operator++(int) { return std::exchange(*this, *this + 1); }
    Num operator--(int) { return std::exchange(*this, *this - 1); }
    friend std::ostream &operator<<(std::ostream &to, const Num &x) { return to << x.value; }
};

template <class T> Num<plain_t<T>> num(const T &x) {
    if constexpr (is_num<T>) return x;
    else return {plain_t<T>(x), 0};
}
template <class P, class Q, class R = Common<P, Q>> Num<R> sum(const Num<P> &a, const Num<Q> &b, int sign) {
    const double x = real(a.value), y = sign * real(b.value);
    return {fit<R>(Wrapping<R>(a.value) + Wrapping<R>(sign) * Wrapping<R>(b.value), x + y),
            tape.sum(a.ref, 1, b.ref, sign, (a.ref ? 0 : x) + (b.ref ? 0 : y))};
}
template <class P, class Q, class R = Common<P, Q>> Num<R> product(const Num<P> &a, const Num<Q> &b) {
    const double x = real(a.value), y = real(b.value);
    return {fit<R>(Wrapping<R>(a.value) * Wrapping<R>(b.value), x * y),
            a.ref == 0 ? tape.sum(b.ref, x) : b.ref == 0 ? tape.sum(a.ref, y) : tape.apply(MUL, a.ref, x, b.ref, y)};
}
template <class P, class Q, class R = Common<P, Q>> Num<R> quotient(const Num<P> &a, const Num<Q> &b) {
    const R x = unwrapped<R>(a.value), y = unwrapped<R>(b.value);
    if (!is_real<R> && y == 0) {
        if (b.ref == 0) throw Error("a score is divided by zero");
        return tape.flags.overflow = true, Num<R>(0); // at these weights
    }
    if (std::is_signed_v<R> && !is_real<R> && y == R(-1) && b.ref == 0) return sum(Num<R>(0), a, -1);
    const double k = 1 / real(y), cut = is_real<R> ? 0 : 1; // truncated towards 0
    return {fit<R>(Wrapping<R>(x / y), real(x) * k),
            b.ref == 0 ? tape.sum(a.ref, k, 0, 0, 0, cut * (1 - std::abs(k))) : tape.apply(DIV, a.ref, real(x), b.ref, real(y), cut)};
}
// A comparison; one that depends on weights guards the branch that was taken.
template <class P, class Q, class F> bool compared(const Num<P> &a, const Num<Q> &b, Relation relation, F holds) {
    using R = Common<P, Q>;
    const bool is = holds(unwrapped<R>(a.value), unwrapped<R>(b.value));
    const Ref of = tape.sum(a.ref, 1, b.ref, -1, (a.ref ? 0 : real(a.value)) - (b.ref ? 0 : real(b.value)));
    if (of != 0 && tape.recording) tape.guards.emplace_back(of, relation + is);
    return is;
}
#define TUNER_OPERATOR(op, result) \
    template <class A, class B, class = if_recorded<A, B>> auto operator op(const A &a, const B &b) { return result; }
TUNER_OPERATOR(+, sum(num(a), num(b), 1))
TUNER_OPERATOR(-, sum(num(a), num(b), -1))
TUNER_OPERATOR(*, product(num(a), num(b)))
TUNER_OPERATOR(/, quotient(num(a), num(b)))
TUNER_OPERATOR(%, num(a) - num(a) / num(b) * num(b))
TUNER_OPERATOR(&, frozen(num(a)) & frozen(num(b)))
TUNER_OPERATOR(<, compared(num(a), num(b), NEGATIVE, [](auto x, auto y) { return x < y; }))
TUNER_OPERATOR(>, compared(num(a), num(b), POSITIVE, [](auto x, auto y) { return x > y; }))
TUNER_OPERATOR(==, compared(num(a), num(b), ZERO, [](auto x, auto y) { return !(x < y || x > y); }))
TUNER_OPERATOR(<=, !(a > b))
TUNER_OPERATOR(>=, !(a < b))
TUNER_OPERATOR(!=, !(a == b))
template <class P> auto operator<<(const Num<P> &a, int n) { return a * (Common<P, P>(1) << n); }
template <class P> Num<Common<P, P>> operator>>(const Num<P> &a, int n) { // rounds down
    const double k = std::ldexp(1, -n);
    return {Common<P, P>(unwrapped<P>(a.value) >> n), tape.sum(a.ref, k, 0, 0, 0, 1 - k)};
}

// The plain number: guards keep its whole part as it is.
template <class P> P frozen(const Num<P> &x) {
    const double whole = std::trunc(real(x.value));
    if (x.ref != 0) (void)(whole > 0 ? x >= whole : x > whole - 1), (void)(whole < 0 ? x <= whole : x < whole + 1);
    return x.value;
}
template <class P, class = If<std::is_arithmetic_v<P>>> constexpr P frozen(P x) { return x; }
template <class To, class T> constexpr auto cast(const T &x) {
    if constexpr (is_num<T>) return Num<To>(x);
    else return static_cast<To>(x);
}

// What evaluations call by the names of the library, whose templates would compare the arguments
// and leave guards where a step suffices. T is of `max<int>(a, b)`.
template <class R, class P, class Q> Num<R> extreme(Kind kind, const Num<P> &a, const Num<Q> &b) {
    const R x = unwrapped<R>(a.value), y = unwrapped<R>(b.value);
    return {(kind == MAX ? x < y : y < x) ? y : x, tape.apply(kind, a.ref, real(x), b.ref, real(y))};
}
template <class T, class...> struct Head { using type = T; };
#define TUNER_EXTREME(name, kind) \
    template <class... T, class A, class B, class = if_recorded<A, B>> auto name(const A &a, const B &b) { \
        return extreme<typename Head<plain_t<T>..., Common<plain_t<A>, plain_t<B>>>::type>(kind, num(a), num(b)); } \
    template <class P> Num<P> name(const Num<P> &a, const Num<P> &b) { return extreme<P>(kind, a, b); }
TUNER_EXTREME(max, MAX) TUNER_EXTREME(min, MIN)
#define TUNER_FUNCTION(name, kind) template <class P, class R = decltype(std::name(P()))> Num<R> name(const Num<P> &x) { \
    return {fit<R>(R(std::name(x.value)), 0), tape.apply(kind, x.ref, real(x.value))}; }
TUNER_FUNCTION(sqrt, SQRT) TUNER_FUNCTION(exp, EXP) TUNER_FUNCTION(log, LN) TUNER_FUNCTION(tanh, TANH)
#define TUNER_ROUNDED(name) template <class P> Real name(const Num<P> &x) { return {std::name(double(x.value)), tape.sum(x.ref, 1, 0, 0, 0, 1)}; }
TUNER_ROUNDED(floor) TUNER_ROUNDED(ceil) TUNER_ROUNDED(round)
template <class P> auto abs(const Num<P> &x) {
    auto result = unwrapped<P>(x.value) < 0 ? -x : +x;
    return result.ref = tape.apply(ABS, x.ref, 0), result;
}
template <class A, class B, class C, class = if_recorded<A, B, C>> auto clamp(const A &a, const B &low, const C &high) { return min(max(num(a), low), high); }
template <class A, class B, class = if_recorded<A, B>> Real pow(const A &a, const B &b) {
    const Real x = num(a), n = num(b);
    const bool is_whole = n.ref == 0 && n.value == std::trunc(n.value) && std::abs(n.value) < 1e9;
    return {fit<double>(std::pow(x.value, n.value), 0), tape.apply(is_whole ? POWER : POWEROF, x.ref, x.value, n.ref, n.value)};
}

// In the place of a pair, and of an integer that packs two halves of 16 bits: a plain integer is
// taken apart, and `mg` and `eg` below are what engines call `mg_value` and `eg_value`.
struct Pair {
    Int mg, eg;

    constexpr Pair() = default;
    template <class A, class B, class = If<is_operand<A> && is_operand<B>>> constexpr Pair(const A &m, const B &e) : mg(m), eg(e) {}
    template <class T, class = If<std::is_integral_v<T>>> constexpr Pair(T packed)
        : mg(std::int16_t(packed)), eg(std::int16_t((unsigned(packed) + 0x8000u) >> 16)) {}
    Pair operator-() const { return {-mg, -eg}; }
#define TUNER_PAIRS(op) \
    friend Pair operator op(const Pair &a, const Pair &b) { return {a.mg op b.mg, a.eg op b.eg}; } \
    Pair &operator op##=(const Pair &o) { return *this = *this op o; }
#define TUNER_SCALED(op) \
    template <class T, class = If<is_operand<T>>> friend Pair operator op(const Pair &a, const T &k) { return {a.mg op k, a.eg op k}; } \
    template <class T> Pair &operator op##=(const T &k) { return *this = *this op k; }
    TUNER_PAIRS(+) TUNER_PAIRS(-) TUNER_SCALED(*) TUNER_SCALED(/)
    template <class T, class = If<is_operand<T>>> friend Pair operator*(const T &k, const Pair &a) { return a * k; }
};
inline Int half(const Int &x) { return tape.flags.overflow |= x.value != std::int16_t(x.value), x; }
inline Int mg(const Pair &x) { return half(x.mg); }
inline Int eg(const Pair &x) { return half(x.eg); }
} // namespace tuner

namespace std {
using tuner::abs, tuner::ceil, tuner::clamp, tuner::exp, tuner::floor, tuner::log, tuner::max, tuner::min, tuner::pow,
    tuner::round, tuner::sqrt, tuner::tanh;
}

namespace tuner {
// ---- Tables of weights. -----------------------------------------------------------------------

// Where a weight is, and what stores a value there and tells whether the type holds it; none of a constant.
struct Slot { void *at; bool (*store)(void *, double); };
struct Table {
    string name, symbol, file;
    int line = 0, lanes = 1;
    bool is_plain = false;
    Ref first = 0; // the node of the first weight
    vector<size_t> shape;
    vector<double> values;
    vector<vector<Slot>> copies; // one, but where a header gives each source its own
    string place() const { return line ? file + ":" + to_string(line) : "a call"; }
};
struct Tables { vector<Table> all; string mistake; };
inline Tables &tables() { static Tables all; return all; }

template <class P> bool store(void *at, double v) {
    if (!is_real<P>) v = std::round(v);
    const bool fits = is_real<P> || (v >= double(std::numeric_limits<P>::lowest()) && v <= double(std::numeric_limits<P>::max()));
    return fits && (*static_cast<P *>(at) = P(v), true);
}
template <class P, Int Pair::*Half> bool store_half(void *at, double v) {
    P &packed = *static_cast<P *>(at);
    Pair both{packed};
    std::int16_t half = 0;
    const bool fits = store<std::int16_t>(&half, v);
    both.*Half = int(half);
    return fits && (packed = P(both.mg.value + both.eg.value * 65536), true);
}
template <class T, class = void> constexpr bool is_array = false;
template <class T> constexpr bool is_array<T, std::void_t<decltype(std::size(std::declval<T &>()))>> = true;

// Adds the numbers of a table, and the lengths of its arrays; returns how many an entry has.
template <class T> int visit(T &x, bool is_packed, Table &to, bool is_first = true) {
    using P = std::remove_const_t<T>;
    const auto add = [&](const void *at, double v, bool (*store)(void *, double)) {
        to.values.push_back(v);
        to.copies[0].push_back({const_cast<void *>(at), std::is_const_v<T> && !is_num<P> ? nullptr : store});
        return 1;
    };
    if constexpr (is_array<T>) {
        int lanes = 1;
        if (is_first) to.shape.push_back(std::size(x));
        for (auto &element : x) lanes = visit(element, is_packed, to, std::exchange(is_first, false));
        return lanes;
    } else if constexpr (is_num<P>) {
        x.ref = to.first + Ref(to.values.size());
        return add(&x.value, double(x.value), store<plain_t<P>>);
    } else if constexpr (std::is_arithmetic_v<P>) {
        to.is_plain = true;
        if (!is_packed) return add(&x, double(x), store<P>);
        const Pair both{int(x)};
        return add(&x, both.mg.value, store_half<P, &Pair::mg>) + add(&x, both.eg.value, store_half<P, &Pair::eg>);
    } else {
        auto &[mg, eg] = x; // an engine's own pair: two members that can be reached
        return visit(mg, false, to, false) + visit(eg, false, to, false);
    }
}

// ROOK_OPEN of `rookOpen`, `Terms::rook_open`, `terms.rook_open`.
inline string capitals(const string &name) {
    string to;
    char before = 0;
    for (const char c : name.substr(name.find_last_of(":. ") + 1)) {
        if (std::isupper(c) && std::islower(before)) to += '_';
        to += char(std::toupper(before = c));
    }
    return to;
}
// Declares a table of weights. What is wrong is answered when the evaluator is asked.
template <class T> bool table(const string &name, T &x, const char *file = "", int line = 0, bool is_packed = false) {
    vector<Table> &all = tables().all;
    Table added{capitals(name), name.find(' ') == string::npos && line ? name : capitals(name), file, line, 1, false, Ref(tape.nodes.size()), {}, {}, {{}}};
    if (tape.serving) throw Error("table " + added.name + " is declared after the start: declare it outside of functions, or before tuner::serve");
    const auto known = std::find_if(all.begin(), all.end(), [&](const Table &t) { return t.name == added.name; });
    const bool is_of_header = known != all.end() && line && known->place() == added.place();
    if (is_of_header) added.first = known->first;
    added.lanes = visit(x, is_packed, added);
    const void *const at = added.copies[0][0].at;
    if (is_of_header) {
        known->is_plain |= added.is_plain;
        if (known->copies[0][0].at != at) known->copies.push_back(added.copies[0]);
        return true;
    }
    for (const Table &other : all)
        if (other.name == added.name || other.copies[0][0].at == at)
            tables().mistake = "table " + added.name + " is declared twice: " + other.place() + " as " + other.name + ", and " + added.place();
    for (size_t i = 0; i < added.values.size(); ++i) tape.nodes.push_back({WEIGHT, 0, 0, 0, 0, 0, 0});
    return all.push_back(std::move(added)), true;
}
// Members of a struct, each a table; their names are in a list with commas.
template <class... T> bool members(const string &name, string list, const char *file, int line, T &...member) {
    const auto next = [&] {
        const string word = list.substr(0, list.find(','));
        list.erase(0, word.size() + 1);
        return capitals(name) + "_" + capitals(word);
    };
    return (table(next(), member, file, line) && ...);
}

// Reads a fit's `weights.txt` into the tables, in the engine as in the evaluator.
inline void load(const string &path) {
    std::ifstream file(path);
    if (!file) throw Error(path + ": cannot be opened");
    std::map<string, size_t> used;
    int number = 0;
    for (string line; std::getline(file, line);) {
        const auto expect = [&](bool is, const string &what) { if (!is) throw Error(path + ":" + to_string(number) + ": " + what); };
        const string name = line.substr(0, line.find_first_of(" [.\r"));
        const char *const blank = line.c_str() + std::min(line.find(' '), line.size());
        char *end = nullptr;
        const double value = std::strtod(blank, &end);
        if (++number, name.empty() || name[0] == '#') continue;
        expect(end != blank && std::isfinite(value), "expected NAME VALUE");
        const auto table = std::find_if(tables().all.begin(), tables().all.end(), [&](const Table &t) { return t.name == name; });
        expect(table != tables().all.end(), "there is no table " + name);
        const size_t n = used[name]++;
        expect(n < table->values.size(), name + " has only " + to_string(table->values.size()) + " weights");
        for (const vector<Slot> &slots : table->copies) {
            expect(slots[n].store, name + " is constant: declare it without const where weights are loaded");
            expect(slots[n].store(slots[n].at, value), "the type of " + name + " does not hold the value");
        }
        table->values[n] = value;
    }
    for (const Table &table : tables().all)
        if (used.count(table.name) && used[table.name] != table.values.size()) throw Error(path + ": not all values of " + table.name + " are there");
}

// ---- From the tape to a row. ------------------------------------------------------------------

// A sum of weights by number, and how often they count; and a step.
struct Form { double factor; vector<std::pair<Ref, std::int64_t>> terms; };
struct Step { int kind; std::int64_t a, b; double value, slack; };
struct Row {
    double score = 0, constant = 0, slack = 0;
    vector<Form> forms;
    vector<Step> steps;

    void of(double value, Ref root) {
        forms.clear();
        steps.clear();
        for (const Ref r : stepped) step_of[r] = -1;
        stepped.clear();
        step_of.resize(tape.nodes.size(), -1);
        derivative.resize(tape.nodes.size());
        reached.resize(tape.nodes.size() / 64 + 1);
        score = value;
        expand(root, true);
        if (root == 0) constant = value;
    }

private:
    vector<std::int64_t> step_of; // by node, -1 where there is none
    vector<Ref> stepped;          // nodes that have one
    vector<double> derivative;     // by node, 0 between sweeps
    vector<std::uint64_t> reached; // nodes that have one, 64 a word
    Ref highest = 0;               // of these

    void pass(Ref to, double by) {
        const Ref node = to & PLACE;
        if (node == 0) return;
        derivative[node] += by;
        reached[node / 64] |= std::uint64_t(1) << node % 64;
        highest = std::max(highest, node);
    }
    static Ref last_bit(std::uint64_t of) {
#ifdef __GNUC__
        return Ref(63 - __builtin_clzll(of));
#else
        Ref bit = 63;
        while (of >> bit == 0) --bit;
        return bit;
#endif
    }
    // Visits nodes from the last to the first; derivatives are passed downwards only.
    template <class F> void sweep(F visit) {
        for (size_t word = std::exchange(highest, 0) / 64 + 1; word-- > 0;)
            while (reached[word] != 0) {
                const Ref bit = last_bit(reached[word]), node = Ref(64 * word) + bit;
                reached[word] ^= std::uint64_t(1) << bit;
                visit(node, tape.nodes[node], std::exchange(derivative[node], 0));
            }
        highest = 0;
    }
    // Takes a number apart: constant + Σ factor·sum + Σ factor·nonlinear, within slack. Of the score
    // sums are forms with a factor, and a step has the rest; else the step that it returns has all.
    std::int64_t expand(Ref root, bool is_score) {
        vector<std::pair<Ref, double>> sums, nonlinear;
        double rest = 0, cut = 0;
        pass(tape.check(root), 1);
        sweep([&](Ref r, const Node &node, double by) {
            if (node.kind != LINEAR) return (node.kind < WEIGHT ? nonlinear : sums).emplace_back(r, by), void();
            rest += by * node.c;
            cut += std::abs(by) * node.slack;
            pass(node.a, by * node.ka);
            pass(node.b, by * node.kb);
        });
        // Equal factors share a form, and opposite ones.
        std::stable_sort(sums.begin(), sums.end(), [](auto &x, auto &y) { return std::abs(x.second) < std::abs(y.second); });
        std::int64_t total = -1;
        for (auto sum = sums.begin(); sum != sums.end();) {
            const double factor = sum->second;
            for (; sum != sums.end() && std::abs(sum->second) == std::abs(factor); ++sum) pass(sum->first, sum->second == factor ? 1 : -1);
            Form form{is_score ? factor : 0, {}};
            form.terms.reserve(64);
            sweep([&](Ref r, const Node &node, double by) {
                if (node.kind == WEIGHT && by != 0) form.terms.emplace_back(r - 1, std::int64_t(by));
                rest += factor * by * node.c;
                pass(node.a, by * node.ka);
                pass(node.b, by * node.kb);
            });
            if (form.terms.empty()) continue;
            size_t known = is_score ? forms.size() : 0;
            while (known < forms.size() && forms[known].terms != form.terms) ++known;
            if (known == forms.size()) forms.push_back(std::move(form));
            if (!is_score) add(total, push({INPUT, std::int64_t(known), 0, 0, 0}), factor);
        }
        if (is_score) {
            constant = std::exchange(rest, 0), slack = std::exchange(cut, 0);
            for (const auto &[of, how] : tape.guards) push({GUARD, step(of), how, 0, 0});
        }
        for (const auto &[node, factor] : nonlinear) add(total, step(node), factor);
        // A number has a step; that of the score is the last one, if there is any.
        if (is_score ? total + 1 < std::int64_t(steps.size()) : rest != 0 || cut > 0 || total < 0) add(total, push({VALUE, 0, 0, rest, 0}), 1);
        if (total >= 0) steps[size_t(total)].slack += cut;
        return total;
    }
    std::int64_t push(const Step &step) { return steps.push_back(step), std::int64_t(steps.size()) - 1; }
    void add(std::int64_t &sum, std::int64_t part, double factor) {
        if (factor != 1) part = push({MUL, part, push({VALUE, 0, 0, factor, 0}), 0, 0});
        sum = sum < 0 ? part : push({ADD, sum, part, 0, 0});
    }
    // The step that has the value of a node.
    std::int64_t step(Ref r) {
        std::int64_t &known = step_of[tape.check(r) & PLACE];
        if (known >= 0) return known;
        stepped.push_back(r & PLACE);
        const Node &node = tape.nodes[r & PLACE];
        if (node.kind >= WEIGHT) return known = expand(r, false);
        const std::int64_t a = step(node.a), b = node.b ? step(node.b) : std::int64_t(node.c);
        return known = push({node.kind, a, b, 0, node.slack});
    }
};

// Writes answers; rows as texts or as bytes, which have the same numbers and no words.
struct Writer {
    string to;
    bool in_bytes = false;

    Writer &operator<<(const string &text) { return to += text, *this; }
    Writer &operator<<(double v) {
        char text[40];
        std::snprintf(text, sizeof text, v == std::trunc(v) && std::abs(v) < 1e15 ? "%.0f" : "%.17g", v);
        return to += text, *this;
    }
    Writer &word(const char *text) { return in_bytes ? *this : *this << text; }
    Writer &real(double v) {
        if (!in_bytes) return *this << v;
        std::uint64_t all;
        std::memcpy(&all, &v, sizeof all);
        for (int i = 0; i < 8; ++i) to += char(all >> 8 * i);
        return *this;
    }
    Writer &whole(std::uint64_t v) {
        if (!in_bytes) return *this << to_string(v);
        for (; v >= 0x80; v >>= 7) to += char(v | 0x80);
        return to += char(v), *this;
    }
    Writer &integer(std::int64_t v) {
        return in_bytes ? whole(std::uint64_t(v) << 1 ^ (v < 0 ? ~std::uint64_t(0) : 0)) : *this << to_string(v);
    }
    // A number that only bytes have.
    void count(size_t n) { if (in_bytes) whole(n); }

    void row(const Row &row, double rounding, size_t nodes) {
        if (in_bytes) to += char((tape.flags.overflow ? 1 : 0) | 2 | 4 | (row.steps.empty() ? 0 : 8));
        word("row ").real(row.score).word(" slack ").real(row.slack).word(" constant ").real(row.constant);
        word(" rounding ").real(rounding).word(tape.flags.overflow ? " overflow nodes " : " nodes ").whole(nodes);
        count(row.forms.size());
        for (const Form &form : row.forms) {
            word(" form ").real(form.factor).count(form.terms.size());
            std::int64_t before = 0; // bytes have differences
            for (const auto &[weight, times] : form.terms) {
                word(" ").integer(weight - before).word(":").integer(times);
                if (in_bytes) before = weight;
            }
        }
        if (row.steps.empty()) return;
        Writer values{"", true}, slacks{"", true}; // which bytes have at the end
        std::int64_t value = 0, with_slack = 0;
        count(row.steps.size());
        for (size_t i = 0; i < row.steps.size(); ++i) {
            const Step &step = row.steps[i];
            const int operands = STEPS[step.kind].operands;
            if (in_bytes) to += char(step.kind);
            word(" step ").word(STEPS[step.kind].name);
            if (step.kind == VALUE) in_bytes ? integer(value++) : *this << " " << step.value, values.real(step.value);
            if (operands > 0) word(" ").integer(step.a);
            if (step.kind == GUARD) word(RELATIONS[step.b]);
            if (operands > 1 && (in_bytes || step.kind != GUARD)) word(" ").integer(step.b);
            if (step.slack == 0) continue;
            if (!in_bytes) *this << " slack " << step.slack;
            ++with_slack, slacks.whole(i).real(step.slack);
        }
        if (in_bytes) whole(std::uint64_t(value)) << values.to, whole(std::uint64_t(with_slack)) << slacks.to;
    }
};

// ---- The evaluator. ---------------------------------------------------------------------------

// Where a quiescence search ends: its score, of the player to move, and its last position, as a
// text; empty where nothing was played.
struct Quiet { int score; string leaf; };
template <class Position, class Score = Int> struct Engine {
    static_assert(is_num<Score>, "the evaluation returns a plain number: compile it with the types of this header, "
                                 "as by -DTUNE, and let it return tuner::Int or tuner::Real");
    string name, game = "chess";
    bool side_to_move = true;                     // whose view scores have; else the first player's
    std::function<Position(const string &)> read; // throws where the text is no position
    std::function<Score(Position &)> evaluate;
    // What follows may be left out.
    std::function<void()> derive;                          // computes tables from weights
    std::function<std::optional<Quiet>(Position &)> quiet; // none where the search ends in mate
    std::function<bool(const string &)> first_to_move;     // without it as FEN and SFEN say
    std::function<double(const string &)> production;      // the evaluation compiled with plain types
    bool rereads = false;                                  // reading a position adds up scores
};

template <class Position, class Score> class Server {
public:
    Server(const Engine<Position, Score> &of, const string &program) : engine(of) {
        std::ifstream file(program, std::ios::binary);
        for (char c; file.get(c);) build = (build ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
        for (const Table &table : tables().all) {
            if (mistake.empty() && table.is_plain) mistake = "table " + table.name + " has plain numbers: compile all of the evaluation with the types of this header";
            source.insert(source.end(), table.values.begin(), table.values.end());
        }
        if (source.empty()) mistake = "no table is declared: write TUNER_TABLE(name) behind each table of weights";
        tape.serving = true;
        if (mistake.empty()) mistake = words_of([&] { set(source); });
    }
    int run() {
        std::ios::sync_with_stdio(false);
        for (string line; std::getline(std::cin, line) && line.compare(0, 4, "quit") != 0;) {
            const size_t before = out.to.size();
            string error = mistake.empty() ? words_of([&] { answer(line.substr(0, line.find_last_not_of(" \r") + 1)); }) : mistake;
            std::replace(error.begin(), error.end(), '\n', ' ');
            if (!error.empty()) out.to.resize(before), out << "error " << error << "\n";
            // Questions come in batches: answers go when no more of them are at hand.
            if (std::cin.rdbuf()->in_avail() <= 0 || out.to.size() > 4000) std::cout << std::exchange(out.to, "") << std::flush;
        }
        std::cout << out.to << std::flush;
        return 0;
    }

private:
    const Engine<Position, Score> &engine;
    string &mistake = tables().mistake;
    vector<double> source, values;
    std::uint64_t build = 0xcbf29ce484222325u;
    bool has_warned = false;
    string text; // of the position
    std::unique_ptr<Position> position;
    Row row;
    Writer out, payload;

    // What is thrown, in words.
    template <class F> static string words_of(F f) {
        try {
            return f(), "";
        } catch (const std::exception &error) {
            return *error.what() ? error.what() : "an exception without words";
        } catch (...) {
            return "the evaluation threw what is no std::exception";
        }
    }
    void set(const vector<double> &to) {
        for (const Table &table : tables().all)
            for (const vector<Slot> &slots : table.copies)
                for (size_t i = 0; i < slots.size(); ++i) {
                    const double v = to[table.first - 1 + i];
                    if (!slots[i].store(slots[i].at, v)) return set(values), throw Error("the type of " + table.name + " does not hold " + to_string(v));
                }
        values = to;
        tape.derive(source.size(), engine.derive);
    }
    Score evaluated(bool records) {
        if (!position) throw Error("found no position, expected `position FEN` before");
        struct Stop { ~Stop() { tape.recording = false; } } stop;
        tape.begin(records);
        if (engine.rereads) position.reset(new Position(engine.read(text)));
        Score score = engine.evaluate(*position);
        if (!std::isfinite(double(score.value))) tape.flags.overflow = true;
        if (!tape.flags.overflow) return score;
        if (!std::exchange(has_warned, true))
            std::cerr << "a number of the evaluation is beyond its type or not finite, first at: " << text << std::endl;
        return 0;
    }
    bool first() const {
        const size_t blank = text.find(' ');
        if (engine.first_to_move) return engine.first_to_move(text);
        return blank != string::npos && text.compare(blank + 1, 1, engine.game == "shogi" ? "b" : "w") == 0;
    }
    // An evaluation, of the player to move.
    int standing() {
        const double score = double(evaluated(false).value);
        return int(std::lround(engine.side_to_move || first() ? score : -score));
    }
    void take(const string &to) {
        position.reset();
        text = to;
        position.reset(new Position(engine.read(text)));
    }
    void answer(const string &line) {
        const string word = line.substr(0, line.find(' ')), rest = line.size() > word.size() ? line.substr(word.size() + 1) : "";
        if (word.empty()) return;
        if (word == "position") {
            take(rest);
            out << (first() ? "position first\n" : "position second\n");
        } else if (word == "score") {
            const double score = double(evaluated(false).value);
            out << "score " << (engine.production && values == source && !tape.flags.overflow ? engine.production(text) : score) << (tape.flags.overflow ? " overflow\n" : "\n");
        } else if (word == "trace") {
            const Score score = evaluated(true);
            row.of(double(score.value), score.ref);
            const size_t nodes = tape.nodes.size() - tape.base;
            const double rounding = tape.flags.epsilon * double(nodes + 1);
            payload.to.clear();
            payload.row(row, rounding, nodes);
            out << (payload.in_bytes ? "bytes " + to_string(payload.to.size()) + "\n" + payload.to : payload.to + "\n");
        } else if (word == "set") {
            vector<double> next = rest == "source" ? source : values;
            for (const char *at = rest.c_str(); rest != "source" && *at;) {
                char *end = nullptr;
                const unsigned long weight = std::strtoul(at, &end, 10);
                if (end == at || *end != '=' || weight >= next.size()) throw Error("found `" + string(at).substr(0, 60) + "`, expected NUMBER=VALUE, or `set source`");
                next[weight] = std::strtod(at = end + 1, &end);
                if (end == at || !std::isfinite(next[weight])) throw Error("expected a finite value behind " + to_string(weight) + "=");
                for (at = end; *at == ' ';) ++at;
            }
            set(next);
            out << "ok\n";
        } else if (word == "bytes" && (rest == "on" || rest == "off")) {
            payload.in_bytes = rest == "on";
            out << "ok\n";
        } else if (word == "tuner") {
            out << "version 1\nlanguage cpp\nname " << engine.name << "\ngame " << engine.game << "\nview " << (engine.side_to_move ? "side-to-move" : "first-player")
                << "\nbuild " << to_string(build) << "\ncan trace bytes" << (engine.quiet ? " quiet" : "") << "\nok\n";
        } else if (word == "weights") {
            for (const Table &table : tables().all) {
                out << "parameter " << table.name << (table.symbol == table.name ? "" : " symbol " + table.symbol) << (table.shape.empty() ? "" : " shape ");
                for (size_t n = 0; n < table.shape.size(); ++n) out << (n ? "," : "") << to_string(table.shape[n]);
                out << " lanes " << to_string(table.lanes);
                if (table.line && table.file.find(' ') == string::npos) out << " file " << table.file << " line " << to_string(table.line);
                out << " values";
                for (const double value : table.values) out << " " << value;
                out << "\n";
            }
            out << "ok\n";
        } else if ((word == "look" || word == "resolve") && engine.quiet) {
            const bool mover = first();
            const int now = standing();
            const std::optional<Quiet> found = engine.quiet(*position);
            if (word == "look") return void(out << "look " << now << " " << (found ? found->score : now) << "\n");
            if (!found) return void(out << "resolve none\n");
            const bool is_leaf = !found->leaf.empty();
            if (is_leaf) take(found->leaf);
            out << "resolve " << found->score << " " << (mover == first() ? standing() : -standing());
            out << (is_leaf ? string(" leaf ") + (first() ? "first " : "second ") + text + "\n" : "\n");
        } else throw Error("found `" + word + "`, expected tuner, weights, set, position, score, trace, bytes or quit");
    }
};

// Answers on standard input and output until its end: `return tuner::serve(engine, argv[0]);` ends
// the evaluator's main. The program's file tells this build from others.
template <class Position, class Score> int serve(const Engine<Position, Score> &engine, const string &program) {
    return Server<Position, Score>(engine, program).run();
}
} // namespace tuner

// Behind the declaration of a table, outside of functions: its name, shape and values are those of
// the declaration. An engine without this header defines these macros as nothing.
#define TUNER_TABLE(name) [[maybe_unused]] static const bool tuner_table_##name = ::tuner::table(#name, name, __FILE__, __LINE__);
// The same where production has an integer that packs two halves.
#define TUNER_PACKED(name) [[maybe_unused]] static const bool tuner_table_##name = ::tuner::table(#name, name, __FILE__, __LINE__, true);
// A struct of weights: all its members, in their order.
#define TUNER_STRUCT(name, ...) \
    [[maybe_unused]] static const bool tuner_table_##name = [](auto &all) { \
        auto &[__VA_ARGS__] = all; \
        return ::tuner::members(#name, #__VA_ARGS__, __FILE__, __LINE__, __VA_ARGS__); \
    }(name);

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
