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

#include "engine/arena.h"
#include "engine/family.h"

#define FIM_MOST_PARTS	1024

/*
 * A unit is divided if more than one in so many parts of a part's share of the work is expected of it.  So there are about as many units
 * for each part that are divided, at most.
 */
#define FIM_DIVIDED_OF_PART	32

/* Does a task give a part of its results only? */
static inline bool
FimIsPart(const FimPart *part)
{
	return part->of > 1;
}

/* Something of a unit, by a number of the family's that all calls have for it, and the work that is expected of it. */
typedef struct FimWork
{
	uint64_t	work;
	uint32_t	number;
} FimWork;

/*
 * What FimDeal() asks about a unit: the work that is expected of all of it but its pieces, and these, if it can be divided.  There is room
 * for the most pieces that a unit can have.
 */
typedef uint64_t (*FimWorkOf) (void *context, uint32_t unit, FimWork *pieces, uint32_t *npieces);

/* A piece of a unit that is divided. */
typedef struct FimPiece
{
	uint32_t	number;
	uint16_t	part;
} FimPiece;

/* What is whose.  Arrays are from an arena. */
typedef struct FimDealt
{
	uint32_t	own;			/* the task's part */
	uint32_t	n;
	uint16_t   *part;			/* [n] of each unit, or of what it has besides its pieces */
	bool	   *concerned;		/* [n] some of the unit is of the task's part */
	uint64_t   *pieces_at;		/* [n + 1] where the pieces of a unit begin; it has none if it is not divided */
	FimPiece   *pieces;

	/* the unit at hand, see FimBeginUnit() */
	bool		divided;		/* it has pieces, and what is at hand is all of it */
	bool		rest;			/* the task's part has what is in no piece */
	uint16_t   *of_piece;		/* [numbers] the part + 1; 0 if there is no such piece, which then belongs to the rest */
} FimDealt;

/*
 * Deal n units to the parts, the largest first, each to the part that has least.  If divide is true, units are divided of which
 * so much is expected that the parts would be of different sizes.  A unit has each piece once, and their numbers are below "numbers".  Leaves by the
 * arena's jump if there is no memory.
 */
extern void FimDeal(FimDealt *dealt, const FimPart *part, uint32_t n, uint32_t numbers, bool divide, FimWorkOf work_of,
					void *context, Arena *arena);

/* Has the task's part a unit, or what it has besides its pieces? */
static inline bool
FimHasUnit(const FimDealt *dealt, uint32_t unit)
{
	return dealt->part[unit] == dealt->own;
}

/*
 * Go on to a unit.  Returns false if it has nothing for the task's part; otherwise FimEndUnit() must follow.  "dealt" is NULL if the
 * task gives all results.
 */
static inline bool
FimBeginUnit(FimDealt *dealt, uint32_t unit)
{
	if (dealt == NULL)
		return true;
	if (!dealt->concerned[unit])
		return false;
	for (uint64_t p = dealt->pieces_at[unit]; p < dealt->pieces_at[unit + 1]; p++)
		dealt->of_piece[dealt->pieces[p].number] = (uint16_t) (dealt->pieces[p].part + 1);
	dealt->divided = dealt->pieces_at[unit] < dealt->pieces_at[unit + 1];
	dealt->rest = FimHasUnit(dealt, unit);
	return true;
}

static inline void
FimEndUnit(FimDealt *dealt, uint32_t unit)
{
	if (dealt == NULL)
		return;
	for (uint64_t p = dealt->pieces_at[unit]; p < dealt->pieces_at[unit + 1]; p++)
		dealt->of_piece[dealt->pieces[p].number] = 0;
	dealt->divided = false;
}

/*
 * What is done at the top of a unit that is divided gives only the results of the task's part: those of some pieces, and perhaps the
 * rest.  Nothing below a piece is divided.  So whoever goes on to the pieces asks FimTakesPieces(), once, which is true at the top
 * alone, and then for each of them FimHasPiece().  "dealt" is NULL if the task gives all results.
 */
static inline bool
FimHasRest(const FimDealt *dealt)
{
	return dealt == NULL || !dealt->divided || dealt->rest;
}

static inline bool
FimTakesPieces(FimDealt *dealt)
{
	bool		divided = dealt != NULL && dealt->divided;

	if (divided)
		dealt->divided = false;
	return divided;
}

static inline bool
FimHasPiece(const FimDealt *dealt, uint32_t number)
{
	return dealt->of_piece[number] == 0 ? dealt->rest : dealt->of_piece[number] == dealt->own + 1;
}

/*
 * Logarithms as whole numbers, from which works are estimated, so that they are the same everywhere.
 */

#define FIM_LOG_BITS	12

/* The logarithm of a number from 1 up to the base 2, times 2^FIM_LOG_BITS. */
extern uint32_t FimLog2(uint64_t n);

/*
 * Fingerprints.
 *
 * The fingerprint of a call for a part says what was divided: two calls with the same one have the same deal, so their parts fit
 * together.  A fingerprint of things in any order is the sum of theirs.
 */

/* The fingerprint of two things in this order. */
extern uint64_t FimFingerprint2(uint64_t first, uint64_t second);

/* The fingerprint of bytes, and of a number's. */
extern uint64_t FimFingerprintOf(const void *bytes, size_t n);
extern uint64_t FimFingerprintOfNumber(double number);

#endif							/* FIM_PARTS_H */
