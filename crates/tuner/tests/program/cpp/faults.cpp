// An evaluation with the mistake that its position names; -DTWICE and -DONE_LINE declare a
// table twice, -DMIXED has a table that another source has with plain numbers, -DOTHER other weights in each process.
#include <csignal>
#include <stdexcept>

#define TUNER_UPPER eg
#include "tuner.hpp"

extern const tuner::Int A[2];
const tuner::Int EARLY_COPY = A[0], EARLY_SUM = A[0] + A[1]; // before A is declared
const tuner::Int A[2] = {100, 3};
TUNER_TABLE(A)
const tuner::Num<std::uint8_t> SMALL = 200;
TUNER_TABLE(SMALL)
const tuner::Int TWO_HUNDRED = A[0] * 2;
const tuner::Num<long long> LONG = 4000000000;
TUNER_TABLE(LONG)
#ifdef MIXED
#define TUNE
#include "tables.hpp"
#endif
#ifdef OTHER
#include <unistd.h>
const tuner::Int OWN = int(getpid());
TUNER_TABLE(OWN)
#endif
#ifdef TWICE
const tuner::Int B[2] = {1, 2};
bool again = tuner::table("A", B, __FILE__, __LINE__);
#endif
#ifdef PLAIN
struct Four { tuner::Int v[4]; } FOUR[2];
TUNER_TABLE(FOUR)
#endif
#ifdef ONE_LINE
const tuner::Int rookOpen = 1, rook_open = 2;
TUNER_TABLE(rookOpen) TUNER_TABLE(rook_open)
#endif

tuner::Int evaluate(const std::string &position) {
    static tuner::Int cached;
    if (position == "throw") throw std::runtime_error("no such\nposition");
    if (position == "throw 7") throw 7;
    if (position == "zero") return A[0] / int(position.size() - 4);
    if (position == "crash") std::raise(SIGSEGV);
    if (position == "derived") return TWO_HUNDRED;
    if (position == "rest") return A[0] % (A[1] - A[1]);
    if (position == "long") return tuner::Int(LONG);
    if (position == "longer") return tuner::Int(LONG * LONG * 4);
    if (position == "large") return A[0] * 2000000000 + A[1];
    if (position == "unsigned") return (A[0] - 200) * 1u / 2u;
    if (position == "fill") cached = A[0] * 2;
    if (position == "cache") return cached;
    if (position == "copied") return EARLY_COPY;
    if (position == "early") return EARLY_SUM;
    if (position == "index") return A[0] + position[A[1]];
    if (position == "wide") return A[0] + 3 * std::int64_t(A[1]);
    if (position == "small") return A[0] + 1000 * SMALL;
    if (position == "eight") return tuner::Num<std::uint8_t>(A[0] * 2 + A[1] * 20) * 2;
    if (position == "frozen") return A[0] + position[tuner::frozen(A[1])];
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
    return engine.serve(argv[0]);
}
