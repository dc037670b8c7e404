/*-------------------------------------------------------------------------
 *
 * significance.h
 *	  Counting given episodes on surrogates.
 *
 * Included by cpu_engine.c and by significance.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_SIGNIFICANCE_H
#define FIM_SIGNIFICANCE_H

#include "worker.h"

/* Take units, which are surrogates, until none is left. */
extern FimResult MineSurrogates(Worker *w);

#endif							/* FIM_SIGNIFICANCE_H */
