// The engine, as far as this example goes: prints the score of each FEN on standard input.
#include <iostream>
#include <stdexcept>

#include "evaluate.hpp"

int main() {
    for (std::string fen; std::getline(std::cin, fen);) {
        try {
            std::cout << evaluate(Position(fen)) << '\n';
        } catch (const std::invalid_argument &wrong) {
            std::cout << wrong.what() << '\n';
        }
    }
}
