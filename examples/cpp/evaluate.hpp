// The evaluation.
#ifndef EVALUATE_HPP
#define EVALUATE_HPP

#include "position.hpp"
#include "score.hpp"

// In centipawns, of the side to move.
Value evaluate(const Position &position);

#endif
