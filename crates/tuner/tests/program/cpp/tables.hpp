// Tables of a header that two sources include: each has its own copy.
#ifndef TABLES_HPP
#define TABLES_HPP
#ifdef UPPER_MG
#define TUNER_UPPER mg
#elif !defined(NO_UPPER)
#define TUNER_UPPER eg
#endif
#include "tuner.hpp"
#ifdef TUNE
using Value = tuner::Int;
using Score = tuner::Pair;
#else
using Value = int;
using Score = int;
#endif
#ifdef UPPER_MG
#define S(mg, eg) (int(unsigned(mg) << 16) + (eg))
#else
#define S(mg, eg) (int(unsigned(eg) << 16) + (mg))
#endif
static Score T[2] = {S(3, -5), S(-2, 7)};
TUNER_PACKED(T)
[[maybe_unused]] static Value U = 4;
TUNER_TABLE(U)
Score part(int n); // of the other source
#endif
