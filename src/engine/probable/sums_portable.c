/*
 * sums_portable.c
 *	  The loops for any processor.
 */
#include "sums_plain.h"

const ProbableSums SumsPortable = {Bits, List, Dense, BitsSquares, ListSquares, DenseSquares, Pick, Turn};
