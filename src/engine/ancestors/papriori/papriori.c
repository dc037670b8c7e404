/*-------------------------------------------------------------------------
 *
 * papriori.c
 *	  Mining level by level as pApriori does it.
 *
 * L. Sun, R. Cheng, D. W. Cheung, J. Cheng: Mining uncertain data with probabilistic
 * guarantees, KDD 2010; in the form of Y. Kozawa, T. Amagasa, H. Kitagawa: GPU
 * acceleration of probabilistic frequent itemset mining from uncertain databases, CIKM
 * 2012.  doc/ancestors/papriori.md says which section became which function.
 *
 *-------------------------------------------------------------------------
 */
#include "papriori.h"

#include "engine/probable/miner.h"
#include "engine/probable/probable.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An itemset of a level, without the required items. */
typedef struct Member
{
	const uint64_t *bits;		/* the rows that hold it: its inclusion bit string */
	Extension	judged;
	bool		covered;		/* a superset has the same probability in every row */
	bool		extended;		/* a superset by one item is selected */
} Member;

typedef struct Level
{
	uint32_t	k;
	uint32_t	n;
	uint32_t	room;
	uint32_t   *items;			/* [n][k] ascending, and so are the itemsets */
	Member	   *members;		/* [n] */
	Arena	   *arena;
} Level;

typedef struct Papriori
{
	ProbableMiner *m;
	PaprioriTail tail;
	void	   *state;
	ProbableView root;
	uint64_t   *bits;			/* [nwords] of the candidate at hand */
	double	   *product;		/* [nrows] its probabilities, under attribute uncertainty */
	uint32_t   *subset;			/* [longest itemset] the members that are its subsets */
} Papriori;

/* Make room for more itemsets of the level. */
static void
GrowLevel(Level *level)
{
	uint32_t	room = level->room * 2 + 64;
	uint32_t   *items = ArenaAlloc(level->arena, sizeof(uint32_t) * ((size_t) room * level->k + 1));
	Member	   *members = ArenaAlloc(level->arena, sizeof(Member) * (size_t) room);

	if (level->n > 0)
	{
		memcpy(items, level->items, sizeof(uint32_t) * (size_t) level->n * level->k);
		memcpy(members, level->members, sizeof(Member) * level->n);
	}
	level->items = items;
	level->members = members;
	level->room = room;
}

static inline const uint32_t *
ItemsOf(const Level *level, uint32_t i)
{
	return level->items + (size_t) i * level->k;
}

/*
 * Decode the candidate's bit string into m->probabilities and, under attribute uncertainty,
 * m->rows.  The items at hand are the candidate's.
 */
static void
Decode(Papriori *a)
{
	ProbableMiner *m = a->m;
	const FimProbableData *data = m->data;
	const double *weight = a->root.weight;
	double	   *to = m->probabilities;
	uint32_t   *row = m->rows;

	if (!data->by_entry)
	{
		for (uint32_t w = 0; w < a->root.nwords; w++)
			to = m->sums->pick(a->bits[w], weight + (size_t) w * 64, to);
		ProbableWork(m, data->nrows);
		return;
	}
	memcpy(a->product, weight, sizeof(double) * data->nrows);
	for (uint32_t i = m->spec->nrequired; i < m->nitems; i++)
	{
		uint64_t	end = COLUMN_STARTS(data)[m->items[i] + 1];

		for (uint64_t e = COLUMN_STARTS(data)[m->items[i]]; e < end; e++)
			a->product[COLUMN_ROWS(data)[e]] = Product(a->product[COLUMN_ROWS(data)[e]],
													   COLUMN_FACTORS(data)[e]);
		ProbableWork(m, data->nrows);
	}
	for (uint32_t r = 0; r < data->nrows; r++)
		if (a->bits[r / 64] >> (r % 64) & 1)
		{
			*to++ = a->product[r];
			*row++ = r;
		}
}

/*
 * Lemma 3, Chernoff's bound: is P(support >= minsup) below minprob for certain?  The margin
 * of one part in 10^9 makes up for rounding.
 */
static bool
IsFar(const ProbableMiner *m, double mean)
{
	double		delta = (m->spec->minsup - 1 - mean) / mean;
	double		bound;

	if (delta <= 0)
		return false;
	bound = delta >= 2 * M_E - 1 ? exp2(-delta * mean) : exp(-delta * delta * mean / 4);
	return bound < m->spec->minprob * (1 - 1e-9);
}

/* Below this, the relative error of a tail may be too large for a value, however small the absolute one is. */
#define SMALL_TAIL	1e-2

static void
ComputeTail(Papriori *a, Extension *itemset, double *error)
{
	ProbableMiner *m = a->m;

	*error = 0;
	itemset->probability = 0;
	itemset->settled = true;
	if (itemset->n < m->spec->minsup)
		return;
	ProbableExpect(m, a->tail(a->state, m->probabilities, itemset->n, m->spec->minsup,
							  &itemset->probability, error));
	itemset->settled = itemset->probability >= SMALL_TAIL;
}

/* Decide by the tail or, where that is too close to the threshold, as "bounds" does it. */
static bool
JudgeTail(Papriori *a, Extension *itemset)
{
	ProbableMiner *m = a->m;
	double		minprob = m->spec->minprob;
	double		error;

	ComputeTail(a, itemset, &error);
	if (fabs(itemset->probability - minprob) <= error)
		return JudgeProbabilities(m, itemset);
	m->summary->settled[FIM_RULE_CONVOLUTION]++;
	m->summary->values++;
	if (itemset->probability < minprob)
		return false;
	itemset->probability = fmax(itemset->probability - error, minprob);
	return true;
}

/* Is the candidate at hand selected?  Sets its n, mean and probability. */
static bool
Judge(Papriori *a, Extension *itemset)
{
	ProbableMiner *m = a->m;
	FimMoments	moments;

	itemset->n = 0;
	for (uint32_t w = 0; w < a->root.nwords; w++)
		itemset->n += (uint32_t) __builtin_popcountll(a->bits[w]);
	if (!m->by_expectation && itemset->n < m->spec->minsup)
	{
		m->summary->settled[FIM_RULE_COUNT]++;
		return false;
	}
	Decode(a);
	FimMomentsOf(m->probabilities, itemset->n, 0, &moments);
	itemset->mean = moments.mean;
	if (m->by_expectation)
	{
		FimVerdict	verdict = JudgeMean(m, itemset, moments.error, ProbableFactors(m));

		return verdict == FIM_OPEN ? JudgeProbabilities(m, itemset) : verdict == FIM_YES;
	}
	if (IsFar(m, itemset->mean))
	{
		m->summary->settled[FIM_RULE_CHERNOFF]++;
		return false;
	}
	return JudgeTail(a, itemset);
}

/* The index, in the level of k items, of items[k + 1] without the one at "without"; -1 if it is not there. */
static int64_t
FindSubset(const Level *level, const uint32_t *items, uint32_t without)
{
	uint32_t	low = 0;
	uint32_t	high = level->n;

	while (low < high)
	{
		uint32_t	middle = low + (high - low) / 2;
		const uint32_t *of = ItemsOf(level, middle);
		uint32_t	i = 0;

		while (i < level->k && of[i] == items[i + (i >= without)])
			i++;
		if (i == level->k)
			return middle;
		if (of[i] < items[i + (i >= without)])
			low = middle + 1;
		else
			high = middle;
	}
	return -1;
}

/* Are all subsets with one item less selected?  Sets a->subset[] to their indexes. */
static bool
SubsetsAreSelected(Papriori *a, const Level *level, const uint32_t *items)
{
	for (uint32_t i = 0; i <= level->k; i++)
	{
		int64_t		found = FindSubset(level, items, i);

		if (found < 0)
			return false;
		a->subset[i] = (uint32_t) found;
	}
	return true;
}

/* Is an item in all of the n rows of an itemset with probability 1? */
static bool
IsCertainIn(const ProbableMiner *m, const uint64_t *bits, uint32_t n, uint32_t item)
{
	const FimProbableData *data = m->data;
	uint32_t	certain = 0;

	for (uint64_t e = COLUMN_STARTS(data)[item]; e < COLUMN_STARTS(data)[item + 1]; e++)
	{
		uint32_t	r = COLUMN_ROWS(data)[e];

		certain += (bits[r / 64] >> (r % 64) & 1) && (!data->by_entry || COLUMN_FACTORS(data)[e] == 1);
	}
	return certain == n;
}

/* Note what the candidate at hand, which was selected, tells of its subsets. */
static void
MarkSubsets(Papriori *a, Level *level, const uint32_t *items, const Extension *itemset)
{
	for (uint32_t i = 0; i <= level->k; i++)
	{
		Member	   *subset = &level->members[a->subset[i]];

		subset->extended = true;
		if (a->m->spec->kind == FIM_CLOSED && !subset->covered && subset->judged.n == itemset->n)
			subset->covered = IsCertainIn(a->m, subset->bits, subset->judged.n, items[i]);
	}
}

/* Add the candidate at hand to its level. */
static void
AddMember(Papriori *a, Level *level, const uint32_t *items, const Extension *judged)
{
	size_t		bytes = sizeof(uint64_t) * a->root.nwords;
	uint64_t   *bits;

	if (level->n == level->room)
		GrowLevel(level);
	bits = ArenaAlloc(level->arena, bytes);
	memcpy(bits, a->bits, bytes);
	memcpy(level->items + (size_t) level->n * level->k, items, sizeof(uint32_t) * level->k);
	level->members[level->n++] = (Member) {bits, *judged, false, false};
}

static void
PushItems(ProbableMiner *m, const uint32_t *items, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		ProbablePush(m, items[i]);
}

static void
PopItems(ProbableMiner *m, uint32_t n)
{
	while (n-- > 0)
		ProbablePop(m);
}

static void
TryCandidate(Papriori *a, Level *level, Level *next, const uint32_t *items)
{
	Extension	itemset;

	memset(&itemset, 0, sizeof(itemset));
	PushItems(a->m, items, next->k);
	if (Judge(a, &itemset))
	{
		if (level->k > 0)
			MarkSubsets(a, level, items, &itemset);
		AddMember(a, next, items, &itemset);
	}
	PopItems(a->m, next->k);
	a->m->nodes++;
	ProbableWork(a->m, a->root.nwords * 8);
}

/* Make and try the candidate of two members that differ in their last item only. */
static void
Join(Papriori *a, Level *level, Level *next, uint32_t i, uint32_t j, uint32_t *items)
{
	const uint64_t *x = level->members[i].bits;
	const uint64_t *y = level->members[j].bits;

	memcpy(items, ItemsOf(level, i), sizeof(uint32_t) * level->k);
	items[level->k] = ItemsOf(level, j)[level->k - 1];
	if (!SubsetsAreSelected(a, level, items))
		return;
	for (uint32_t w = 0; w < a->root.nwords; w++)
		a->bits[w] = x[w] & y[w];
	TryCandidate(a, level, next, items);
}

static void
NextLevel(Papriori *a, Level *level, Level *next)
{
	uint32_t   *items = ArenaAlloc(next->arena, sizeof(uint32_t) * ((size_t) next->k + 1));

	a->subset = ArenaAlloc(next->arena, sizeof(uint32_t) * ((size_t) next->k + 1));
	for (uint32_t i = 0; i < level->n; i++)
		for (uint32_t j = i + 1; j < level->n; j++)
		{
			if (memcmp(ItemsOf(level, i), ItemsOf(level, j), sizeof(uint32_t) * (level->k - 1)) != 0)
				break;
			Join(a, level, next, i, j, items);
			ProbableWork(a->m, 64);
		}
}

/* The first level: each item beside the required ones. */
static void
FirstLevel(Papriori *a, Level *level, Level *first)
{
	const FimProbableData *data = a->m->data;

	for (uint32_t item = a->m->spec->nrequired; item < data->nitems; item++)
	{
		memset(a->bits, 0, sizeof(uint64_t) * a->root.nwords);
		for (uint64_t e = COLUMN_STARTS(data)[item]; e < COLUMN_STARTS(data)[item + 1]; e++)
			a->bits[COLUMN_ROWS(data)[e] / 64] |= UINT64_C(1) << (COLUMN_ROWS(data)[e] % 64);
		TryCandidate(a, level, first, &item);
	}
}

/* Level 0: the required items alone, a member if there are any and they are selected. */
static void
LevelOfRequired(Papriori *a, Level *level)
{
	Extension	itemset;

	memset(&itemset, 0, sizeof(itemset));
	memset(a->bits, 0xff, sizeof(uint64_t) * a->root.nwords);
	if (a->root.nrows % 64 != 0)
		a->bits[a->root.nwords - 1] = (UINT64_C(1) << (a->root.nrows % 64)) - 1;
	if (a->m->spec->nrequired > 0 && Judge(a, &itemset))
		AddMember(a, level, a->m->items, &itemset);
}

/* Note what the first level tells of the required items alone. */
static void
MarkRequired(Papriori *a, Level *level, const Level *first)
{
	Member	   *required = level->members;

	if (level->n == 0)
		return;
	required->extended = first->n > 0;
	for (uint32_t i = 0; i < first->n; i++)
		if (IsCertainIn(a->m, required->bits, required->judged.n, *ItemsOf(first, i)))
			required->covered = true;
}

/* Compute a value that is wanted, or decode what EmitItemset() needs to compute it. */
static void
CompleteValue(Papriori *a, Member *member)
{
	ProbableMiner *m = a->m;
	double		error;

	if (!m->spec->exact || member->judged.settled || m->spec->head.count_only)
		return;
	memcpy(a->bits, member->bits, sizeof(uint64_t) * a->root.nwords);
	Decode(a);
	if (!m->by_expectation)
		return;					/* it was computed to decide, and is too small, see SMALL_TAIL */
	ComputeTail(a, &member->judged, &error);
	member->judged.probability = fmax(member->judged.probability - error, 0);
}

/*
 * Does an itemset have one of the items of which it needs one?  These are the last ones of all.  The levels have the other
 * itemsets, too, because they are parts of longer ones, from which this algorithm makes candidates.
 */
static bool
HasAny(const ProbableMiner *m, const Level *level, uint32_t i)
{
	return m->spec->nany == 0 || (level->k > 0 && IsAnyItem(m, ItemsOf(level, i)[level->k - 1]));
}

static void
EmitLevel(Papriori *a, Level *level)
{
	ProbableMiner *m = a->m;

	for (uint32_t i = 0; i < level->n; i++)
	{
		Member	   *member = &level->members[i];

		if (!HasAny(m, level, i) ||
			(m->spec->kind == FIM_CLOSED && member->covered) ||
			(m->spec->kind == FIM_MAXIMAL && member->extended))
			continue;
		PushItems(m, ItemsOf(level, i), level->k);
		if (ProbableWants(m) && ProbableHasItemset(m))
		{
			CompleteValue(a, member);
			EmitItemset(m, NULL, &member->judged);
		}
		PopItems(m, level->k);
	}
}

/*
 * Does the level have as many itemsets as one of "length" items has subsets of the level's length?
 * If not, there is no itemset of that many items.  The margin makes up for rounding.
 */
static bool
Reaches(const Level *level, uint32_t length)
{
	double		subsets = 1;

	for (uint32_t k = 0; k < level->k && k < length && subsets <= 2.0 * level->n; k++)
		subsets = subsets * (length - k) / (k + 1);
	return subsets * (1 - 1e-9) <= level->n;
}

/* Is this the last level?  To tell which of its itemsets are closed or maximal takes the next one. */
static bool
IsLastLevel(const ProbableMiner *m, const Level *level)
{
	uint32_t	length = level->k + m->spec->nrequired;

	if (m->spec->min_length > length && !Reaches(level, m->spec->min_length - m->spec->nrequired))
		return true;
	return level->n == 0 || length > m->spec->max_length ||
		(m->spec->kind == FIM_ALL && length == m->spec->max_length);
}

static void
BeginLevel(ProbableMiner *m, Level *level, uint32_t k)
{
	level->arena = &m->level_arenas[k % 2];
	ArenaRelease(level->arena, (ArenaMark) {NULL, NULL});
	level->k = k;
	level->n = level->room = 0;
	GrowLevel(level);
}

static void
MineLevels(Papriori *a)
{
	Level		levels[2];
	Level	   *level = &levels[0];

	BeginLevel(a->m, level, 0);
	LevelOfRequired(a, level);
	for (uint32_t k = 1; k == 1 || !IsLastLevel(a->m, level); k++)
	{
		Level	   *next = &levels[k % 2];

		BeginLevel(a->m, next, k);
		if (k == 1)
		{
			FirstLevel(a, level, next);
			MarkRequired(a, level, next);
		}
		else
			NextLevel(a, level, next);
		EmitLevel(a, level);
		level = next;
	}
	EmitLevel(a, level);
}

void
MinePapriori(ProbableMiner *m, PaprioriTail tail, void *state)
{
	Papriori	a = {.m = m,.tail = tail,.state = state};
	uint64_t	unit;

	if (!FimTakeUnit(m->shared, m->sink, &unit))
		return;
	MakeRootView(m, &a.root);
	a.bits = ArenaAlloc(&m->arena, sizeof(uint64_t) * ((size_t) a.root.nwords + 1));
	a.product = ArenaAlloc(&m->arena, sizeof(double) * ((size_t) m->data->nrows + 1));
	MineLevels(&a);
	FimUnitDone(m->shared);
}
