/*-------------------------------------------------------------------------
 *
 * engine.h
 *	  What every engine is given to work with: a host, a sink, the state that the workers of one task share,
 *	  the kinds of patterns, and thresholds.
 *
 * The engines are plain C that knows nothing of PostgreSQL, so that the same
 * code runs in a background worker, in a backend, in the command-line program
 * and, compiled into the GPU library, beside device code.  What is mined, and in
 * which form it lies in memory, is a family's own affair: see family.h.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_H
#define FIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Which of the itemsets that are selected a task is to give.
 */

typedef enum FimKind
{
	FIM_ALL,
	FIM_CLOSED,					/* no superset has the same support */
	FIM_MAXIMAL					/* no superset is selected */
} FimKind;

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

	/*
	 * That is enough for now: somebody wants to look at the results.  The worker takes no further
	 * unit and leaves as if none were left.  It may come back as a new one.
	 */
	bool		enough;
	uint64_t	kept;			/* words that the sink keeps for somebody to look at */
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

/* Where rows and their entries begin among those of data that several processes fill. */
typedef struct FimPlace
{
	uint64_t	row;
	uint64_t	entry;
} FimPlace;

/*
 * What the workers of one task share: counters from which they take parts of the data to
 * fill in and units of work, and figures that anybody may read at any time.  All of it is changed
 * atomically.  A family may have more to share, which follows this.
 */
typedef struct FimShared
{
	uint64_t	units;			/* number of units; GPUs do not take any */
	uint64_t	next_unit;		/* the first one that nobody has taken */
	uint32_t	next_fill;		/* the first part of the data that nobody has begun to fill in, see family.h */
	uint32_t	filled;			/* parts that have been filled in */
	uint64_t	total;			/* what there is to do, as far as that is known: units, or what a GPU counts */
	uint64_t	done;			/* of that */
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

/*
 * Take a unit of work.  Returns false if none is left, or if the worker's sink has enough for now.
 * The sink is NULL if nothing is written.
 */
static inline bool
FimTakeUnit(FimShared *shared, const FimSink *sink, uint64_t *unit)
{
	if (sink != NULL && sink->enough)
		return false;
	*unit = __atomic_fetch_add(&shared->next_unit, 1, __ATOMIC_RELAXED);
	return *unit < __atomic_load_n(&shared->units, __ATOMIC_RELAXED);
}

static inline void
FimUnitDone(FimShared *shared)
{
	__atomic_fetch_add(&shared->done, 1, __ATOMIC_RELAXED);
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

/*
 * minsup.c: The threshold that a user's "minsup" means, as a number of transactions.
 *
 * From 1 up, minsup is a number of transactions.  Below 1 it is a fraction f of
 * the N transactions, and then it is one of two things: a decimal that somebody
 * typed, which asks for ceil(f * N) in decimal arithmetic (0.07 of 100 is 7, where
 * binary arithmetic would make it 8), or a quotient s / N that a program computed,
 * which asks for s (5 of 6, where the shortest decimal of 5 / 6.0 times 6 is above
 * 5).  A double does not say which of the two it is, so the rule is:
 *
 * 1.	If there is a whole number s from 1 to N such that f is the double nearest
 * 	to s / N or one of the two beside it, then f means s.
 * 2.	Otherwise, if f is a float4 value of which float4 shows fewer digits than
 * 	float8 does, then it was computed or typed as a float4.  If exactly one s
 * 	has f as the float4 nearest to s / N, then f means s; otherwise it means
 * 	ceil(d * N), d being the shortest decimal that float4 reads as f.
 * 3.	Otherwise f means ceil(d * N), d being the shortest decimal that float8
 * 	reads as f.
 *
 * What follows from it, for every N below 2^32:
 *
 * -	s / N means s, for every s from 1 to N - 1, however it was rounded: in float8,
 * 	where division gives the nearest double, and in numeric, whose quotients have
 * 	17 digits or more.  No other s' can be meant: s' / N is at least 1 / N >
 * 	2^-32 away, and rule 1 reaches no further than 2^-52.
 *
 * -	s / N in float4 means s if float4 can tell s / N from (s - 1) / N and (s + 1) / N,
 * 	unless f is exactly a decimal that float4 shows as float8 does, 0.625 say,
 * 	which is then taken as that decimal.  Below N = 131,072 that decimal means s, too.
 * 	For f is m / 2^e, and if it is above 1/2, e is at most 8, since float4 leaves
 * 	out a digit that changes f by 5 * 10^-9.  So f * N - s is a multiple of
 * 	2^-8.  But it is at most N * 2^-25, half the distance of two floats, and so
 * 	0.  Where f is smaller, the distance shrinks faster than e can grow.
 *
 * -	A decimal of k digits after the point means ceil(d * N), exactly, if k is at
 * 	most 8 and N * 10^k is below 2^52: with six digits for every N below 2^32
 * 	(10^6 * 2^32 < 2^52), with eight for N up to 45 million.  Rule 1: if f is as
 * 	near to s / N as it says, then d, which is within half an ulp of f, is within
 * 	two ulps, at most 2^-52, of s / N.  But d * N - s is a multiple of 10^-k.  It
 * 	is below N * 2^-52 < 10^-k, and so 0.  Rule 2: c / 10^k, whose double is a
 * 	float4 value m / 2^e, m < 2^24, is equal to it: otherwise c * 2^e - m * 10^k
 * 	would be a multiple of 2^k below 2^-53 * m * 10^k, so that m * 5^k would be
 * 	above 2^53, but it is below 2^24 * 5^8 < 2^43.  So e is at most k, the
 * 	decimal ends in 5 at digit e, and to leave digits out changes it by at least
 * 	5 * 10^-8, while floats round what is within 2^-25 = 3 * 10^-8: float4 shows
 * 	it like float8, and rule 2 does not hold.  Rule 3: no other decimal of up to
 * 	15 digits has the same double, so d is the one that was typed.
 */

/*
 * Returns the threshold that minsup means for this number of transactions: from 1 up, at most
 * FIM_MAX_TRANSACTIONS.  minsup must be above 0 and, if it is not below 1, a whole number;
 * transactions must be below 2^32.
 */
extern uint32_t FimThreshold(double minsup, uint64_t transactions);

/*
 * For who does not round up: does a minsup below 1 mean a whole number of transactions?  If so,
 * *whole becomes that number.  Otherwise "text", of FIM_DECIMAL_TEXT characters, becomes the
 * decimal d of rule 2 or 3, as "625e-3".  There must be transactions.
 */
#define FIM_DECIMAL_TEXT	32
extern bool FimFractionIsWhole(double minsup, uint64_t transactions, uint32_t *whole, char *text);

#endif							/* FIM_H */
