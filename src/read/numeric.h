/*-------------------------------------------------------------------------
 *
 * numeric.h
 *	  Values of type numeric as float8.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_NUMERIC_H
#define GPUFIM_NUMERIC_H

#include "compat.h"
#include "read/rows.h"

/*
 * Converts a probability of the row that is being read to float8, with the result of a cast, or
 * with its error.  The value may be toasted or have a short header.  The cast goes through text.
 * That is avoided here for 0 and for positive numbers of up to 15 significant digits, unless they
 * are tiny or multiples of 10000.  For all others the cast is called, and leaves its garbage in
 * the ledger's scratch context.
 */
extern float8 NumericToFloat8(Datum value, const GpufimRows *rows);

#endif							/* GPUFIM_NUMERIC_H */
