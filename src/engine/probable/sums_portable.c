/*
 * sums_portable.c
 *	  The loops for any processor.
 */
#include "sums_plain.h"

const ProbableSums SumsPortable = {Bits, List, BitsSquares, ListSquares, Pick, Turn};
