// Numbers of the evaluation: plain to play, recorded under -DTUNE.
#ifndef SCORE_HPP
#define SCORE_HPP

#include <cstdint>

#ifdef TUNE
#include "../../include/tuner.hpp"
using Value = tuner::Int;
using Score = tuner::Pair;
#define S(mg, eg) tuner::Pair(mg, eg)
inline Value mg_value(const Score &s) { return tuner::mg(s); }
inline Value eg_value(const Score &s) { return tuner::eg(s); }
#else
using Value = int;
typedef int S; // middlegame in the lower half, endgame in the upper one
using Score = S;
#define S(mg, eg) (int(unsigned(eg) << 16) + (mg))
inline Value mg_value(Score s) { return std::int16_t(std::uint16_t(unsigned(s))); }
inline Value eg_value(Score s) { return std::int16_t(std::uint16_t(unsigned(s + 0x8000) >> 16)); }
#define TUNER_TABLE(name)
#endif

#endif
