/*-------------------------------------------------------------------------
 *
 * prefix.h
 *	  Strategy "prefix": similar sets by their rarest keys.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_SETS_PREFIX_H
#define FIM_SETS_PREFIX_H

#include "cells.h"

typedef struct Prefix Prefix;

/* Makes the index of all sets, in memory from the joiner's arena. */
extern Prefix *PrefixNew(Joiner *j, Cells *cells);

/* Find the results of the ranks "from" to "to" - 1. */
extern void PrefixJoin(Prefix *prefix, uint32_t from, uint32_t to);

#endif							/* FIM_SETS_PREFIX_H */
