/*-------------------------------------------------------------------------
 *
 * set_timing.h
 *	  How long a GPU takes to multiply sets.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SET_TIMING_H
#define SET_TIMING_H

#include "engine/gpu.h"

/*
 * Times a strategy, or all of them if it is -1.  "what" is
 *
 *		FILE						A*A of a graph: lines "row column"
 *		@FILE						A*At of a graph
 *		SETS,KEYS,DENSITY			pairs of sets that hold each key with the same probability, with
 *									at least two keys in common
 *		=SETS,KEYS,DENSITY			the same sets, with at least one, uncounted
 *		SETS,KEYS,SIZE,THRESHOLD	sets of about the same size, one in ten being like the one before
 *									it, that are similar by Jaccard
 *		CUSTOMERS,ITEMS,PAIRS,K,MEASURE	the K best partners of each item of purchases.h, by a FimSetsMeasure;
 *									the CPU engine finds them, too
 *
 * Prints for each of the runs the results, milliseconds by the clock and by phase on the device, and
 * elements a second by the measure of Amossen and Pagh: the elements of both sets of each pair,
 * over the time.  Returns the program's status.
 */
extern int	TimeSets(const FimGpuFamily *gpu, int strategy, const char *what, int runs);

#endif							/* SET_TIMING_H */
