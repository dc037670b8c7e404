/*-------------------------------------------------------------------------
 *
 * engine.h
 *	  What every engine is given to work with: a host, a sink, and the state
 *	  that the workers of one task share.
 *
 * The engines are plain C that knows nothing of PostgreSQL, so that the same
 * code runs in a background worker, in a backend, in the command-line program
 * and, compiled into the GPU library, beside device code.  What is mined, and in
 * which form it lies in memory, is a family's own affair: see family.h.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_ENGINE_H
#define FIM_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Transactions are counted in 32 bits: there are fewer of them than this. */
#define FIM_MAX_TRANSACTIONS	UINT32_MAX
#define FIM_NO_LIMIT			UINT32_MAX

/*
 * A host gives memory to an engine and tells it to stop.  The engine frees what
 * it took before it returns.  A function of the host may also leave by longjmp,
 * as PostgreSQL's palloc does; then the host must release what it gave out.
 */
typedef struct FimHost
{
	/* Returns NULL if there is not enough memory. */
	void	   *(*alloc) (struct FimHost *host, size_t bytes);
	void		(*free) (struct FimHost *host, void *block);

	/*
	 * The engine calls this at least every few milliseconds.  If it returns true,
	 * the engine stops, and its function returns FIM_STOPPED.
	 */
	bool		(*poll) (struct FimHost *host);

	/*
	 * The lowest address that the stack may reach, or NULL.  An engine that searches
	 * by recursion calls poll when it is below, and poll can then leave by longjmp.
	 */
	const char *stack_end;
} FimHost;

/*
 * A sink takes results in batches of 32-bit words, which only the family that
 * wrote them can read.  Each batch can be read alone.  It is at most
 * FIM_BATCH_WORDS long, unless a single record is longer than that.
 */
#define FIM_BATCH_WORDS		8192

typedef struct FimSink
{
	/* Takes a batch of nresults results.  Returns false to have the engine stop. */
	bool		(*write) (struct FimSink *sink, const uint32_t *words, size_t nwords,
						  size_t nresults);

	/*
	 * Forgets all that was written, because the task is begun anew.  Only
	 * whoever has the task done calls this, never an engine.
	 */
	void		(*restart) (struct FimSink *sink);
} FimSink;

/*
 * Gives a batch to the sink, unless the batch is empty, and empties it.  Returns false if the
 * engine is to stop.
 */
static inline bool
FimWriteBatch(FimSink *sink, const uint32_t *words, size_t *nwords, size_t *nresults)
{
	size_t		used = *nwords;
	size_t		results = *nresults;

	*nwords = *nresults = 0;
	return results == 0 || sink->write(sink, words, used, results);
}

/*
 * What the workers of one task share: a counter from which they take units of
 * work, and figures that anybody may read at any time.  All of it is changed
 * atomically.  A family may have more to share, which follows this.
 */
typedef struct FimShared
{
	uint64_t	size;			/* in bytes, of this and what follows it */
	uint64_t	units;			/* number of units */
	uint64_t	next_unit;		/* the first one that nobody has taken */
	uint64_t	units_done;
	uint64_t	results;		/* written to sinks, or counted, so far */
	uint64_t	nodes;			/* steps of the search so far */
	uint32_t	cancel;			/* anybody may set this, to make all workers stop */
	uint32_t	strategies;		/* bit i: the family's strategy i has been used */
} FimShared;

/* Note that a strategy of the family has been used. */
static inline void
FimStrategyUsed(FimShared *shared, int strategy)
{
	uint32_t	bit = UINT32_C(1) << strategy;

	if (!(__atomic_load_n(&shared->strategies, __ATOMIC_RELAXED) & bit))
		__atomic_fetch_or(&shared->strategies, bit, __ATOMIC_RELAXED);
}

/* Take a unit of work.  Returns false if none is left. */
static inline bool
FimTakeUnit(FimShared *shared, uint64_t *unit)
{
	*unit = __atomic_fetch_add(&shared->next_unit, 1, __ATOMIC_RELAXED);
	return *unit < shared->units;
}

static inline void
FimUnitDone(FimShared *shared)
{
	__atomic_fetch_add(&shared->units_done, 1, __ATOMIC_RELAXED);
}

static inline bool
FimIsCanceled(const FimShared *shared)
{
	return __atomic_load_n(&shared->cancel, __ATOMIC_RELAXED) != 0;
}

/* Is a worker to stop, because the task has been canceled or because its host says so? */
static inline bool
FimMustStop(const FimShared *shared, FimHost *host)
{
	return FimIsCanceled(shared) || host->poll(host);
}

/* Add a worker's numbers of results and nodes to the shared ones, and set them to 0. */
static inline void
FimShareFigures(FimShared *shared, uint64_t *results, uint64_t *nodes)
{
	__atomic_fetch_add(&shared->results, *results, __ATOMIC_RELAXED);
	__atomic_fetch_add(&shared->nodes, *nodes, __ATOMIC_RELAXED);
	*results = *nodes = 0;
}

typedef enum FimResult
{
	FIM_DONE,
	FIM_STOPPED,				/* by poll, the sink or the cancel flag */
	FIM_OUT_OF_MEMORY,			/* the host's alloc returned NULL */
	FIM_DEVICE_FAULT			/* on a GPU only; gpu.h says where to learn more */
} FimResult;

#endif							/* FIM_ENGINE_H */
