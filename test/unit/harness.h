/*-------------------------------------------------------------------------
 *
 * harness.h
 *	  What the unit tests of the engine share: a host that counts and can fail,
 *	  a sink that keeps what it gets, workers of a task, building databases and
 *	  random numbers.
 *
 *-------------------------------------------------------------------------
 */
#ifndef HARNESS_H
#define HARNESS_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "brute.h"
#include "engine/itemsets/itemsets.h"
#include "engine/kernels.h"

#define NEVER	UINT64_MAX

/* Random numbers: splitmix64, the same on every machine. */
typedef struct Rng
{
	uint64_t	state;
} Rng;

extern uint64_t RngNext(Rng *rng);
extern uint32_t RngBelow(Rng *rng, uint32_t n); /* 0 .. n-1 */
extern double RngUnit(Rng *rng); /* [0, 1) */
extern bool RngChance(Rng *rng, double p);

/*
 * Memory at addresses that are multiples of 8 but not of 16, which is all that
 * palloc promises; filled with rubbish, exact in size and followed by nothing,
 * so that the address sanitizer sees the first byte too far.
 */
extern void *OddAlloc(size_t bytes);
extern void OddFree(void *block);

/*
 * Call main() with each of n workers, which lie one behind the other and take size
 * bytes, each in a thread of its own; one alone has none.
 */
extern void RunThreads(void *(*main) (void *worker), void *workers, size_t size, uint32_t n);

/*
 * A host that counts what it gives out, refuses or leaves by longjmp on demand
 * and remembers the processor time between two polls.
 */
typedef struct TestHost
{
	FimHost		base;
	uint64_t	allocs;
	uint64_t	polls;
	uint64_t	live;			/* blocks not freed */
	uint64_t	fail_at;		/* this call of alloc and later ones return NULL */
	uint64_t	jump_at_alloc;	/* this call of alloc leaves by longjmp */
	uint64_t	jump_at_poll;
	uint64_t	stop_at;		/* this call of poll and later ones return true */
	double		stop_after;		/* poll returns true from this time on, if not 0 */
	double		last_poll;		/* processor seconds of this thread */
	double		longest_gap;	/* between polls, since HostStartClock() */
	bool		wrong_free;		/* a block freed that was not given out */
	struct OddBlock *blocks;
	jmp_buf		jump;
} TestHost;

extern void HostInit(TestHost *host);
extern void HostStartClock(TestHost *host);
extern void HostStopClock(TestHost *host);
extern void HostFreeAll(TestHost *host);

/*
 * A sink that checks the form of the batches and keeps them, or only counts.
 * The first fault found is told in error.
 */
typedef struct TestSink
{
	FimSink		base;
	uint32_t	nitems;
	bool		keep;
	uint64_t	batches;
	uint64_t	itemsets;
	uint64_t	stop_at;		/* this batch is refused */
	TestHost   *host;			/* if set, its clock counts a batch as a poll */
	uint32_t   *words;			/* kept: length, items, support for each itemset */
	size_t		nwords;
	size_t		allocated;
	uint32_t   *itemset;		/* nitems: the itemset at hand */
	uint32_t   *mark;			/* nitems: the record that an item was seen in */
	uint32_t	record;
	const char *error;
} TestSink;

extern void SinkInit(TestSink *sink, const FimDatabase *db, bool keep);
extern void SinkFree(TestSink *sink);

/*
 * A sink that keeps the words of all batches, one after the other, whatever a family's
 * records are.
 */
typedef struct WordSink
{
	FimSink		base;
	uint32_t   *words;
	size_t		nwords;
	size_t		results;
	size_t		longest_of_many; /* words of the longest batch with several results */
	uint64_t	batches;
	uint64_t	stop_at;		/* this batch is refused */
	bool		wrong;			/* a batch was empty, or came after one that was refused */
} WordSink;

/* The words are the caller's to free. */
extern void WordSinkInit(WordSink *sink);

/* A worker of a task of any family. */
typedef struct TaskWorker
{
	FimResult	(*mine) (const FimTask *task, FimHost *host, FimSink *sink);
	FimTask		task;			/* with a summary of the worker's own, if it has one */
	TestHost	host;
	WordSink	sink;
	FimResult	result;
} TaskWorker;

/*
 * Set up n workers of a task, of which spec and data are given; have them do it; and free what
 * they have.  EndWorkers() prints a comment and returns false if they left something behind
 * or gave batches that are not allowed.
 */
extern void StartWorkers(FimResult (*mine) (const FimTask *task, FimHost *host, FimSink *sink),
						 FimTask task, TaskWorker *workers, uint32_t n);
extern void RunWorkers(TaskWorker *workers, uint32_t n);
extern bool EndWorkers(TaskWorker *workers, uint32_t n);

/*
 * Run a worker that is alone and is refused memory, or stopped: at a poll, at a batch or from the
 * beginning, as is drawn.  Prints a comment and returns false if its result does not say so.
 */
extern bool RunHindered(TaskWorker *worker, Rng *rng);

/*
 * Is this the threshold that so many workers have found, of results of which so many have a score in each range, if it
 * began with "least"?  All that are above it must have been counted.  It is that of the k-th one, unless that is below where
 * it began; but of several workers that tell each other at the same time, none may see all.
 */
extern bool CheckThreshold(const FimBest *best, const uint64_t *counts, double least, uint32_t nworkers);

extern bool SameSummaries(const TaskWorker *a, const TaskWorker *b);

/* Prints a comment on what is wrong, and returns false. */
extern bool Complain(const char *format,...) __attribute__((format(printf, 1, 2)));

/* A database from a table, moved after it was built; NULL when it went wrong. */
extern FimDatabase *BuildDatabase(const Table *table);

/*
 * The same with up to so many equal rows added at once, merged after so many times.
 * It begins with room for so many rows and entries, and moves where that is too
 * little, or has room for all of them from the beginning if that is 0.
 */
extern FimDatabase *BuildDatabaseInParts(const Table *table, uint32_t at_once,
										 uint32_t merge_after, uint32_t room);
extern void FreeDatabase(FimDatabase *db);

extern FimShared *NewShared(const FimItemsetsSpec *spec, const FimDatabase *db);
extern void FreeShared(FimShared *shared);

/* Do a worker's share of the task on the CPU; tally may be NULL when listing. */
extern FimResult MineItemsets(const FimItemsetsSpec *spec, const FimDatabase *db,
							  FimShared *shared, FimHost *host, FimSink *sink,
							  FimTally *tally);

extern void TallyInit(FimTally *tally, const FimItemsetsSpec *spec, const FimDatabase *db);
extern void TallyFree(FimTally *tally);

/* By number, ascending. */
extern void SortItems(uint32_t *items, size_t n);

extern const char *KindName(FimKind kind);
extern FimKind KindNamed(const char *name); /* its first letter is enough */
extern const char *ResultName(FimResult result);
extern void PrintTable(const Table *table);

/* The instruction sets this processor has, NULL-terminated. */
extern const char *const *Isas(void);

/*
 * A program's i-th argument as a number, or else that of an environment variable, which is
 * another number if it is not set or empty.
 */
extern uint64_t EnvironmentOr(const char *variable, uint64_t otherwise);
extern uint64_t ArgumentOr(int argc, char **argv, int i, const char *variable, uint64_t otherwise);

/*
 * Have something checked n times, with seeds made of this one, until it has failed three times.
 * Returns whether it never has.
 */
extern bool CheckSeeds(bool (*check) (uint64_t seed), uint64_t seed, uint64_t n);

extern double ThreadSeconds(void);
extern double WallSeconds(void);

#endif							/* HARNESS_H */
