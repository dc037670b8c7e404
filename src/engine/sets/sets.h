/*-------------------------------------------------------------------------
 *
 * sets.h
 *	  The family of products of sets: its spec, its data, its results.
 *
 * A relation is a set of pairs of a value and a key; a value's keys are a set.  Two
 * relations, the left one and the right one, have their keys in common.  The witnesses
 * of a left value and a right value are the keys that both have: the overlap of their
 * sets.  A task of this family finds the pairs of values that have witnesses, which is a
 * join on the key that is projected to the values, and the product of two boolean
 * matrices.  If there is one relation only, which is both the left and the right one,
 * the task may also be to find the pairs of different values with enough witnesses,
 * those whose sets are similar, or for each value the others that go best with it.
 * doc/sets.md says exactly what is found.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_SETS_H
#define FIM_SETS_H

#include "engine/family.h"

extern const FimFamily FimSetsFamily;

/* Strategies, in the order of their names. */
typedef enum FimSetsStrategy
{
	FIM_SETS_AUTO,
	FIM_SETS_ROWS,				/* a left value at a time, over its keys' right values */
	FIM_SETS_BITS,				/* tiles of bit matrices */
	FIM_SETS_BATMAP,			/* tiles of sets as batmaps */
	FIM_SETS_PREFIX,			/* similar sets by their rarest keys; for other tasks, rows */
	FIM_SETS_STRATEGIES
} FimSetsStrategy;

/* Both engines have all of them. */
#define FIM_SETS_STRATEGY_NAMES \
	{"auto", "rows", "bits", "batmap", "prefix", NULL}
#define FIM_SETS_GPU_STRATEGY_NAMES FIM_SETS_STRATEGY_NAMES

/* The most values of a side, and the most keys: both are numbered in 32 bits. */
#define FIM_SETS_MAX	(UINT32_MAX - 1)

typedef enum FimSetsResult
{
	FIM_SETS_PRODUCT,			/* a left and a right value with enough witnesses */
	FIM_SETS_PAIRS,				/* two different values of one relation, likewise */
	FIM_SETS_SIMILAR,			/* two different values of one relation, or a left and a right one, that are similar */
	FIM_SETS_BEST				/* each value of one relation with the others that have the highest scores, or each left value
								 * with the right ones */
} FimSetsResult;

/*
 * The similarity of two sets A and B that have o elements in common, at least one.  It is the
 * float8 that is nearest to the exact number, and reaches the threshold if that float8 is not
 * below the threshold.
 */
typedef enum FimSetsMeasure
{
	FIM_JACCARD,				/* o / (|A| + |B| - o) */
	FIM_COSINE,					/* o / sqrt(|A| * |B|) */
	FIM_OVERLAP,				/* o / min(|A|, |B|) */
	FIM_CONTAINMENT,			/* o / |A|: of A in B, which may differ from that of B in A */

	/* scores that also depend on the number n of transactions, for the best partners only */
	FIM_LIFT,					/* o n / (|A| |B|) */
	FIM_LEVERAGE,				/* o / n - |A| |B| / n^2 */
	FIM_LOG_LIKELIHOOD_RATIO	/* Dunning's G2, negative if o is less than |A| |B| / n; no nearest float8 */
} FimSetsMeasure;

typedef struct FimSetsSpec
{
	FimSpec		head;
	FimSetsResult result;
	bool		witnesses;		/* records have the numbers of witnesses */
	uint64_t	min_witnesses;	/* >= 1; not for similar sets */
	FimSetsMeasure measure;		/* for similar sets and the best partners */
	double		threshold;		/* > 0; for similar sets; of the best partners, if they must be similar, otherwise 0 */
	uint32_t	most_partners;	/* >= 1; of a value, for the best partners */
	uint64_t	transactions;	/* for scores: at least the number of keys, and below 2^32 */
} FimSetsSpec;

/*
 * One side of the data.  It has the values that have a key in common with the other side.
 * They are ranked by the number of these keys, most first.
 */
typedef struct FimSetsSide
{
	uint32_t	nvalues;
	uint32_t	longest;		/* the most keys that a value has */
	uint64_t	npairs;

	/* byte offsets from the start of the data */
	uint64_t	start_at;		/* uint64[nvalues + 1], where the keys of each rank begin */
	uint64_t	value_at;		/* uint32[nvalues], the caller's number of the value of each rank */
	uint64_t	key_at;			/* uint32[npairs], the keys of each value, ascending */

	/* while pairs are added */
	uint32_t	values;			/* the caller's numbers of values are below this */
	uint64_t	added_at;		/* FimSetsPair[added] */
	uint64_t	added;
} FimSetsSide;

/*
 * Estimates from which a strategy is chosen.  Level l has the first nvalues / 2^l ranks of
 * both sides.  Key group 0 is key 0, and group g has the keys from 2^(g - 1) to 2^g - 1.
 */
#define FIM_SETS_LEVELS		16
#define FIM_SETS_KEY_GROUPS	33

typedef struct FimSetsGroup
{
	uint64_t	paths;			/* about how many paths the level has through keys of the group */
	uint64_t	keys;			/* about how many pairs of the level's left values have a key of the group */
} FimSetsGroup;

/*
 * The two relations.  They have only the keys that are on both sides, unless sets must be whole because of
 * their sizes.  Keys are numbered by the number of their pairs, most first.  FimSetsKeepPart() leaves only some of the left values.
 */
typedef struct FimSetsData
{
	FimData		head;
	uint32_t	nkeys;
	uint32_t	keys;			/* while pairs are added: the caller's numbers of keys are below this */
	bool		one;			/* one relation is both sides: both have the same offsets, unless left values were left out */
	bool		whole;			/* of two relations: sets keep the keys that are on their side only */
	double		most_paths;		/* an upper bound of paths, which also counts pairs that were added twice */
	FimSetsSide left;
	FimSetsSide right;
	uint64_t	self_at;		/* uint32[left.nvalues], the right rank of each left value, if one relation is both sides
								 * and left values were left out; otherwise 0 */

	/* the right relation by key, for the CPU engine; GPUs sort their copies themselves */
	uint32_t	most_right;		/* the most right values that a key has */
	uint64_t	key_start_at;	/* uint64[nkeys + 1], where the ranks of each key begin */
	uint64_t	rank_at;		/* uint32[right.npairs], the right ranks of each key, ascending */

	/* while records are added */
	uint32_t	longest_record; /* the most values of a record */
	uint32_t	nbatches;
	uint32_t	nranges;
	uint64_t	list_at;		/* uint64[longest_record + 1], where the ranks of records of each length begin */
	uint64_t	counts_at;		/* rows of counts: uint32[nbatches + 1][] of lengths, later uint32[nranges + 1][] of ranks */

	/* what cpu_prepare() adds, see joiner.h */
	uint32_t	nblocks;
	uint64_t	paths;			/* about the number of paths: rows of the join before it is projected */
	uint64_t	block_at;		/* uint32[nblocks + 1] */
	FimSetsGroup group[FIM_SETS_LEVELS][FIM_SETS_KEY_GROUPS];
} FimSetsData;

/*
 * How to build the data, in one process:
 *
 *		FimSetsBegin(), in memory of FimSetsBound() bytes
 *		FimSetsAddLeft() and FimSetsAddRight() for each pair
 *		FimSetsFinish()
 *
 * FimSetsFinish() takes 4 more bytes for each pair of the larger relation, and some for each
 * value and key, from the host until it returns.
 *
 * The numbers in FimSetsSize are upper bounds.  Numbers of values and of keys begin with 0;
 * there are at most FIM_SETS_MAX of them.  Pairs come in any order, and a pair that comes
 * twice counts once.  If one relation is both sides, its pairs are added on the left, and
 * the right numbers are 0.
 */
typedef struct FimSetsPair
{
	uint32_t	key;
	uint32_t	value;
} FimSetsPair;

typedef struct FimSetsSize
{
	uint64_t	left_pairs;
	uint64_t	right_pairs;
	uint32_t	left_values;
	uint32_t	right_values;
	uint32_t	keys;
	bool		one;
	bool		whole;			/* see FimSetsData */
	bool		part;			/* FimSetsKeepPart() follows */
	uint32_t	batches;		/* of records; 0: pairs are added, and not records */
	uint32_t	longest;		/* the most values of a record, if so */
} FimSetsSize;

/* The bytes that the data take, with what the CPU engine's cpu_prepare() adds, or SIZE_MAX if that does not fit a size_t. */
extern size_t FimSetsBound(const FimSetsSize *size);

extern void FimSetsBegin(FimSetsData *data, size_t bytes, const FimSetsSize *size);

/* The pairs that have been added to a side, side->added of them. */
static inline FimSetsPair *
FimSetsAdded(FimSetsData *data, const FimSetsSide *side)
{
	return (FimSetsPair *) ((char *) data + side->added_at);
}

static inline void
FimSetsAdd(FimSetsData *data, FimSetsSide *side, uint32_t key, uint32_t value)
{
	FimSetsAdded(data, side)[side->added++] = (FimSetsPair) {key, value};
}

static inline void
FimSetsAddLeft(FimSetsData *data, uint32_t key, uint32_t value)
{
	FimSetsAdd(data, &data->left, key, value);
}

static inline void
FimSetsAddRight(FimSetsData *data, uint32_t key, uint32_t value)
{
	FimSetsAdd(data, &data->right, key, value);
}

/* Returns FIM_DONE, FIM_STOPPED if the host's poll said so, or FIM_OUT_OF_MEMORY. */
extern FimResult FimSetsFinish(FimSetsData *data, FimHost *host);

/*
 * How to build the data of one relation from records, each of which has all values of a key, each once, in processes
 * that have the memory of the data in common:
 *
 *		FimSetsBegin() with a number of batches of records, of which data->nbatches says how many there can be, and
 *			FimSetsRankValues()
 *		for each batch: count the records of n values in FimSetsCounts()[n]
 *		FimSetsNumberKeys()
 *		for each batch: FimSetsWriteRecord() for each record
 *		for each range below data->nranges: FimSetsCountRange()
 *		FimSetsPlaceRanges()
 *		for each range: FimSetsWriteRange()
 *
 * Batches, or ranges, may be dealt with at the same time, but each line must be done before the next one begins.  Of
 * keys with the same number of values, those of earlier batches, and of earlier records there, have lower numbers.
 *
 * FimSetsRankValues() is told in how many records each value is, number[value], and sets that to the value's rank, or
 * to UINT32_MAX for a value that is in none.  What takes a host returns as FimSetsFinish() does.  FimSetsWriteRecord() takes
 * ranks, in ascending order.  FimSetsNumberKeys() and FimSetsPlaceRanges() return false if the records that were counted, or
 * written, do not have the values that FimSetsRankValues() was told of; then the data must not be built any further.
 */
extern FimResult FimSetsRankValues(FimSetsData *data, uint32_t *number, FimHost *host);
extern uint32_t *FimSetsCounts(FimSetsData *data, uint32_t batch);
extern bool FimSetsNumberKeys(FimSetsData *data);
extern void FimSetsWriteRecord(FimSetsData *data, uint32_t batch, const uint32_t *ranks, uint32_t n);
extern FimResult FimSetsCountRange(FimSetsData *data, uint32_t range, FimHost *host);
extern bool FimSetsPlaceRanges(FimSetsData *data);
extern FimResult FimSetsWriteRange(FimSetsData *data, uint32_t range, FimHost *host);

/*
 * Leave out the left values of finished data that are not of the spec's part, see engine/parts.h.  A part has the results of its left
 * values; where pairs have no order, the pairs with values of the same or higher ranks.  *fingerprint is set to that of all data, which stands for values by
 * their numbers, and in which keys have none.  Returns as FimSetsFinish() does.
 */
extern FimResult FimSetsKeepPart(FimSetsData *data, const FimSetsSpec *spec, FimHost *host, uint64_t *fingerprint);

#define FIM_SETS_STARTS(data, side) \
	((uint64_t *) ((char *) (data) + (side)->start_at))
#define FIM_SETS_VALUES(data, side) \
	((uint32_t *) ((char *) (data) + (side)->value_at))
#define FIM_SETS_KEYS(data, side) \
	((uint32_t *) ((char *) (data) + (side)->key_at))

/* Set where the arrays of a side with these numbers of values and pairs are, from "at" on.  Returns where they end. */
extern uint64_t FimSetsLayoutSide(FimSetsSide *side, uint64_t at, uint64_t values, uint64_t pairs);

/* Whether pairs have no order, so that each is found with its value of the lower rank. */
static inline bool
FimSetsUnordered(const FimSetsSpec *spec, const FimSetsData *data)
{
	/* a value is a partner of others, and they are its partners */
	return data->one && spec->result != FIM_SETS_BEST;
}

/* The number of keys of the value of a rank. */
static inline uint32_t
FimSetsLength(const FimSetsData *data, const FimSetsSide *side, uint32_t rank)
{
	const uint64_t *start = FIM_SETS_STARTS(data, side);

	return (uint32_t) (start[rank + 1] - start[rank]);
}

/*
 * A batch of results is a sequence of records of uint32 words:
 *
 *		value, n, others[n]
 *
 * and then, if the spec wants them, witnesses[n], and for similar sets and the best partners
 * their similarities[n] or scores[n], which are doubles, two words each as they lie in
 * memory.  Each of the others forms a pair with the value.  A value may have several records.
 *
 * The best partners of a value come with the best one first: a higher score is better, of
 * equal ones the one with more witnesses, and then the lower number of the value.  A last
 * word says how many better partners the value has in earlier records.
 *
 * If there are two relations, the value is a left one and the others are right ones.  If
 * there is one relation, a pair has no order and comes once.  As a result of a product, it
 * stands for both of its orders, unless both values are the same.  Only for containment
 * does a pair have an order: the similarity is the containment of the value's set in the
 * other's.  So do the best partners: the other one is a partner of the value.
 *
 * The number of results of a batch is its number of pairs, where pairs that stand for both
 * orders count twice.
 */
static inline size_t
FimSetsRecordWords(const FimSetsSpec *spec, uint32_t n)
{
	bool		best = spec->result == FIM_SETS_BEST;

	return 2 + (size_t) n * (1 + (spec->witnesses ? 1 : 0) + (best || spec->result == FIM_SETS_SIMILAR ? 2 : 0)) +
		(best ? 1 : 0);
}

/*
 * The summary, whether the task writes results or only counts.  The times are what "auto"
 * expected of the strategies and chose by: processor time on one core, or 0 if it did not
 * estimate that.
 */
typedef struct FimSetsSummary
{
	uint64_t	pairs;			/* results, counted as for a batch */
	uint64_t	found[FIM_SETS_STRATEGIES]; /* the results that each strategy found */
	uint32_t	tiled_left;		/* left ranks below this, with right ranks ... */
	uint32_t	tiled_right;	/* ... below this, were left to tiles */
	double		rows_ms;		/* everything by strategy "rows" */
	double		split_ms;		/* with the part in tiles that saves most; rows_ms if none saves anything */
	double		prefix_ms;		/* everything by strategy "prefix" */
} FimSetsSummary;

/* The task of multiplying data. */
static inline FimTask
FimSetsTask(const FimSetsSpec *spec, const FimSetsData *data, FimSetsSummary *summary)
{
	return FimTaskOf(&FimSetsFamily, &spec->head, &data->head, summary);
}

#endif							/* FIM_SETS_H */
