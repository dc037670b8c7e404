/*-------------------------------------------------------------------------
 *
 * database_builder.h
 *	  The engine's database while transactions are added to it.
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
	Size		staged;			/* size of db in the ledger's memory, in bytes; 0: db is the job's
								 * data */
	bool		apart;			/* few transactions are equal: each becomes a row of its own */
	uint64		rows_left;		/* rows that are still to be added */
	uint64		entries_left;	/* frequent items of these rows */
} DatabaseBuilder;

/* Begin an empty database for "rows".  Their ledger must live until BuilderEnd() has returned. */
extern void BuilderBegin(DatabaseBuilder *builder, struct Job *job, GpufimRows *rows,
						 const GpufimItems *items);

/*
 * BuilderWantsSample(): the first part of the rows to be added, one in BUILDER_FIRST_PART,
 * should be a sample of all of them.
 */
#define BUILDER_FIRST_PART		16

static inline bool
BuilderWantsSample(const DatabaseBuilder *builder)
{
	return builder->staged > 0;
}

/* Make room for a row of nitems items, by merging equal rows or by moving the database. */
extern void BuilderMakeRoom(DatabaseBuilder *builder, uint32 nitems);

/* Add "times" equal transactions of nitems items. */
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

/*
 * All rows have been added.  Returns the job's data, which the caller completes with
 * FimDatabaseFinish().
 */
extern FimDatabase *BuilderEnd(DatabaseBuilder *builder);

#endif							/* GPUFIM_DATABASE_BUILDER_H */
