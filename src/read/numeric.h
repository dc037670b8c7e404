/*-------------------------------------------------------------------------
 *
 * numeric.h
 *	  Values of type numeric as float8.
 *
 * Included by receiver.h.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_NUMERIC_H
#define GPUFIM_NUMERIC_H

#include "compat.h"

/*
 * What a cast to float8 makes of the value, which may be toasted or have a short
 * header; raises an error where the cast does.  The cast goes through text; this does not for
 * positive numbers of up to 15 significant digits, unless they are tiny or huge.  What the
 * cast leaves in memory is left in "scratch".
 */
extern float8 NumericToFloat8(Datum value, MemoryContext scratch);

#endif							/* GPUFIM_NUMERIC_H */
