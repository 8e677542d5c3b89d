// An evaluation with the mistake that its position names; -DTWICE declares a table twice.
#include <stdexcept>

#include "tuner.hpp"

const tuner::Int A[2] = {100, 3};
TUNER_TABLE(A)
#ifdef TWICE
const tuner::Int B[2] = {1, 2};
bool again = tuner::table("A", B, __FILE__, __LINE__);
#endif

tuner::Int evaluate(const std::string &position) {
    static tuner::Int cached;
    if (position == "throw") throw std::runtime_error("no such\nposition");
    if (position == "throw 7") throw 7;
    if (position == "zero") return A[0] / int(position.size() - 4);
    if (position == "large") return A[0] * 2000000000 + A[1];
    if (position == "unsigned") return (A[0] - 200) * 1u / 2u;
    if (position == "fill") cached = A[0] * 2;
    if (position == "cache") return cached;
    if (position == "late") tuner::table("LATE", A[1]);
#ifdef PLAIN
    return int(A[0]);
#endif
    return A[0] + int(position.size()) * A[1];
}

int main(int, char **argv) {
    tuner::Engine<std::string> engine;
    engine.name = engine.game = "faults";
    engine.side_to_move = false;
    engine.read = [](const std::string &text) { return text; };
    engine.first_to_move = [](const std::string &) { return true; };
    engine.evaluate = evaluate;
    return tuner::serve(engine, argv[0]);
}
