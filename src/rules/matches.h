/*-------------------------------------------------------------------------
 *
 * matches.h
 *	  Applying a table of rules to transactions.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_MATCHES_H
#define GPUFIM_MATCHES_H

#include "postgres.h"

#include "engine/rules/rules.h"
#include "fmgr.h"
#include "gpufim.h"
#include "read/relation.h"
#include "read/rows.h"
#include "scan/scan.h"

/*
 * read_rules.c: Reading the rules.
 */

/* A rule as it was read: its items are consecutive in RuleTable.items, first those of the antecedent. */
typedef struct ReadRule
{
	double		confidence;
	double		lift;
	uint64		at;
	uint32		nantecedent;
	uint32		nconsequent;
} ReadRule;

typedef struct RuleTable
{
	Dictionary *dictionary;		/* of the items, of the rules' own type */
	ReadRule   *rules;
	uint32		n;
	uint32		max;
	uint32	   *items;			/* numbers in the dictionary; an item may be repeated */
	uint64		nitems;
	uint64		max_items;
	uint64		left_out;		/* rows that have a NULL */
} RuleTable;

/*
 * Read a table or a query of rules, whose columns are found by their names.  Rows with a NULL, in an array, too, are left out,
 * and a notice says so.  All memory is the ledger's.
 */
extern RuleTable *ReadRules(const char *source, MemoryLedger *ledger);

/*
 * prepare_rules.c: From the rules that were read to what the engine applies.
 */

/* The rules that can apply to a transaction of the source, the best first. */
typedef struct PreparedRules
{
	FimMatchRules match;
	uint32	   *number;			/* [items->n] the engine's number of an item of the source; UINT32_MAX: it is in no rule */

	/* sides as values: the items in the order of their type, by their numbers in the dictionary of the source's items */
	uint32	   *sides;
	uint64	   *antecedent;		/* [nrules] where the items of each begin; there are as many as in match.rules */
	uint64	   *consequent;		/* [nconsequents] the same; as many as in match.consequent_at */
	double	   *confidence;		/* [nrules] */
	double	   *lift;			/* [nrules] */
} PreparedRules;

/*
 * Give the items of the rules the numbers of those of the source, whose dictionary gets those that it lacks, and prepare
 * the rules.
 */
extern PreparedRules *PrepareRules(const RuleTable *table, Dictionary *items, MemoryLedger *ledger);

/*
 * match_rows.c: Turning the rules that apply to transactions into rows of the SQL function's result.
 */

/*
 * Create a sink for batches.  A record is the number of a transaction, the number of rules, and these.  "tids" has
 * the ids of the ntids transactions; NULL: they are the numbers of rows.
 */
extern RowSink *MatchRowsCreate(FunctionCallInfo fcinfo, MemoryLedger *ledger, const PreparedRules *rules,
								const Dictionary *items, const Dictionary *tids, uint32 ntids);

#endif							/* GPUFIM_MATCHES_H */
