/*-------------------------------------------------------------------------
 *
 * rule_matches.c
 *	  The SQL function rule_matches().
 *
 * It reads the rules, then the transactions as pairs of an id and an item, brings together those items of each transaction
 * that are in rules, and has the engine find the best rules that apply.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "engine/engine.h"
#include "fmgr.h"
#include "gpufim.h"
#include "miscadmin.h"
#include "rules/matches.h"
#include "utils/builtins.h"
#include "work/work.h"

/* What a call asks for. */
typedef struct MatchesRequest
{
	bool		pairs;			/* the pair form; otherwise the array form */
	char	   *rules;			/* table name or parenthesized query */
	RelationSource from;
} MatchesRequest;

/* Read and check the arguments of a call.  "request" is its MatchesRequest, in which the caller has set "pairs". */
static void
ReadRequest(FunctionCallInfo fcinfo, void *arg)
{
	MatchesRequest *request = arg;
	RelationColumn *tids = &request->from.key;
	RelationColumn *items = &request->from.value;
	Arguments	args = {fcinfo, 0};

	request->rules = TextDatumGetCString(TakeRequired(&args, "rules"));
	request->from.argument = "source";
	request->from.source = TextDatumGetCString(TakeRequired(&args, "source"));
	if (request->pairs)
	{
		tids->argument = "tid_column";
		tids->name = TakeName(&args, tids->argument);
	}
	tids->listed = true;
	items->argument = request->pairs ? "item_column" : "items_column";
	items->name = TakeName(&args, items->argument);
	items->is_array = !request->pairs;
	items->may_be_array = request->pairs;
	items->is_item = true;
	if (args.next < PG_NARGS())
	{
		items->type_sample = TakeTypeSample(&args, "item_type");
		items->sample_is_array = true;
		items->sample_argument = "item_type";
	}
}

/*
 * Bringing together the items of each transaction.
 */

/* The items of all transactions, by the engine's numbers; those that are in no rule are left out. */
typedef struct Baskets
{
	uint64	   *at;				/* [n + 1] where those of each begin */
	uint32	   *items;
	uint32		n;
} Baskets;

/* Where a walk through the pairs is. */
typedef struct PairWalk
{
	ChunkWalk	chunks;
	const uint32 *number;		/* the engine's, by those of the source */
	uint32	   *pair;
	uint32	   *end;
} PairWalk;

static void
PairWalkBegin(PairWalk *walk, PairRelation *relation, const uint32 *number, bool consume)
{
	ChunkWalkBegin(&walk->chunks, relation->rows, &relation->rows->records, consume);
	walk->number = number;
	walk->pair = walk->end = NULL;
}

/* The next pair whose item is in a rule; false if there is none. */
static inline bool
PairWalkNext(PairWalk *walk, uint32 *tid, uint32 *item)
{
	for (;;)
	{
		while (walk->pair == walk->end)
		{
			CHECK_FOR_INTERRUPTS();
			if (!ChunkWalkNext(&walk->chunks, &walk->pair, &walk->end))
				return false;
		}
		PairNumbers(walk->chunks.chunk->part, walk->pair, tid, item);
		*item = walk->number[*item];
		walk->pair += PAIR_WORDS;
		if (*item != UINT32_MAX)
			return true;
	}
}

/* Consumes the pairs. */
static Baskets
MakeBaskets(Relations *relations, const uint32 *number, MemoryLedger *ledger)
{
	Baskets		baskets = {.n = relations->nkeys};
	PairWalk	walk;
	uint32		tid;
	uint32		item;

	baskets.at = LedgerAllocZero(ledger, ((Size) baskets.n + 2) * sizeof(uint64), "the transactions");
	PairWalkBegin(&walk, &relations->left, number, false);
	while (PairWalkNext(&walk, &tid, &item))
		baskets.at[tid + 2]++;
	ChunkWalkEnd(&walk.chunks);
	for (uint32 i = 0; i < baskets.n; i++)
		baskets.at[i + 2] += baskets.at[i + 1];
	baskets.items = LedgerAlloc(ledger, (baskets.at[baskets.n + 1] + 1) * sizeof(uint32), "the transactions");
	/* while they are filled, the start of each is one place further */
	PairWalkBegin(&walk, &relations->left, number, true);
	while (PairWalkNext(&walk, &tid, &item))
		baskets.items[baskets.at[tid + 1]++] = item;
	ChunkWalkEnd(&walk.chunks);
	return baskets;
}

/*
 * Having the rules applied.
 */

/* Transactions between two looks at the figures. */
#define REPORT_TRANSACTIONS	1024

/* Results on their way to the sink. */
typedef struct MatchBatch
{
	FimSink    *sink;
	uint32	   *words;			/* [FIM_BATCH_WORDS] or room for a record with all consequents */
	size_t		nwords;
	size_t		nresults;
} MatchBatch;

static void
AddRecord(MatchBatch *batch, uint32 tid, const uint32 *rules, uint32 n)
{
	uint32	   *to;

	if (batch->nwords + 2 + n > FIM_BATCH_WORDS)
		(void) FimWriteBatch(batch->sink, batch->words, &batch->nwords, &batch->nresults);
	to = batch->words + batch->nwords;
	to[0] = tid;
	to[1] = n;
	memcpy(to + 2, rules, n * sizeof(uint32));
	batch->nwords += 2 + n;
	batch->nresults += n;
}

static void
ApplyToAll(FimMatcher *matcher, const Baskets *baskets, uint32 *found, MatchBatch *batch)
{
	for (uint32 t = 0; t < baskets->n; t++)
	{
		uint32		n = FimMatch(matcher, baskets->items + baskets->at[t], (uint32) (baskets->at[t + 1] - baskets->at[t]), found);

		CHECK_FOR_INTERRUPTS();
		if (n > 0)
			AddRecord(batch, t, found, n);
		if (t % REPORT_TRANSACTIONS == 0)
			CurrentRun->done = t;
	}
	(void) FimWriteBatch(batch->sink, batch->words, &batch->nwords, &batch->nresults);
}

static void
Apply(const PreparedRules *rules, const Baskets *baskets, FimSink *sink, MemoryLedger *ledger)
{
	FimHost		host = {.poll = PollInterrupts};
	FimMatcher *matcher = FimMatcherMake(LedgerAlloc(ledger, FimMatcherSize(&rules->match), "the rules"), &rules->match, &host);
	Size		most = rules->match.nconsequents;
	uint32	   *found = LedgerAlloc(ledger, (most + 1) * sizeof(uint32), "the rules");
	MatchBatch	batch = {.sink = sink};

	batch.words = LedgerAlloc(ledger, Max(FIM_BATCH_WORDS, most + 2) * sizeof(uint32), "the rules");
	CurrentRun->done = 0;
	CurrentRun->total = baskets->n;
	strlcpy(CurrentRun->strategy, "tree", sizeof(CurrentRun->strategy));
	ApplyToAll(matcher, baskets, found, &batch);
	CurrentRun->done = CurrentRun->total;
}

static void
ApplyRules(FunctionCallInfo fcinfo, void *arg)
{
	MatchesRequest *request = arg;
	MemoryLedger *ledger = LedgerCreate();
	RuleTable  *table = ReadRules(request->rules, ledger);
	RelationSource none = {NULL};
	Relations	relations;
	PreparedRules *rules;
	Baskets		baskets;
	RowSink    *sink;

	ReadRelations(&request->from, &none, NULL, true, ledger, &relations);
	CurrentRun->transactions = relations.nkeys;
	RunEnterPhase(GPUFIM_ENCODING);
	rules = PrepareRules(table, relations.left.rows->items, ledger);
	RunAddDetail("rules_that_can_apply", rules->match.nrules);
	CurrentRun->frequent_items = rules->match.nitems;
	baskets = MakeBaskets(&relations, rules->number, ledger);
	sink = MatchRowsCreate(fcinfo, ledger, rules, relations.left.rows->items, relations.keys, relations.nkeys);
	RunEnterPhase(GPUFIM_MINING);
	Apply(rules, &baskets, &sink->sink, ledger);
	RowSinkEnd(sink);
	LedgerDestroy(ledger);
}

static Datum
MatchesFunction(FunctionCallInfo fcinfo, bool pairs)
{
	MatchesRequest request = {.pairs = pairs};

	return CallFunction(fcinfo, "rule_matches", ReadRequest, ApplyRules, &request);
}

PG_FUNCTION_INFO_V1(gpufim_rule_matches_array);

Datum
gpufim_rule_matches_array(PG_FUNCTION_ARGS)
{
	return MatchesFunction(fcinfo, false);
}

PG_FUNCTION_INFO_V1(gpufim_rule_matches);

Datum
gpufim_rule_matches(PG_FUNCTION_ARGS)
{
	return MatchesFunction(fcinfo, true);
}
