/*-------------------------------------------------------------------------
 *
 * database_builder.h
 *	  The engine's database while transactions are added to it.
 *
 * Included by encode.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_DATABASE_BUILDER_H
#define GPUFIM_DATABASE_BUILDER_H

#include "engine/itemsets/itemsets.h"
#include "items.h"
#include "miscadmin.h"
#include "work/job.h"

/* A host for merging rows, whose memory the ledger counts. */
typedef struct LedgerHost
{
	FimHost		host;			/* must be first */
	MemoryLedger *ledger;
} LedgerHost;

typedef struct DatabaseBuilder
{
	struct Job *job;
	LedgerHost	host;
	FimDatabase *db;
	Size		staged;			/* bytes of the ledger's that it lies in; 0: it is the job's data */
	bool		apart;			/* few transactions are equal: each is a row */
	uint64		rows_left;		/* rows that are yet to come, ... */
	uint64		entries_left;	/* ... and their frequent items */
} DatabaseBuilder;

/* Begin with none of the rows, whose ledger is needed until the end. */
extern void BuilderBegin(DatabaseBuilder *builder, struct Job *job, GpufimRows *rows,
						 const GpufimItems *items);

/* What comes first should be a sample of all, one in so many. */
#define BUILDER_FIRST_PART		16

static inline bool
BuilderWantsSample(const DatabaseBuilder *builder)
{
	return builder->staged > 0;
}

/* Merge rows or move them elsewhere, so that one of so many items has room. */
extern void BuilderMakeRoom(DatabaseBuilder *builder, uint32 nitems);

/* Add so many equal transactions. */
static inline void
BuilderAdd(DatabaseBuilder *builder, const uint32 *items, uint32 nitems, uint32 times)
{
	for (uint32 left = builder->apart ? times : 1; left > 0; left--)
	{
		CHECK_FOR_INTERRUPTS();
		if (builder->staged > 0 && !FimDatabaseHasRoom(builder->db, nitems))
			BuilderMakeRoom(builder, nitems);
		FimDatabaseAddTimes(builder->db, items, nitems, builder->apart ? 1 : times);
		builder->rows_left--;
		builder->entries_left -= nitems;
	}
}

/* All have been added.  Returns the job's data, which FimDatabaseFinish() is left to complete. */
extern FimDatabase *BuilderEnd(DatabaseBuilder *builder);

#endif							/* GPUFIM_DATABASE_BUILDER_H */
