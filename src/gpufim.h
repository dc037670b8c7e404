/*-------------------------------------------------------------------------
 *
 * gpufim.h
 *	  What the files of gpufim's SQL side share.
 *
 * A call runs in phases: source.c finds out what the source argument names,
 * ingest.c reads its rows through SPI and encodes them with dictionary.c,
 * items.c keeps the frequent items and writes the engine's database, engine_choice.c
 * picks an engine, job.c has it mined in this backend or in workers (cpu_worker.c),
 * or gpu_job.c by the process that owns the GPUs (gpu_worker.c), result_rows.c turns the results
 * into rows.  figures.c keeps the figures that gpufim_last_run() and
 * gpufim_progress show.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_H
#define GPUFIM_H

#include "postgres.h"

#include "engine/itemsets/itemsets.h"
#include "figures.h"
#include "fmgr.h"
#include "memory_limit.h"
#include "settings.h"
#include "utils/array.h"
#include "utils/palloc.h"

/*
 * What a call asked for, checked as far as it can be before the source is read.
 * Pointers live as long as the call's memory context.
 */
typedef struct GpufimRequest
{
	const char *function;		/* SQL name, for progress and messages */
	char	   *source;			/* table name or parenthesized query */
	char	   *tid_column;		/* NULL in array form */
	char	   *item_column;	/* the items column in array form */
	const char *item_argument;	/* SQL argument's name of item_column, for messages */
	Oid			witness_type;	/* wanted element type, or InvalidOid: text */
	double		minsup;			/* as given: fraction below 1, count from 1 up */
	FimKind		kind;
	bool		count_only;
	uint32		min_length;
	uint32		max_length;		/* FIM_NO_LIMIT for none */
	ArrayType  *including;		/* text[] or NULL */
	ArrayType  *excluding;		/* text[] or NULL */
} GpufimRequest;

/*
 * The source, ready to be read (source.c).  Opening it checks that the relation
 * or query exists, that its columns do and that their types can be mined; all
 * errors about the source argument come from here.  Must be called between
 * SPI_connect and SPI_finish, by the caller of both.
 */
typedef struct GpufimSource
{
	const GpufimRequest *request;
	struct _SPI_plan *plan;		/* SELECT [tid,] items FROM source */
	Oid			item_type;		/* element type in array form; domains resolved */
	Oid			item_collation;
	Oid			tid_type;		/* InvalidOid in array form */
	Oid			tid_collation;
} GpufimSource;

extern GpufimSource *SourceOpen(const GpufimRequest *request);

/*
 * The encoded rows of a source (ingest.c): opaque, in a memory context of their
 * own, or spilled to a temporary file when they exceed gpufim.memory_limit.
 */
typedef struct GpufimRows GpufimRows;

extern GpufimRows *IngestSource(GpufimSource *source);
extern int64 RowsTransactions(const GpufimRows *rows);

/*
 * The frequent items of a call, in the item type's sort order; an item's number
 * in the engine's database is its index here (items.c).  Items named by
 * "including" are not among them but in prefix[], sorted too.
 */
typedef struct GpufimItem
{
	Datum		value;			/* 0 where itemsets are only counted */
	uint32		support;		/* within the transactions that hold the prefix */
	uint32		rank;			/* position in sort order among prefix and items together */
} GpufimItem;

typedef struct GpufimItems
{
	Oid			type;
	int16		typlen;
	bool		typbyval;
	char		typalign;
	uint32		nitems;
	GpufimItem *items;
	uint32		nprefix;
	GpufimItem *prefix;
	bool		impossible;		/* including names an item that is absent, infrequent or excluded */
	uint64		rows;			/* transactions that hold the prefix */
	uint64		entries;		/* their frequent items */
} GpufimItems;

extern GpufimItems *PruneItems(GpufimRows *rows, const GpufimRequest *request, uint32 minsup);

extern void RowsMakeRoom(GpufimRows *rows, uint64 bytes, const char *what);
extern void RowsFree(GpufimRows *rows);

/*
 * Emission (result_rows.c): decodes batches into rows of the result tuplestore.
 * FimSink's write may raise errors.
 */
typedef struct GpufimEmitter GpufimEmitter;

extern GpufimEmitter *EmitterCreate(FunctionCallInfo fcinfo, GpufimRows *rows,
									const GpufimItems *items, int64 transactions);
extern FimSink *EmitterSink(GpufimEmitter *emitter);
extern void EmitCounts(FunctionCallInfo fcinfo, const FimTally *tally);

/* From here on, what it needs counts as the job's; the rows may be gone. */
struct Job;
extern void EmitterUseJob(GpufimEmitter *emitter, struct Job *job);

#endif							/* GPUFIM_H */
