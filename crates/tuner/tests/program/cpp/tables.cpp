// With plain numbers, prints what it loads. Under -DTUNE, an evaluator of positions that are a
// number: reading one adds up a score, and a quiescence search takes 10 from it above 3.
#include "tables.hpp"

#ifdef TUNE
struct Position {
    Score sum;
    int n;
};

int main(int, char **argv) {
    tuner::Engine<Position> engine;
    engine.name = engine.game = "tables";
    engine.rereads = true;
    engine.first_to_move = [](const std::string &text) { return text[0] != '-'; };
    engine.read = [](const std::string &text) {
        const int n = std::stoi(text);
        return Position{T[1] * n, n};
    };
    engine.evaluate = [](Position &position) {
        const Score score = position.sum + part(position.n);
        return tuner::mg(score) * 2 + tuner::eg(score);
    };
    engine.quiet = [](Position &position) -> std::optional<tuner::Quiet> {
        if (position.n == 9) return {};
        return tuner::Quiet{position.n, position.n > 3 ? std::to_string(position.n - 10) : ""};
    };
    return engine.serve(argv[0]);
}
#else
int main() {
    try {
        tuner::load("weights.txt");
    } catch (const tuner::Error &error) {
        std::cout << error.what() << std::endl;
    }
    std::cout << T[0] << ' ' << T[1] << ' ' << U << ' ' << part(1) << std::endl;
}
#endif
