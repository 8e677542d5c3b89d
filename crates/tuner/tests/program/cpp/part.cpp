#include "../cpp/./tables.hpp" // by another path than tables.cpp

Score part(int n) { return T[0] * n + Score(S(1, 1)) * n; }
