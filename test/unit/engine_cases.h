/*-------------------------------------------------------------------------
 *
 * engine_cases.h
 *	  Calls of the CPU engine against brute force: a listing must give each wanted itemset
 *	  once with its support, a count the same numbers by length.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ENGINE_CASES_H
#define ENGINE_CASES_H

#include "harness.h"

/* Of a case. */
#define MAX_WORKERS		3

/* One call of the engine. */
typedef struct Case
{
	FimItemsetsSpec spec;
	char		isa[16];
	uint32_t	workers;		/* 0: only the database is built */
	uint32_t	number;			/* of the random table */
} Case;

/* All itemsets of one row or more are found by one worker, unless more is said. */
#define DEFAULT_CASE \
	{.workers = 1,.isa = "portable",.spec = {.minsup = 1,.min_length = 1,.max_length = FIM_NO_LIMIT}}

/* The case at hand, shared with the process that this one was forked from. */
extern Case *current;

/* To be called first.  Returns false if there is no memory. */
extern bool CasesInit(void);

/*
 * Run one case on a database and compare with what brute force found at its threshold.  A case
 * that does not end ends the process.
 */
extern bool TryCase(const Case *c, const FimDatabase *db, Brute *brute);

/* Returns NULL if it cannot be built, or does not say of itself what the table is. */
extern FimDatabase *BuildCheckedDatabase(const Table *table);

/* Mining leaves a database as it was. */
extern uint64_t DatabaseChecksum(const FimDatabase *db);
extern bool CheckUnchanged(const FimDatabase *db, uint64_t checksum);

/* One case on one table, from building the database on. */
extern bool CheckOnTable(const Case *c, const Table *table);

#endif							/* ENGINE_CASES_H */
