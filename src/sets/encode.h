/*-------------------------------------------------------------------------
 *
 * encode.h
 *	  From relations that have been read to the data that the engine multiplies.
 *
 * Included by product_call.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_SETS_ENCODE_H
#define GPUFIM_SETS_ENCODE_H

#include "engine/sets/sets.h"
#include "items.h"
#include "sets/relation.h"
#include "work/job.h"

/* The values of a relation that the engine is to know, in the order of their type. */
typedef struct KeptValues
{
	GpufimItems *items;			/* NULL: values are numbers of rows, all kept */
	uint32		n;
	uint64		npairs;			/* at most so many pairs are theirs */
} KeptValues;

/*
 * Number a relation's values that have at least so many pairs.  Its dictionary of values is
 * gone after this.  "listed" says that the values themselves will be asked for.
 */
extern KeptValues KeepValues(PairRelation *relation, uint32 least, bool listed);

/* The least that multiplying relations of so many pairs takes each engine. */
extern EngineCost SetsCost(uint64 npairs);

/*
 * Build the job's data.  The rows and their ledger are gone after this.  The right
 * values are not looked at if one relation is both.
 */
extern FimSetsData *BuildSetsData(struct Job *job, Relations *relations, const KeptValues *left,
								  const KeptValues *right, MemoryLedger *ledger);

#endif							/* GPUFIM_SETS_ENCODE_H */
