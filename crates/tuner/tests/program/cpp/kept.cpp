// Keeps what it computes of weights, in several ways; a position says in which, and a number.
#include "tuner.hpp"
using Value = tuner::Int;

Value A[2] = {20, 5}, ZERO = 0;
TUNER_TABLE(A)
TUNER_TABLE(ZERO)
static const bool IS_LARGE = A[0] > 100;
static const std::size_t AT = A[1];
static const int ODD = tuner::frozen(A[0]) % 2;
constexpr int COUNTS[8] = {1, 2, 3, 4, 5, 6, 7, 8};

struct Position {
    std::string how;
    int n;
    mutable int kept = 0;
};

int once(const Position &position) { // of the first position, or of each
    static const bool is_within = A[0] > 0 && A[0] < 30, is_not_zero = ZERO != 0;
    if (position.how == "first") return is_within ? 7 : 3;
    if (position.how == "zero") return is_not_zero ? 7 : 3;
    if (position.kept == 0) position.kept = A[0] > 30 ? 7 : 3;
    return position.kept;
}

Value evaluate(const Position &position) {
    const Value sum = A[0] * position.n + A[1] + ZERO * (position.n % 3);
    if (position.how == "start") return sum * (IS_LARGE ? 7 : 3);
    if (position.how == "odd") return sum * (ODD ? 7 : 3);
    if (position.how == "index") return sum * COUNTS[AT % 8];
    if (position.how != "each") return sum * once(position);
    return sum * (A[0] > 20 ? 7 : 3);
}

int main(int, char **argv) {
    tuner::Engine<const Position> engine;
    engine.name = engine.game = "kept";
    engine.side_to_move = false;
    engine.first_to_move = [](const std::string &) { return true; };
    engine.read = [](const std::string &text) {
        const auto space = text.find(' ');
        Position position{text.substr(0, space), std::stoi(text.substr(space))};
        if (position.how == "reading") position.kept = A[0] > 30 ? 7 : 3;
        return position;
    };
    engine.evaluate = evaluate;
    return engine.serve(argv[0]);
}
