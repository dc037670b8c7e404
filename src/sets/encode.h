/*-------------------------------------------------------------------------
 *
 * encode.h
 *	  From relations that have been read to the data that the engine multiplies.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_SETS_ENCODE_H
#define GPUFIM_SETS_ENCODE_H

#include "engine/sets/sets.h"
#include "items.h"
#include "sets/relation.h"
#include "work/job.h"

/* The values of a relation that the engine multiplies, in the sort order of their type. */
typedef struct KeptValues
{
	GpufimItems *items;			/* NULL: values are numbers of rows, all kept */
	uint32		n;
	uint64		npairs;			/* an upper bound of the number of their pairs */
} KeptValues;

/*
 * Number the values of a relation that have at least "least" pairs.  Frees the relation's
 * dictionary of values.  "listed" says that the result needs the values themselves.
 */
extern KeptValues KeepValues(PairRelation *relation, uint32 least, bool listed);

/* The least time that each engine takes to multiply relations with this number of pairs in all. */
extern EngineCost SetsCost(uint64 npairs);

/*
 * Build the job's data.  Frees the rows and their ledger.  "right" is ignored if one relation is
 * both sides.
 */
extern FimSetsData *BuildSetsData(struct Job *job, Relations *relations, const KeptValues *left,
								  const KeptValues *right, MemoryLedger *ledger);

#endif							/* GPUFIM_SETS_ENCODE_H */
