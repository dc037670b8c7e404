/*-------------------------------------------------------------------------
 *
 * probable.h
 *	  The family of probable itemsets: its spec, its data, its results.
 *
 * Transactions are uncertain in one of two ways.  Under tuple uncertainty a
 * transaction exists with a probability, and its items are certain.  Under attribute
 * uncertainty each item is in a transaction with a probability of its own.  All are
 * independent, so the support of an itemset, the number of transactions that hold it,
 * is a sum of independent Bernoulli variables: its distribution is Poisson-binomial.
 *
 * A task of this family lists the itemsets whose support reaches minsup with
 * probability minprob (Bernecker et al., KDD 2009), or whose expected support reaches
 * a threshold (Chui, Kao and Hung, PAKDD 2007); all of them, or the closed or maximal
 * ones.  A unit of its work is a prefix class.
 *
 * Everything is defined in exact arithmetic on the float8 probabilities given.  A
 * computed real reaches a float8 threshold when its nearest float8, upward if it is
 * the middle of two, is not below the threshold.  All engines and strategies decide
 * that without error, so that they give the same itemsets.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_PROBABLE_H
#define FIM_PROBABLE_H

#include <math.h>

#include "engine/engine.h"
#include "engine/family.h"
#include "engine/parts.h"

/*
 * The rules that settle whether an itemset is wanted, from cheap to expensive.  The first ones
 * take the number, mean, variance and third moment of an itemset's probabilities; the
 * convolutions take all probabilities.
 */
typedef enum FimProbableRule
{
	FIM_RULE_COUNT,				/* fewer occurrences than the threshold */
	FIM_RULE_MEDIAN,			/* the median is within 1 of the mean */
	FIM_RULE_HOEFFDING,			/* bounded by binomial tails */
	FIM_RULE_BERRY_ESSEEN,		/* close to the normal distribution */
	FIM_RULE_CHERNOFF,			/* far tails */
	FIM_RULE_BINOMIAL,			/* close to the binomial distribution */
	FIM_RULE_POISSON,			/* close to the Poisson distribution */
	FIM_RULE_INVERSION,			/* by the characteristic function, to a few digits */
	FIM_RULE_CONVOLUTION,		/* in double precision, with a certified error */
	FIM_RULE_DOUBLE_DOUBLE,
	FIM_RULE_EXACT,				/* integers as wide as it takes */
	FIM_RULE_EXPECTATION,		/* selected by expected support */
	FIM_RULES
} FimProbableRule;

extern const FimFamily FimProbableFamily;

/* Strategies of the CPU engine, in the order of the family's list. */
typedef enum FimProbableStrategy
{
	FIM_PROBABLE_AUTO,
	FIM_PROBABLE_BOUNDS,		/* depth first, decided by bounds where they suffice */
	FIM_PROBABLE_FFT			/* pApriori, level by level; only where built with an FFT */
} FimProbableStrategy;

/* Strategies of the GPU engine, in the order of the family's list. */
typedef enum FimProbableGpuStrategy
{
	FIM_PROBABLE_GPU_AUTO,
	FIM_PROBABLE_GPU_BOUNDS,	/* decided by bounds where they suffice */
	FIM_PROBABLE_GPU_FFT,		/* GPU pApriori; bit strings are decoded by popc and ffs, ... */
	FIM_PROBABLE_GPU_FFT_LOOP	/* ... or bit by bit */
} FimProbableGpuStrategy;

#define FIM_PROBABLE_GPU_STRATEGY_NAMES \
	{"auto", "bounds", "fft", "fft_loop", NULL}

/*
 * What to mine.  The required items are those that "including" names: they are in
 * every itemset.  Lengths are those of whole itemsets, in which required items count.  If "nany" is not 0, each itemset
 * needs one of the data's last "nany" items.  Only the CPU engine knows of that.
 */
typedef struct FimProbableSpec
{
	FimSpec		head;
	FimKind		kind;
	uint32_t	minsup;			/* transactions, >= 1; results tell P(support >= minsup) */
	double		minprob;		/* > 0: P(support >= minsup) has to reach this; NaN: select by
								 * expectation */
	double		min_expected;	/* > 0: when selecting by expectation, expected support has to reach this */
	bool		exact;			/* values are wanted, not only decisions */
	uint32_t	nrequired;		/* items 0 .. nrequired-1, which every row holds */
	uint32_t	nany;			/* the last items, of which every row holds one; 0: there is no such condition */
	uint32_t	min_length;		/* >= 1 */
	uint32_t	max_length;		/* FIM_NO_LIMIT for none */
} FimProbableSpec;

static inline bool
FimByExpectation(const FimProbableSpec *spec)
{
	return isnan(spec->minprob);
}

/*
 * The encoded transactions.  Items are numbered from 0, the required ones first, the
 * others in the sort order of their type, so that a result is sorted.  If itemsets need one of some
 * items, these are the last ones, in that order, too.
 */
typedef struct FimProbableData
{
	FimData		head;
	uint32_t	nrows;
	uint32_t	nitems;
	uint32_t	max_row;		/* entries in the longest row */
	uint32_t	by_entry;		/* attribute uncertainty: entries have probabilities,
								 * otherwise rows */
	uint64_t	entries;

	/* byte offsets from the start of this struct */
	uint64_t	start_at;		/* uint64[nrows + 1], into items */
	uint64_t	item_at;		/* uint32[entries], ascending in a row */
	uint64_t	probability_at; /* double[by_entry ? entries : nrows], in (0, 1] */

	/* what cpu_prepare() and cpu_fill() add: the same by item */
	uint64_t	column_at;		/* uint64[nitems + 1], into rows */
	uint64_t	row_at;			/* uint32[entries], rows of an item, ascending */
	uint64_t	factor_at;		/* double[entries], if by_entry: the probabilities, beside the rows */
} FimProbableData;

/*
 * Building the data, in one process: FimProbableBegin() in memory of
 * FimProbableBound() bytes (SIZE_MAX if that does not fit size_t), FimProbableAdd() for
 * each transaction, then FimProbableFinish(), which returns false if the host's poll
 * said stop.
 *
 * rows and entries are upper bounds of the calls of FimProbableAdd() and of the items in
 * all of them; rows is below FIM_MAX_TRANSACTIONS.  A transaction has each item at most
 * once, in any order, and all of the required items.  Under attribute uncertainty
 * probabilities[i] is that of items[i], and row_probability is not read; under tuple
 * uncertainty probabilities is not read.  Items and rows of probability 0 are left out (src/read/ingest.c),
 * and so is a row that has no item left.  The caller has to leave out rows in which a
 * required item has probability 0.
 */
extern size_t FimProbableBound(uint64_t rows, uint64_t entries, uint32_t nitems, bool by_entry);
extern void FimProbableBegin(FimProbableData *data, size_t size, uint64_t rows, uint64_t entries,
							 uint32_t nitems, bool by_entry);
extern void FimProbableAdd(FimProbableData *data, const uint32_t *items,
						   const double *probabilities, uint32_t nitems, double row_probability);
/*
 * Several processes may add rows to data that one of them has begun, each to a part of its own, which has been
 * begun, too.  One process at a time takes room for a part's rows behind those of the data, and copies them there
 * while others do the same, which empties the part.
 */
extern FimPlace FimProbableTakeRoom(FimProbableData *data, const FimProbableData *part);
extern void FimProbableCopyPart(FimProbableData *data, FimPlace place, FimProbableData *part);

extern bool FimProbableFinish(FimProbableData *data, FimHost *host);

#define FIM_PROBABLE_STARTS(data) \
	((uint64_t *) ((char *) (data) + (data)->start_at))
#define FIM_PROBABLE_ITEMS(data) \
	((uint32_t *) ((char *) (data) + (data)->item_at))
#define FIM_PROBABLE_PROBABILITIES(data) \
	((double *) ((char *) (data) + (data)->probability_at))

/*
 * A batch of results is a sequence of records of uint32 words:
 *
 *		nitems, items[nitems], probability, expected_support, occurrences
 *
 * Items are ascending and include the required ones.  Probability and expected support
 * are doubles, two words each as they lie in memory.
 *
 * The probability is P(support >= minsup).  With "exact" it is the nearest double where
 * that is known, and otherwise a lower bound that is off by less than 1e-12 and, down to
 * 1e-100, by less than 1e-9 of the truth.  Without "exact" it is the lower bound that
 * decided.  The expected support has a relative error of at most 1e-12.
 */
#define FIM_PROBABLE_RECORD_WORDS(nitems)	((size_t) (nitems) + 6)

/* How many itemsets were settled by each rule, and how many values were computed. */
typedef struct FimProbableSummary
{
	uint64_t	settled[FIM_RULES];
	uint64_t	values;
} FimProbableSummary;

static inline void
FimProbableSummaryAdd(FimProbableSummary *into, const FimProbableSummary *from)
{
	for (int rule = 0; rule < FIM_RULES; rule++)
		into->settled[rule] += from->settled[rule];
	into->values += from->values;
}

/* The task of mining data. */
static inline FimTask
FimProbableTask(const FimProbableSpec *spec, const FimProbableData *data, FimProbableSummary *summary)
{
	return FimTaskOf(&FimProbableFamily, &spec->head, &data->head, summary);
}

/*
 * The transactions of each item, which cpu_prepare() and cpu_fill() add to the data.
 */

/* The entries starts[i] .. starts[i + 1] - 1 of rows and factors are those of item i. */
#define COLUMN_STARTS(data)		((uint64_t *) ((char *) (data) + (data)->column_at))
#define COLUMN_ROWS(data)		((uint32_t *) ((char *) (data) + (data)->row_at))
#define COLUMN_FACTORS(data)	((double *) ((char *) (data) + (data)->factor_at))

/* cpu_size(), cpu_prepare() and cpu_fill() of the family. */
extern size_t ColumnsSize(const FimData *data);
extern bool ColumnsCount(FimData *data, FimHost *host);
extern FimResult ColumnsFill(const FimTask *task, uint32_t part, FimHost *host);

/* class_parts.c: The fingerprint of the data, in whatever order rows were added, see engine/parts.h. */
extern uint64_t FimProbableFingerprint(const FimProbableData *data, FimHost *host);

/*
 * Deal the classes of the data's items, of which count[] says how many rows hold them; the unit behind them is that of itemsets without
 * an item that counts, see class_parts.c.  Leaves by the arena's jump if there is no memory.
 */
extern void FimProbableDeal(FimDealt *dealt, const FimPart *part, const FimProbableData *data, const uint32_t *count, Arena *arena);

#endif							/* FIM_PROBABLE_H */
