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

#include "datatype/timestamp.h"
#include "engine/gpu.h"
#include "executor/instrument.h"
#include "fmgr.h"
#include "utils/array.h"
#include "utils/palloc.h"

#define GPUFIM_VERSION	"0.4.0"

/* Settings (gpufim.c). */
extern int	gpufim_engine;		/* GpufimEngineChoice */
extern char *gpufim_strategy;
extern int	gpufim_workers;
extern int	gpufim_memory_limit;	/* kB */
extern int	gpufim_gpu_memory_limit;	/* kB, 0: what is free */
extern char *gpufim_gpus;		/* device numbers, empty: all */
extern int	gpufim_worker_idle_timeout; /* ms, 0: never */
extern int	gpufim_gpu_patience;	/* ms, 0: a GPU begins, -1: no engine changes */
extern char *gpufim_cuda_library;
extern int	gpufim_inject_allocation;	/* the next three are FimGpuInjection's */
extern int	gpufim_inject_launch;
extern int	gpufim_inject_device;

typedef enum GpufimEngineChoice
{
	GPUFIM_ENGINE_AUTO,
	GPUFIM_ENGINE_CPU,
	GPUFIM_ENGINE_GPU
} GpufimEngineChoice;

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

/* The phases of a call, in their order (figures.c). */
typedef enum GpufimPhase
{
	GPUFIM_READING,				/* read and encode rows, first pass */
	GPUFIM_ENCODING,			/* prune, second pass, build the database */
	GPUFIM_WAITING,				/* for the GPU worker; done is the place in its queue */
	GPUFIM_MINING,				/* mine and emit */
	GPUFIM_NPHASES
} GpufimPhase;

/*
 * The figures of a run.  Writers set fields directly; RunEnterPhase() closes
 * the clock of one phase and starts the next.  The same struct is published to
 * gpufim_progress, field by field and without locks: each is read as it is.
 */
typedef struct GpufimRun
{
	char		function[NAMEDATALEN];
	int			phase;			/* GpufimPhase */
	TimestampTz started;
	int64		rows_read;
	int64		transactions;
	int64		distinct_items;
	int64		frequent_items;
	int64		minsup;			/* absolute */
	int64		spilled_bytes;
	int64		peak_bytes;		/* largest sum of tracked memory */
	int64		results;		/* itemsets so far */
	int64		level;			/* length of the itemset seen last */
	int64		done;			/* progress within the phase ... */
	int64		total;			/* ... of this many, 0 if unknown */
	int64		workers;		/* background workers that mined; 0: the backend itself */
	int64		nodes;			/* itemsets whose extensions were counted */
	int			engine;			/* GpufimEngineChoice, GPU or not */
	int			strategy;		/* FimStrategy or FimGpuStrategy */
	char		device[64];		/* that mined */
	FimGpuReport gpu;			/* if it was a GPU */
	double		phase_ms[GPUFIM_NPHASES];
	double		emit_ms;		/* part of mining's: turning results into rows */
} GpufimRun;

/*
 * A run's private part, on the stack of the function that runs: a source can
 * call functions of ours, so runs nest.
 */
typedef struct RunFrame
{
	struct RunFrame *outer;
	GpufimRun	interrupted;	/* the outer frame's figures, put aside */
	instr_time	started;
	instr_time	phase_started;
	int64	   *lengths;		/* results by length, lengths[0 .. nlengths-1] */
	int			nlengths;
} RunFrame;

extern GpufimRun *CurrentRun;	/* never NULL while a function of ours runs */
extern void RunBegin(RunFrame *frame, const char *function);
extern void RunEnd(RunFrame *frame, bool completed);	/* must follow, errors or not */
extern int64 *RunLengths(int nlengths); /* the counts by length, at least so many */
extern double MillisecondsSince(instr_time start);
extern void RunShmemRequest(void);
extern void RunShmemStartup(void);
extern void RunEnterPhase(GpufimPhase phase);
extern void RunTrackMemory(int64 bytes);	/* raises peak_bytes */

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
	Datum		value;
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

/* Absolute threshold: ceil(minsup * transactions) in decimal arithmetic. */
extern uint32 ResolveMinsup(double minsup, int64 transactions);

extern GpufimItems *PruneItems(GpufimRows *rows, const GpufimRequest *request, uint32 minsup);

/* Add every transaction that holds the prefix to the database (second pass). */
extern void WriteTransactions(GpufimRows *rows, const GpufimItems *items, FimDatabase *db);
extern void RowsMakeRoom(GpufimRows *rows, uint64 bytes, const char *what);
extern void RowsFree(GpufimRows *rows);

/* Errors 53200 with needed and allowed bytes if bytes exceed gpufim.memory_limit. */
extern bool WithinMemoryLimit(uint64 bytes);
extern void CheckMemoryLimit(uint64 bytes, const char *what);

/*
 * Emission (result_rows.c): decodes batches into rows of the result tuplestore.
 * FimSink's write may raise errors.
 */
typedef struct GpufimEmitter GpufimEmitter;

extern GpufimEmitter *EmitterCreate(FunctionCallInfo fcinfo, const GpufimItems *items,
									int64 transactions);
extern FimSink *EmitterSink(GpufimEmitter *emitter);
extern void EmitCounts(FunctionCallInfo fcinfo, const FimTally *tally);

/* Forget what has been written: the next batch is the first (result_rows.c). */
extern void EmitterStartOver(FimSink *sink);

/*
 * Which engine and strategy a call is to run on; errors if they are not there
 * (engine_choice.c).  Before the items are known, it may be GPUFIM_ENGINE_AUTO: either.
 */
extern GpufimEngineChoice ChooseEngine(const GpufimItems *items, int *strategy);
extern double QueuePatience(const GpufimItems *items);
extern bool MayChangeEngine(void);
extern int	StrategyOf(GpufimEngineChoice engine);
extern const char *StrategyName(GpufimEngineChoice engine, int strategy);

/*
 * Mining (job.c).  Builds the database from the rows, which it frees, in shared
 * memory or in this backend's own, mines it, and hands every batch to the sink.
 * Returns the tally (palloc'd) when request->count_only, else NULL.
 */
extern FimTally *MineRows(GpufimRows *rows, const GpufimItems *items,
						  const GpufimRequest *request, uint32 minsup, FimSink *sink);

#endif							/* GPUFIM_H */
