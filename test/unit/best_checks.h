/*-------------------------------------------------------------------------
 *
 * best_checks.h
 *	  Whether an engine finds the best partners of values: those that come of sorting all pairs
 *	  of random relations, and where that takes too long, those that the CPU engine finds by rows.
 *
 * The functions print what is wrong, as comments, and return false if something is.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BEST_CHECKS_H
#define BEST_CHECKS_H

#include "set_checks.h"

/* Scores of random numbers by the formulas. */
extern bool CheckScores(uint64_t seed);

/* Random relations of all shapes, with random tasks, which are stopped, too. */
extern bool CheckBestOfRandom(const SetsEngine *engine, uint64_t seed);

/* Relations of more values than a tile has, of which batches have no room for all partners; and of rows with few paths. */
extern bool CheckBestOfMany(const SetsEngine *engine, uint64_t seed);
extern bool CheckBestOfThin(const SetsEngine *engine, uint64_t seed);

/*
 * So many values that a device does not have them at a time, with rows of all numbers of paths, and many partners
 * that are equally good.
 */
extern bool CheckBestOfWide(const SetsEngine *engine, uint64_t seed);

#endif							/* BEST_CHECKS_H */
