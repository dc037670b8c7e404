/*-------------------------------------------------------------------------
 *
 * itemsets.h
 *	  The family of frequent itemsets: its data, its spec and its results.
 *
 * A task of this family lists the frequent itemsets of a database, all of them or
 * the closed or maximal ones, or counts them by length without listing them.
 * A unit of its work is a prefix class: the itemsets whose rarest item is the
 * same.
 *
 * Another task of the family makes association rules of all frequent itemsets, which a task of
 * the first kind has found: its data are their supports, and its spec is a FimRulesSpec.
 *
 * A third one counts the supports of itemsets that the caller names, whether they are frequent or
 * not: its spec is a FimCandidatesSpec, which has them all.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_ITEMSETS_H
#define FIM_ITEMSETS_H

#include <string.h>

#include "engine/arena.h"
#include "engine/engine.h"
#include "engine/family.h"

/*
 * database.c: The flat database that the engines mine, and how it is built.
 */

/* A row of the database: which items it has and how many transactions it is. */
typedef struct FimRow
{
	uint64_t	at;				/* index of the first item */
	uint32_t	length;
	uint32_t	weight;
} FimRow;

/*
 * The encoded transactions.  Callers number items from 0 to nitems - 1: gpufim in
 * the sort order of the item type, so that a result is sorted by sorting integers.
 * The engine renumbers them by descending support, the most frequent item first.  If each itemset
 * that is wanted needs one of the last "nany" items of the caller, these are the engine's last items, too: so the rarest
 * item of an itemset, by which the engine divides its work, is one of them.
 */
typedef struct FimDatabase
{
	FimData		head;			/* FimDatabaseIndex() increases its size */
	uint64_t	transactions;	/* all that have been added, those without items included: the
								 * support of the required items */
	uint64_t	entries;		/* items in all rows, after merging */
	uint32_t	nrows;			/* non-empty rows, after merging */
	uint32_t	nitems;
	uint32_t	max_row;		/* items in the longest row */
	uint32_t	weighted;		/* not 0 if some row stands for several transactions */

	/* byte offsets from the start of this struct */
	uint64_t	support_at;		/* uint32[nitems], by engine item */
	uint64_t	name_at;		/* uint32[nitems], engine item -> caller's item */
	uint64_t	row_at;			/* FimRow[nrows] */
	uint64_t	items_at;		/* uint32[entries], engine items, ascending in a row */
	uint64_t	occ_at;			/* uint64[nitems + 1], where each item's occurrences begin */
	uint64_t	occurrences_at; /* uint32[entries], the rows of each item, ascending */
} FimDatabase;

/* The caller's numbers of the engine's items. */
static inline const uint32_t *
FimItemNames(const FimDatabase *db)
{
	return (const uint32_t *) ((const char *) db + db->name_at);
}

/*
 * How to build a database, in a process's own memory or in a shared segment:
 *
 *		FimDatabaseBegin()
 *		FimDatabaseAddTimes() for each transaction, or for several equal ones
 *		FimDatabaseFinish()
 *		FimDatabaseIndex(), if the CPU engine is to mine, whose workers call FimDatabaseFill()
 *
 * Sizes are in bytes.  Functions that are given a host poll it, and return false if it
 * said stop.
 */

/*
 * The memory that a database takes if at most "rows" transactions are added and all of them
 * together have at most "entries" items: FimDatabaseBound() is for all from
 * FimDatabaseBegin() to FimDatabaseFinish(), FimDatabaseIndexedBound() for
 * FimDatabaseIndex(), too.  Both return SIZE_MAX if the size does not fit a size_t.
 */
extern size_t FimDatabaseBound(uint64_t rows, uint64_t entries, uint32_t nitems);
extern size_t FimDatabaseIndexedBound(uint64_t rows, uint64_t entries, uint32_t nitems);

/*
 * Begins a database in memory of "size" bytes, which is one of the two bounds for the same
 * rows, entries and nitems.  support[i] is the number of transactions that will contain
 * item i.  "nany" is the spec's.
 */
extern void FimDatabaseBegin(FimDatabase *db, size_t size, uint64_t rows,
							 uint64_t entries, uint32_t nitems, uint32_t nany,
							 const uint32_t *support);

/*
 * Adds "times" equal transactions.  items[] has each of their items once, in any order.
 * Transactions without items are only counted.
 */
extern void FimDatabaseAddTimes(FimDatabase *db, const uint32_t *items, uint32_t nitems,
								uint32_t times);

/*
 * Several processes may add transactions to a database that one of them has begun, each to a part of
 * its own, which has room for this number of rows and entries in memory of FimDatabaseBound() bytes.  When a part is
 * full, one process at a time takes room for its rows behind those of the database, and copies them there while
 * others do the same, which empties the part.
 */
extern void FimDatabaseBeginPart(FimDatabase *part, size_t size, uint64_t rows, uint64_t entries,
								 const FimDatabase *db);
extern FimPlace FimDatabaseTakeRoom(FimDatabase *db, const FimDatabase *part);
extern void FimDatabaseCopyPart(FimDatabase *db, FimPlace place, FimDatabase *part);

/*
 * A database may be begun for fewer rows and entries than there will be, if merging is
 * expected to make room for the others.  FimDatabaseHasRoom() says whether there is room
 * for another transaction, of nitems items.
 */
extern bool FimDatabaseHasRoom(const FimDatabase *db, uint32_t nitems);

/*
 * Copies a database that is being built to memory of "size" bytes, a bound for "rows" and
 * "entries".  These count the rows and entries that are there and those that are to come.
 */
extern bool FimDatabaseMove(const FimDatabase *from, FimDatabase *to, size_t size,
							uint64_t rows, uint64_t entries, FimHost *host);

/*
 * FimDatabaseIndex() finds where each item's occurrences begin, which only the CPU engine reads, and
 * FimDatabaseFill(), the family's cpu_fill(), lists those of a part of the items.  The memory
 * must have FimDatabaseIndexedSize() bytes.  If the database was begun with less, the caller
 * first copies its first head.size bytes to memory of that size.
 */
extern size_t FimDatabaseIndexedSize(const FimDatabase *db);
extern bool FimDatabaseIndex(FimDatabase *db, FimHost *host);
extern FimResult FimDatabaseFill(const FimTask *task, uint32_t part, FimHost *host);

/*
 * Some rows of a database, to see how many of them are equal to another one.
 */

/* A sample of rows, which are told apart by their hashes. */
typedef struct FimRowSample
{
	uint64_t   *slot;			/* [nslots] a hash table of the hashes met, in the host's memory */
	uint64_t	nslots;			/* a power of 2 */
	uint64_t	distinct;		/* hashes met */
	uint64_t	equal;			/* rows whose hash had been met before */
	uint64_t	entries;		/* of all rows */
	uint64_t	equal_entries;	/* of the rows whose hash had been met before */
} FimRowSample;

/* Begins a sample of about nrows rows.  Returns false if the host has no memory. */
extern bool FimRowSampleBegin(FimRowSample *sample, uint64_t nrows, FimHost *host);
extern void FimRowSampleEnd(FimRowSample *sample, FimHost *host);

/*
 * Adds a row of nentries entries.  Once three quarters of the slots are taken, which is far
 * more than the sample was begun for, further rows are ignored.
 */
static inline void
FimRowSampleAdd(FimRowSample *sample, uint64_t hash, uint32_t nentries)
{
	uint64_t	s = hash >> 1 & (sample->nslots - 1);
	bool		equal;

	if (sample->distinct >= sample->nslots / 4 * 3)
		return;
	hash |= 1;
	while (sample->slot[s] != 0 && sample->slot[s] != hash)
		s = (s + 1) & (sample->nslots - 1);
	equal = sample->slot[s] == hash;
	sample->slot[s] = hash;
	sample->distinct += !equal;
	sample->equal += equal;
	sample->entries += nentries;
	sample->equal_entries += equal ? nentries : 0;
}

/* Whether at least one in "one_in" of the sample's rows is equal to an earlier one. */
static inline bool
FimRowSampleHasEqual(const FimRowSample *sample, uint32_t one_in)
{
	return sample->equal > 0 && sample->equal * one_in >= sample->distinct + sample->equal;
}

/*
 * A few rows show how many equal ones there are among more.  FimRowSampleForesees() tells
 * whether at least one in "one_in" entries would be in a row that is equal to an earlier
 * one, if the sample had "larger" rows.  FimRowSampleEnough() returns the number of rows
 * that a sample of nrows rows needs for that.
 */
extern uint64_t FimRowSampleEnough(uint64_t nrows);
extern bool FimRowSampleForesees(const FimRowSample *sample, uint64_t larger, uint32_t one_in);

/*
 * Merging equal rows of a database while it is built and in the end.
 */

/*
 * Merges equal rows among those added so far, if many are equal.  Meanwhile it takes 12 to
 * 24 bytes a row from the host.  Returns false if the host has no memory or says stop.
 */
extern bool FimDatabaseMerge(FimDatabase *db, FimHost *host);

/* Merges once more, if wanted, and closes the gaps that merging left.  Nothing can be added afterwards. */
extern bool FimDatabaseFinish(FimDatabase *db, bool merge, FimHost *host);

/*
 * class_parts.c: The fingerprint of a database, see engine/parts.h.  It does not depend on the order in which transactions were added, nor on
 * which of them were merged.
 */
extern uint64_t FimDatabaseFingerprint(const FimDatabase *db, FimHost *host);

extern const FimFamily FimItemsetsFamily;

/* Strategies of the CPU engine, in the order of the family's list. */
typedef enum FimItemsetsStrategy
{
	FIM_AUTO,					/* choose by measured rules, inside the recursion */
	FIM_BITMAP,					/* vertical bitmaps as soon as possible */
	FIM_PROJECTED,				/* projected transactions as long as possible */
	FIM_ROWS					/* sets of rows, see row_sets.c; where these are too many, the same as auto */
} FimItemsetsStrategy;

/* Strategies of the GPU engine, in the order of the family's list. */
typedef enum FimItemsetsGpuStrategy
{
	FIM_GPU_AUTO,
	FIM_GPU_TENSOR,				/* class products on the 1-bit tensor cores */
	FIM_GPU_DCI_TRANSACTION,	/* gpuDCI, transaction-wise */
	FIM_GPU_DCI_CANDIDATE,		/* gpuDCI, candidate-wise */
	FIM_GPU_TFL,				/* GMiner, traversal from the first level */
	FIM_GPU_HIL					/* GMiner, hopping from the intermediate level */
} FimItemsetsGpuStrategy;

/* The names of the GPU engine's strategies, for gpufim.so and for the GPU library. */
#define FIM_ITEMSETS_GPU_STRATEGY_NAMES \
	{"auto", "tensor", "dci_transaction", "dci_candidate", "tfl", "hil", NULL}

/*
 * What to mine.  The required items are those that the argument "including" names.  The
 * database has only the transactions that hold all of the required items, and these
 * items themselves have been left out of it.  Lengths are those of whole itemsets as the
 * user sees them: required items count, although the engine neither stores nor emits
 * them.  If "nany" is not 0, each itemset needs one of the database's last "nany" items, and the
 * database has only the transactions that hold one of them.  Only the CPU engine knows of that.
 */
typedef struct FimItemsetsSpec
{
	FimSpec		head;
	FimKind		kind;
	uint32_t	minsup;			/* absolute, >= 1 */
	uint32_t	nrequired;		/* the number of required items */
	uint32_t	nany;			/* the number of items of which each itemset needs one; 0: it needs none */
	uint32_t	min_length;		/* >= 1 */
	uint32_t	max_length;		/* FIM_NO_LIMIT for none */
	uint32_t	best;			/* look for the threshold of so many results, see FimBest; 0: give results out */
	bool		rules;			/* this is the head of a FimRulesSpec, and the data are FimSupports */
	bool		candidates;		/* this is the head of a FimCandidatesSpec */
} FimItemsetsSpec;

/*
 * best.c: The threshold of the k best results: the itemsets of the largest supports, or the rules of the largest values of
 * a measure.
 *
 * A task that looks for it only counts, and writes nothing to its sink.  Its workers count the scores of all
 * results that they meet.  As soon as k of these are known to reach a score, nothing below it is among the k best, and
 * the threshold rises to it.  What is counted is how many scores are in each of many narrow ranges, which takes as much memory for any k.
 * The threshold is where the range begins that has the k-th best score, so it is a little below this score at
 * most.  With it, another task gives out the results: all of the k best, those that are as good as the last one, and perhaps
 * some others of its range.
 *
 * A range is what doubles have in common that are equal in the exponent and the first eight bits after the point.  So whole numbers
 * below 512 have a range each.  Scores below the first range have none, and do not count.
 */
#define FIM_BEST_BITS		8
#define FIM_BEST_EXPONENTS	32	/* 2^-32 to 2^32 */
#define FIM_BEST_RANGES		(2 * FIM_BEST_EXPONENTS << FIM_BEST_BITS)

/* What the workers of a task share. */
typedef struct FimBest
{
	uint32_t	k;
	uint32_t	range;			/* scores below this range are not wanted; it only rises */
	uint32_t	highest;		/* no score in a higher range has been counted */
	uint64_t	counts[FIM_BEST_RANGES];
} FimBest;

/* The range of a score; 0 if it has none. */
static inline uint32_t
FimBestRange(double score)
{
	int64_t		bits;

	if (!(score >= 1.0 / (UINT64_C(1) << FIM_BEST_EXPONENTS)))
		return 0;
	memcpy(&bits, &score, sizeof(bits));
	bits = (bits >> (52 - FIM_BEST_BITS)) - ((int64_t) (1023 - FIM_BEST_EXPONENTS) << FIM_BEST_BITS);
	return (uint32_t) (bits < FIM_BEST_RANGES ? bits : FIM_BEST_RANGES - 1);
}

/* The least score of a range; minus infinity for range 0. */
extern double FimBestLeast(uint32_t range);

/* What a worker has counted and not yet told the others. */
typedef struct FimBestCounter
{
	FimBest    *best;
	uint32_t	most;			/* scores to keep back */
	uint32_t	n;				/* scores kept back */
	uint32_t	highest;		/* their highest range */
	uint32_t	counts[FIM_BEST_RANGES]; /* those of ranges that are not wanted any more are left as they are */
} FimBestCounter;

/* Set up what is shared, for scores from "least" on. */
extern void FimBestInit(FimBest *best, uint32_t k, double least);

/* Begin to count. */
extern void FimBestBegin(FimBestCounter *counter, FimBest *best);

/* Tell the others, and raise the threshold if there are enough scores above it. */
extern void FimBestTell(FimBestCounter *counter);

/* Count a score so many times, which is at most k.  Returns whether the threshold may have risen. */
static inline bool
FimBestCount(FimBestCounter *counter, double score, uint32_t times)
{
	uint32_t	range = FimBestRange(score);

	counter->counts[range] += times;
	counter->highest = range > counter->highest ? range : counter->highest;
	counter->n += times;
	if (counter->n < counter->most)
		return false;
	FimBestTell(counter);
	return true;
}

/* How many scores are known to be at least so high, or to be in one range with such a score. */
extern uint64_t FimBestCounted(const FimBest *best, double least);

/* Where it is in the shared state of a task of this family. */
static inline FimBest *
FimBestOf(FimShared *shared)
{
	return (FimBest *) (shared + 1);
}

/* The present threshold as a range. */
static inline uint32_t
FimBestThreshold(const FimBest *best)
{
	return __atomic_load_n(&best->range, __ATOMIC_RELAXED);
}

/*
 * miner.c: Batches of results, and numbers of itemsets by length.
 */

/*
 * A batch of results is a sequence of records of uint32 words:
 *
 *		keep, added, item[added], support
 *
 * An itemset is the first "keep" items of the batch's previous itemset followed
 * by "added" items; the first record of a batch keeps 0, so that each batch can
 * be read alone.  Items are the caller's, in no particular order.
 */

/*
 * A number of itemsets, of 128 bits: a sum or product that does not fit becomes the largest
 * number.  The summary of a task that only counts is an array of these, one for each length
 * of itemsets, see FimTallyLengths().
 */
typedef struct FimCount
{
	uint64_t	low;
	uint64_t	high;
} FimCount;

typedef struct FimTally
{
	uint32_t	lengths;
	FimCount   *counts;			/* [lengths] the number of itemsets of each length, from 0 on */
} FimTally;

/* Add a tally to another one that has the same lengths. */
extern void FimTallyAdd(FimTally *into, const FimTally *from);

/* The number of entries of the spec's tally, whose lengths begin with 0. */
static inline uint32_t
FimTallyLengths(const FimItemsetsSpec *spec, const FimDatabase *db)
{
	return spec->nrequired + db->max_row + 1;
}

/*
 * The task of mining a database.  "counts" is its summary, of FimTallyLengths() entries, and
 * NULL if itemsets are listed.
 */
static inline FimTask
FimItemsetsTask(const FimItemsetsSpec *spec, const FimDatabase *db, FimCount *counts)
{
	return FimTaskOf(&FimItemsetsFamily, &spec->head, &db->head, counts);
}

/*
 * supports.c: The supports of all frequent itemsets, as a tree in flat memory.
 *
 * A node stands for the itemset of the items from the root down to it.  Items are in the order of
 * their supports, the rarest first, so that the subtrees below the root are of similar sizes.  Every
 * part of a frequent itemset is frequent, so it has a node, too, and a path of n items takes 2^n nodes:
 * no path is as long as FIM_SUPPORTS_LENGTH.
 */

#define FIM_SUPPORTS_LENGTH	32

/* What an item may be in a rule: bits of the flags of FimSupports. */
typedef enum FimRuleItem
{
	FIM_IN_ANTECEDENT,			/* it may be in an antecedent */
	FIM_IN_CONSEQUENT,			/* it may be in a consequent */
	FIM_ANTECEDENT_NEEDS,		/* every antecedent has it */
	FIM_ANTECEDENT_NEEDS_ANY,	/* every antecedent has one of these, if there are any */
	FIM_CONSEQUENT_NEEDS_ANY,	/* every consequent has one of these, if there are any */
	FIM_RULE_ITEM_FLAGS
} FimRuleItem;

/*
 * Node 0 is the root, the empty itemset; its support is that of the required items.  The
 * children of node v are the nodes first[v] to first[v + 1] - 1, by ascending item.  All items are
 * frequent, so the root has a child for each: node 1 + i is item i.
 */
typedef struct FimSupports
{
	FimData		head;
	uint32_t	nitems;
	uint32_t	nnodes;
	uint32_t	longest;		/* items of the longest itemset */
	uint32_t	transactions;	/* all of the source; set by the caller */
	uint32_t	consequents;	/* frequent items of the source that can be a consequent; set by the caller */

	/* byte offsets from the start of this struct */
	uint64_t	name_at;		/* uint32[nitems], the caller's numbers of items */
	uint64_t	flags_at;		/* uint8[nitems], see FimRuleItem; set by the caller */
	uint64_t	alone_at;		/* uint32[nitems], supports in all transactions; set by the caller */
	uint64_t	item_at;		/* uint32[nnodes] */
	uint64_t	support_at;		/* uint32[nnodes] */
	uint64_t	first_at;		/* uint32[nnodes + 1] */
} FimSupports;

/* A node while the tree is being built, in the order in which nodes come. */
typedef struct FimSupportsNode
{
	uint32_t	parent;
	uint32_t	item;
	uint32_t	support;
	uint32_t	child;			/* one of its children; 0: none */
	uint32_t	sibling;		/* another child of its parent; 0: none */
} FimSupportsNode;

/* So many itemsets are looked for at the same time. */
#define FIM_SUPPORTS_AT_ONCE	32

/* An itemset on its way into the tree. */
typedef struct FimSupportsPath
{
	uint32_t	items[FIM_SUPPORTS_LENGTH]; /* by ascending item */
	uint32_t	at[FIM_SUPPORTS_LENGTH + 1];	/* the nodes from the root to it */
	uint32_t	length;
	uint32_t	same;			/* items with which the itemset before it begins, too */
	uint32_t	support;
} FimSupportsPath;

/* Builds the tree of batches of itemsets, which may come in any order. */
typedef struct FimSupportsBuilder
{
	FimHost    *host;
	uint32_t	nitems;
	uint32_t   *order;			/* [nitems] the tree's item of a caller's item */
	uint32_t   *name;			/* [nitems] and back */
	FimSupportsNode *node;
	uint64_t	nnodes;
	uint64_t	room;
	uint32_t   *slot;			/* [nslots] a hash table of nodes by parent and item; 0: free */
	uint64_t	nslots;			/* a power of 2 */
	uint32_t	last[FIM_SUPPORTS_LENGTH]; /* the last itemset in the order in which its items came */
	FimSupportsPath path[1 + FIM_SUPPORTS_AT_ONCE]; /* path[0] is that of the itemset before the others */
	uint32_t	longest;
} FimSupportsBuilder;

typedef enum FimSupportsResult
{
	FIM_SUPPORTS_ADDED,
	FIM_SUPPORTS_NO_MEMORY,		/* the host's alloc returned NULL */
	FIM_SUPPORTS_TOO_MANY		/* the itemsets and their parts are more than a tree can have */
} FimSupportsResult;

/*
 * Begin a tree of itemsets of nitems items.  support[] has the support of each, and root_support is that of
 * the empty itemset.  The builder's memory is the host's.  Returns false if there is none.
 */
extern bool FimSupportsBegin(FimSupportsBuilder *builder, FimHost *host, uint32_t nitems, const uint32_t *support,
							 uint32_t root_support);

/* Add a batch of "n" itemsets, as tasks of this family write it. */
extern FimSupportsResult FimSupportsAdd(FimSupportsBuilder *builder, const uint32_t *words, size_t n);

/* Forget all itemsets that were added. */
extern void FimSupportsRestart(FimSupportsBuilder *builder);

/* The bytes of the finished tree, and the tree in memory of that size.  Returns false if the host has no memory. */
extern uint64_t FimSupportsSize(const FimSupportsBuilder *builder);
extern bool FimSupportsFinish(const FimSupportsBuilder *builder, FimSupports *to);

/* Give back the builder's memory. */
extern void FimSupportsEnd(FimSupportsBuilder *builder);

/*
 * association.c: Association rules.
 *
 * A rule is a frequent itemset that is divided in two, an antecedent and a consequent, neither of which is
 * empty, as the spec's lengths and the flags of items admit.
 *
 * A test is a pair of an antecedent and a consequent that are both frequent and that spec and flags
 * admit, whether they are frequent together or not.  If only those counted that are, chance would have chosen
 * the tests, since where two sides are rare, those that are together often enough to be counted are
 * the ones that look as if they depended on each other.  The supports of the sides say nothing about that.
 */

/* What a task of rules gives. */
typedef enum FimRulesOutput
{
	FIM_RULES_COUNTED,			/* nothing but the summary */
	FIM_RULES_TESTS,			/* the supports of all rules, see FIM_TEST_WORDS */
	FIM_RULES_SCORED,			/* the threshold of the best rules among those that the spec selects, see FimBest */
	FIM_RULES_LISTED			/* the rules that the spec selects, see FIM_RULE_WORDS */
} FimRulesOutput;

/* What rules may be ranked by. */
typedef enum FimRanking
{
	FIM_BY_LEVERAGE,
	FIM_BY_CONFIDENCE,
	FIM_BY_LIFT,
	FIM_BY_CHI_SQUARED
} FimRanking;

/*
 * Limits of length are those of the itemsets that rules are made of.  Required items are in every
 * antecedent; the tree does not have them, and its supports are those in the transactions that hold them, so there
 * are required items only if consequents have one item and nothing is asked about parts of antecedents.
 *
 * Of the limits below, one that is minus infinity selects all rules, and so does a max_log_p of infinity.
 *
 * If rules are ranked, those are selected that have a score of at least "least"; one without a score, NaN, is not.
 */
typedef struct FimRulesSpec
{
	FimItemsetsSpec itemsets;
	FimRulesOutput output;
	uint32_t	max_consequent; /* items */
	double		minconf;
	double		minlift;
	double		min_improvement; /* over each rule with a part of the antecedent, the empty part included */
	bool		minimal;		/* such a rule must have less confidence */
	double		max_log_p;		/* natural logarithm of Fisher's one-sided p-value */
	bool		ranked;
	FimRanking	by;
	double		least;
} FimRulesSpec;

/* The summary of every task of rules, of which FimRulesTests() makes the number of tests. */
typedef struct FimRulesSummary
{
	uint64_t	singles;		/* tests with one item in the consequent */
	uint64_t	antecedents[FIM_SUPPORTS_LENGTH]; /* frequent itemsets by length that may be an antecedent */
	uint64_t	consequents[FIM_SUPPORTS_LENGTH]; /* the same for a consequent */
} FimRulesSummary;

/*
 * Two sides that have an item in common are no test.  They are left out for consequents of one item; for longer ones
 * all pairs of sides are counted, which is quick, and errs on the side of more tests.
 */
extern uint64_t FimRulesTests(const FimRulesSpec *spec, const FimRulesSummary *summary);

/*
 * A record of a rule is this, and then the caller's numbers of the itemset's items, without required ones.  Bit i of
 * "chosen" says that the i-th one is in the consequent.
 */
typedef struct FimRule
{
	uint32_t	length;
	uint32_t	chosen;
	uint32_t	support;
	uint32_t	antecedent;
	uint32_t	consequent;
} FimRule;

#define FIM_RULE_HEAD		(sizeof(FimRule) / sizeof(uint32_t))
#define FIM_RULE_WORDS(rule) (FIM_RULE_HEAD + (rule)->length)

/*
 * A record of a test stands for "times" rules with these supports.  Those of several records may be the
 * same.  The p-value does not change if the sides change places, so the antecedent's support is the smaller one.
 */
typedef struct FimTest
{
	uint32_t	support;
	uint32_t	antecedent;
	uint32_t	consequent;
	uint32_t	times;
} FimTest;

#define FIM_TEST_WORDS		(sizeof(FimTest) / sizeof(uint32_t))

/* The test of a rule; the times are 0. */
static inline FimTest
FimTestOf(const FimRule *rule)
{
	bool		swap = rule->antecedent > rule->consequent;

	return (FimTest) {rule->support, swap ? rule->consequent : rule->antecedent, swap ? rule->antecedent : rule->consequent, 0};
}

static inline uint64_t
FimTestHash(const FimTest *test)
{
	return FimHash64(((uint64_t) test->antecedent << 32 | test->consequent) + FimHash64(test->support));
}

/* Do two tests have the same supports? */
static inline bool
FimSameTest(const FimTest *a, const FimTest *b)
{
	return a->support == b->support && a->antecedent == b->antecedent && a->consequent == b->consequent;
}

/* The figures of a rule by which it is selected, and shown. */
static inline double
FimConfidence(uint32_t support, uint32_t antecedent)
{
	return (double) support / antecedent;
}

static inline double
FimLift(uint32_t support, uint32_t antecedent, uint32_t consequent, uint32_t transactions)
{
	return ((double) support * transactions) / ((double) antecedent * consequent);
}

/* What a rule is ranked by. */
extern double FimRuleScore(FimRanking by, uint32_t support, uint32_t antecedent, uint32_t consequent, uint32_t transactions);

/* The functions of the family for tasks of rules, as in FimFamily. */
extern uint64_t RulesUnits(const FimTask *task);
extern void RulesSummaryAdd(void *into, const void *from);
extern FimResult RulesMine(const FimTask *task, FimHost *host, FimSink *sink);

/*
 * adjust.c: p-values of many tests at a time.
 */

typedef enum FimAdjust
{
	FIM_ADJUST_NONE,
	FIM_ADJUST_BONFERRONI,
	FIM_ADJUST_HOLM,
	FIM_ADJUST_BH,				/* Benjamini and Hochberg */
	FIM_ADJUST_BY				/* Benjamini and Yekutieli */
} FimAdjust;

/* "times" rules with one p-value.  Both p-values are natural logarithms. */
typedef struct FimPValues
{
	double		log_p;
	double		log_adjusted;
	uint64_t	times;
} FimPValues;

/* Adjust the n distinct p-values, which ascend, of so many tests.  Tests that have none count as if theirs were 1. */
extern void FimAdjustAll(FimPValues *p, size_t n, uint64_t tests, FimAdjust method);

/*
 * candidates.c: Itemsets whose supports are asked for, as a tree.
 *
 * A node stands for the itemset of the items from the root down to it.  Items are the engine's, and
 * descend from the root down, so that the first one is the rarest.  Nodes come in the
 * order of a walk that goes down first: the nodes below node v are v + 1 to end[v] - 1, and its first
 * child, if it has one, is v + 1.  Node 0 is the root, the empty itemset.
 */

/* The candidates, as lists of the caller's items, one list behind the other. */
typedef struct FimCandidates
{
	uint32_t	n;
	uint32_t   *length;			/* [n], or FIM_NOWHERE if no transaction holds the candidate */
	uint32_t   *items;
} FimCandidates;

#define FIM_NOWHERE		UINT32_MAX

/*
 * A unit of work: "node" is a child of the root, and of the nodes below it these are counted.  The
 * node itself is counted in the unit whose "first" is the next node.
 */
typedef struct FimCandidatesUnit
{
	uint32_t	node;
	uint32_t	first;
	uint32_t	end;
} FimCandidatesUnit;

/* The summary of the task is uint32[nnodes], the support of each node but the root. */
typedef struct FimCandidatesSpec
{
	FimItemsetsSpec itemsets;
	uint32_t	nnodes;
	uint32_t	nunits;
	uint32_t	longest;		/* items of the longest candidate */

	/* byte offsets from the start of this struct */
	uint64_t	item_at;		/* uint32[nnodes] */
	uint64_t	end_at;			/* uint32[nnodes] */
	uint64_t	unit_at;		/* FimCandidatesUnit[nunits] */
} FimCandidatesSpec;

/*
 * Makes the tree of the candidates, all of whose items are items of the database, and sets node[i] to the node of
 * candidate i, or to FIM_NOWHERE.  The lists are overwritten.  Memory is the host's.  Returns NULL if the
 * host has none or said stop, or if the tree would be larger than a spec can be.
 */
extern FimCandidatesSpec *FimCandidatesTree(const FimCandidates *candidates, const FimDatabase *db, FimHost *host,
											uint32_t *node);

/*
 * candidate_supports.c: The functions of the family for tasks of candidates, as in FimFamily.
 */
extern uint64_t CandidatesUnits(const FimTask *task);
extern size_t CandidatesSummarySize(const FimTask *task);
extern void CandidatesSummaryAdd(const FimTask *task, void *into, const void *from);
extern FimResult CandidatesMine(const FimTask *task, FimHost *host);

#endif							/* FIM_ITEMSETS_H */
