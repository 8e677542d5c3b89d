// Keeps what it computes of weights, in three ways; a position says in which, and a number.
#include "tuner.hpp"
using Value = tuner::Int;

Value A[2] = {30, 5};
TUNER_TABLE(A)
static const bool IS_LARGE = A[0] > 20;
static const std::size_t AT = A[1];
constexpr int COUNTS[8] = {1, 2, 3, 4, 5, 6, 7, 8};

struct Position {
    std::string how;
    int n;
};

Value evaluate(const Position &position) {
    const Value sum = A[0] * position.n + A[1];
    if (position.how == "start") return sum * (IS_LARGE ? 7 : 3);
    if (position.how == "index") return sum * COUNTS[AT % 8];
    static const bool is_large = A[0] > 20;
    if (position.how == "first") return sum * (is_large ? 7 : 3);
    return sum * (A[0] > 20 ? 7 : 3);
}

int main(int, char **argv) {
    tuner::Engine<const Position> engine;
    engine.name = engine.game = "kept";
    engine.side_to_move = false;
    engine.first_to_move = [](const std::string &) { return true; };
    engine.read = [](const std::string &text) {
        const auto space = text.find(' ');
        return Position{text.substr(0, space), std::stoi(text.substr(space))};
    };
    engine.evaluate = evaluate;
    return engine.serve(argv[0]);
}
