// Answers `tuner` on standard input and output; compiled with -DTUNE, as evaluate.cpp for it is.
#include "evaluate.hpp"

int production(const Position &position); // evaluate.cpp with plain numbers

int main(int, char **argv) {
    tuner::Engine<const Position> engine;
    engine.name = "cpp-example";
    engine.read = [](const std::string &fen) { return Position(fen); };
    engine.evaluate = evaluate;
    engine.production = [](const std::string &fen) { return production(Position(fen)); };
    return engine.serve(argv[0]);
}
