/*-------------------------------------------------------------------------
 *
 * engine.h
 *	  The interface between gpufim's SQL side and its mining engines.
 *
 * A job says what to mine, a database holds the encoded transactions, a sink
 * takes the results, and an engine is a name, the strategies it has and a
 * function that mines.  Job, database and shared state are flat memory without
 * pointers, so that they can lie in a shared memory segment that every worker
 * maps at another address.  Nothing here knows PostgreSQL: the same engine runs
 * in a background worker, in a backend and in the command-line program.
 *
 * Life of a call:
 *
 *	1. size = FimDatabaseIndexedBound(...) for the CPU engine, FimDatabaseBound(...)
 *	   for others; memory of that size; FimDatabaseBegin(); FimDatabaseAdd() for
 *	   each transaction; FimDatabaseFinish() merges equal transactions, if there
 *	   are many.  For the CPU engine FimDatabaseIndex() indexes them.  One process
 *	   does this.
 *	2. FimSharedInit() on zeroed memory of FimSharedSize() bytes.
 *	3. Every worker calls engine->mine(job, database, shared, host, sink, tally)
 *	   on the same job, database and shared state.  They take prefix classes
 *	   from a shared counter; together they give each result exactly once.  One
 *	   that comes long after the others may find that it can take none.
 *	4. With job->count_only the workers' tallies are added with FimTallyAdd().
 *
 * Memory comes from the host and the engine frees what it took when it returns.
 * A host's alloc may leave by longjmp instead of returning NULL (PostgreSQL's
 * palloc does): then the host itself must release what it gave out.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_ENGINE_H
#define FIM_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Supports are 32 bits wide: a database has fewer transactions than this. */
#define FIM_MAX_TRANSACTIONS	UINT32_MAX
#define FIM_NO_LIMIT			UINT32_MAX

typedef enum FimKind
{
	FIM_ALL,
	FIM_CLOSED,					/* no frequent superset has the same support */
	FIM_MAXIMAL					/* no frequent superset at all */
} FimKind;

/* Strategies of the CPU engine, as FimJob.strategy. */
typedef enum FimStrategy
{
	FIM_AUTO,					/* choose by measured rules, inside the recursion */
	FIM_BITMAP,					/* vertical bitmaps as soon as possible */
	FIM_PROJECTED				/* projected transactions as long as possible */
} FimStrategy;

/*
 * What to mine.  Lengths are those of whole itemsets as the user sees them:
 * the prefix (the items named by "including", which every transaction of the
 * database contains and from which they were removed) counts in them, although
 * the engine neither stores nor emits it.
 */
typedef struct FimJob
{
	FimKind		kind;
	int			strategy;		/* index into the engine's strategies */
	bool		count_only;		/* add to the tally, emit nothing */
	uint32_t	minsup;			/* absolute, >= 1 */
	uint32_t	prefix_length;
	uint32_t	min_length;		/* >= 1 */
	uint32_t	max_length;		/* FIM_NO_LIMIT for none */
} FimJob;

/* A row of the database: which items it has and how many transactions it is. */
typedef struct FimRow
{
	uint64_t	at;				/* index of the first item */
	uint32_t	length;
	uint32_t	weight;
} FimRow;

/*
 * The encoded transactions.  Items are 0 .. nitems-1 in the caller's numbering
 * (gpufim: the sort order of the item type, so that results are sorted by
 * sorting integers).  Opaque to callers but for the fields below.
 */
typedef struct FimDatabase
{
	uint64_t	size;			/* bytes used, this header included; Index adds to it */
	uint64_t	transactions;	/* rows added, empty ones included: the prefix's support */
	uint64_t	entries;		/* items in all rows, after merging */
	uint32_t	nrows;			/* non-empty rows, after merging */
	uint32_t	nitems;
	uint32_t	max_row;		/* items in the longest row */
	uint32_t	weighted;		/* some row stands for several transactions */

	/* byte offsets from the start of this struct */
	uint64_t	support_at;		/* uint32[nitems], by engine item */
	uint64_t	name_at;		/* uint32[nitems], engine item -> caller's item */
	uint64_t	row_at;			/* FimRow[nrows] */
	uint64_t	items_at;		/* uint32[entries], engine items, ascending in a row */
	uint64_t	occ_at;			/* uint64[nitems + 1], into occurrences */
	uint64_t	occurrences_at; /* uint32[entries], rows of an item, ascending */
} FimDatabase;

/* Where an engine gets memory and learns that it should stop. */
typedef struct FimHost
{
	void	   *(*alloc) (struct FimHost *host, size_t bytes);
	void		(*free) (struct FimHost *host, void *block);

	/*
	 * Called at least every few milliseconds.  true: stop, mine() returns
	 * FIM_STOPPED.  May leave by longjmp if the host releases the memory.
	 */
	bool		(*poll) (struct FimHost *host);
} FimHost;

/*
 * Takes batches of results.  A batch is a sequence of records of uint32 words:
 *
 *		keep, added, item[added], support
 *
 * an itemset is the first "keep" items of the batch's previous itemset followed
 * by "added" items; the first record of a batch keeps 0, so that each batch can
 * be read alone.  Items are the caller's, in no particular order.  Batches are
 * at most FIM_BATCH_WORDS long unless one record alone is longer.  false: stop.
 */
#define FIM_BATCH_WORDS		8192

typedef struct FimSink
{
	bool		(*write) (struct FimSink *sink, const uint32_t *words, size_t nwords,
						  size_t nitemsets);
} FimSink;

/*
 * How many itemsets there are, by length, without listing them: 128 bits each,
 * saturating.  lengths = FimTallyLengths(job, database).
 */
typedef struct FimCount
{
	uint64_t	low;
	uint64_t	high;
} FimCount;

typedef struct FimTally
{
	uint32_t	lengths;		/* entries, counts[length] for 0 .. lengths-1 */
	FimCount   *counts;
} FimTally;

extern uint32_t FimTallyLengths(const FimJob *job, const FimDatabase *db);
extern void FimTallyAdd(FimTally *into, const FimTally *from);
extern void FimBinomials(FimCount *choose, uint32_t n); /* C(n, 0..n) */

/*
 * What the workers of one call share: the counter of prefix classes, the
 * progress and the maximal itemsets found so far.  The progress fields may be
 * read at any time by anybody.
 */
typedef struct FimShared
{
	uint32_t	classes;		/* prefix classes in all */
	uint32_t	next_class;		/* atomic: the next one to take */
	uint32_t	classes_done;	/* atomic */
	uint32_t	cancel;			/* set by anybody: everybody stops */
	uint64_t	results;		/* atomic: itemsets emitted or counted so far */
	uint64_t	nodes;			/* atomic: itemsets whose extensions were counted */
	uint64_t	size;			/* of this struct and what follows */
} FimShared;

extern size_t FimSharedSize(const FimJob *job, const FimDatabase *db);
extern void FimSharedInit(FimShared *shared, const FimJob *job, const FimDatabase *db);

typedef enum FimResult
{
	FIM_DONE,
	FIM_STOPPED,				/* poll, sink or shared->cancel said so */
	FIM_OUT_OF_MEMORY,			/* host's alloc returned NULL */
	FIM_DEVICE_FAULT			/* GPU only: gpu.h says where to learn more */
} FimResult;

typedef struct FimEngine
{
	const char *name;
	const char *const *strategies;	/* NULL-terminated; "auto" first */
	FimResult	(*mine) (const FimJob *job, const FimDatabase *db, FimShared *shared,
						 FimHost *host, FimSink *sink, FimTally *tally);
} FimEngine;

extern const FimEngine FimCpuEngine;

/*
 * Building a database.  entries counts the items of all rows to be added;
 * support[i] is the number of rows that will contain item i.  Bound is what
 * Begin to Finish need in place, IndexedBound what Begin to Index do (size_t max
 * if it does not fit one).  Rows hold each item at most once, in any order; empty
 * rows only add to transactions.  Finish returns false when the host has no memory
 * for its scratch space (about 12 bytes a row), or when poll said stop, Index only
 * the latter.
 *
 * Index fills what only the CPU engine reads, when Finish has been called: the
 * occurrences of items.  It needs IndexedSize bytes in place; a database that was
 * given only Bound is copied, size bytes, to where there is that much.
 */
extern size_t FimDatabaseBound(uint64_t rows, uint64_t entries, uint32_t nitems);
extern size_t FimDatabaseIndexedBound(uint64_t rows, uint64_t entries, uint32_t nitems);
extern void FimDatabaseBegin(FimDatabase *db, size_t size, uint64_t rows,
							 uint64_t entries, uint32_t nitems,
							 const uint32_t *support);
extern void FimDatabaseAdd(FimDatabase *db, const uint32_t *items, uint32_t nitems);
extern bool FimDatabaseFinish(FimDatabase *db, FimHost *host);
extern size_t FimDatabaseIndexedSize(const FimDatabase *db);
extern bool FimDatabaseIndex(FimDatabase *db, FimHost *host);

/*
 * The instruction set in use: "avx512", "avx2" or "portable".  FimSetIsa(NULL)
 * takes the best one the processor has; false: it does not have that one.
 */
extern const char *FimIsa(void);
extern bool FimSetIsa(const char *name);

#endif							/* FIM_ENGINE_H */
