/*-------------------------------------------------------------------------
 *
 * parts.h
 *	  Parts of a task, which may be done by calls on different machines.
 *
 * A task can be divided into parts: each gives some of the results, and all parts together give each
 * result exactly once.  A family divides its results into units and says how much work it expects of each, and
 * FimDeal() deals these to the parts.  Calls do not talk to each other.  So whatever the deal depends on has to be the same in all
 * of them: it may depend on the spec and the data as a set, but not on the order in which they were read, the engine,
 * the number of workers or how long something took.  For this reason works are whole numbers, and what is computed to find them
 * must not depend on how a compiler rounds.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_PARTS_H
#define FIM_PARTS_H

#include "engine/family.h"

#define FIM_MOST_PARTS	1024

/* A unit, by a number that is the same in all calls, and the work that is expected of it. */
typedef struct FimWork
{
	uint64_t	work;
	uint32_t	unit;
} FimWork;

/* Does a task give a part of its results only? */
static inline bool
FimIsPart(const FimSpec *spec)
{
	return spec->parts > 1;
}

/*
 * Deal n units to the parts, the largest first, each to the part that has least.  The units are sorted meanwhile; part[unit] is set
 * for each of them.
 */
extern void FimDeal(FimWork *units, uint32_t n, uint32_t parts, uint16_t *part);

/*
 * Fingerprints.
 *
 * The fingerprint of a call for a part says what was divided: two calls with the same one have the same deal, so their parts fit
 * together.  A fingerprint of things in any order is the sum of theirs.
 */

/* The fingerprint of two things in this order. */
extern uint64_t FimFingerprint2(uint64_t first, uint64_t second);

/* The fingerprint of bytes. */
extern uint64_t FimFingerprintOf(const void *bytes, size_t n);

#endif							/* FIM_PARTS_H */
