/*
 * sums_avx2.c
 *	  The plain loops with AVX2, BMI2 and POPCNT.
 */
#if defined(__x86_64__) && defined(__GNUC__)
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2,popcnt,lzcnt"))), apply_to = function)
#else
#pragma GCC target("avx2,bmi,bmi2,popcnt,lzcnt")
#endif
#include "sums_plain.h"

const ProbableSums SumsAvx2 = {Bits, List, Dense, BitsSquares, ListSquares, DenseSquares, Pick, Turn};

#ifdef __clang__
#pragma clang attribute pop
#endif
#endif
