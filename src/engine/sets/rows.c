/*-------------------------------------------------------------------------
 *
 * rows.c
 *	  Strategy "rows": a left value at a time.
 *
 * The right values of all keys of a left value are thrown into an accumulator, which
 * keeps one of each, or counts them (Gustavson, Two Fast Algorithms for Sparse Matrices,
 * ACM TOMS 1978).
 *
 *-------------------------------------------------------------------------
 */
#include "rows.h"

#include "measure.h"

#include <string.h>

typedef struct Rows
{
	Joiner	   *j;
	uint32_t   *count;			/* [right values], all 0 between rows */
	uint32_t   *found;			/* [right values] those met in this row */
	uint32_t   *overlap;		/* [right values] */
	double	   *similarity;
	uint64_t   *at;				/* [keys], of one relation: the first that is not below the row */
} Rows;

/* The right values of a key that form pairs with the left one of this rank. */
static uint64_t
FirstOfKey(Rows *rows, uint32_t left, uint32_t key)
{
	const Product *p = &rows->j->product;

	if (!p->one)
		return p->key_start[key];
	while (rows->at[key] < p->key_start[key + 1] && p->rank[rows->at[key]] < left)
		rows->at[key]++;
	return rows->at[key];
}

/* Count witnesses; returns how many right values have some. */
static uint32_t
CountRow(Rows *rows, uint32_t left)
{
	const Product *p = &rows->j->product;
	uint32_t	n = 0;

	for (uint64_t k = p->left.start[left]; k < p->left.start[left + 1]; k++)
	{
		uint32_t	key = p->left.key[k];
		uint64_t	from = FirstOfKey(rows, left, key);
		uint64_t	end = p->key_start[key + 1];

		for (uint64_t r = from; r < end; r++)
			if (rows->count[p->rank[r]]++ == 0)
				rows->found[n++] = p->rank[r];
		rows->j->nodes += end - from;
		JoinerWorked(rows->j, 2 * (end - from));
	}
	return n;
}

static void
EmitRow(Rows *rows, uint32_t left, uint32_t n)
{
	Joiner	   *j = rows->j;
	uint32_t	to = 0;
	bool		self = false;

	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t	right = rows->found[i];
		uint32_t	count = rows->count[right];

		rows->count[right] = 0;
		if (count < j->job->min_witnesses || (right == left && j->job->result == FIM_SETS_PAIRS))
			continue;
		self |= right == left;
		rows->found[to] = right;
		rows->overlap[to++] = count;
	}
	if (j->job->head.count_only)
		JoinerCount(j, JoinerResults(j, to, self));
	else
		JoinerWrite(j, left, rows->found, rows->overlap, NULL, to);
}

/* The value of the left rank is the first of its pairs, or the second ones where reversed. */
static void
EmitSimilar(Rows *rows, uint32_t left, uint32_t n)
{
	Joiner	   *j = rows->j;
	const FimSetsJob *job = j->job;
	uint32_t	size = SideLength(&j->product.left, left);
	uint32_t	to = 0;

	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t	right = rows->found[i];
		uint32_t	count = rows->count[right];
		uint32_t	other = SideLength(&j->product.right, right);
		double		similarity = SimilarityOf(job->measure, count, size, other);

		rows->count[right] = 0;
		if (right == left)
			continue;
		if (job->measure == FIM_CONTAINMENT)
		{
			double		reverse = SimilarityOf(job->measure, count, other, size);

			if (reverse >= job->threshold && job->head.count_only)
				JoinerCount(j, 1);
			else if (reverse >= job->threshold)
				JoinerWrite(j, right, &left, &count, &reverse, 1);
		}
		if (similarity < job->threshold)
			continue;
		rows->found[to] = right;
		rows->overlap[to] = count;
		rows->similarity[to++] = similarity;
	}
	if (job->head.count_only)
		JoinerCount(j, to);
	else
		JoinerWrite(j, left, rows->found, rows->overlap, rows->similarity, to);
}

static void
RowsInit(Rows *rows, Joiner *j)
{
	const Product *p = &j->product;
	size_t		n = p->right.nvalues;

	rows->j = j;
	rows->count = ArenaAlloc(&j->arena, sizeof(uint32_t) * n);
	rows->found = ArenaAlloc(&j->arena, sizeof(uint32_t) * n);
	rows->overlap = ArenaAlloc(&j->arena, sizeof(uint32_t) * n);
	rows->similarity = NULL;
	if (j->job->result == FIM_SETS_SIMILAR)
		rows->similarity = ArenaAlloc(&j->arena, sizeof(double) * n);
	rows->at = NULL;
	if (p->one)
	{
		rows->at = ArenaAlloc(&j->arena, sizeof(uint64_t) * p->nkeys);
		memcpy(rows->at, p->key_start, sizeof(uint64_t) * p->nkeys);
	}
	memset(rows->count, 0, sizeof(uint32_t) * n);
}

FimResult
MineByRows(Joiner *j)
{
	FimResult	result = (FimResult) setjmp(j->leave);

	if (result == FIM_DONE)
	{
		const Product *p = &j->product;
		Rows		rows;
		uint32_t	taken;

		JoinerBegin(j);
		RowsInit(&rows, j);
		while (FimTakeUnit(j->shared, &taken))
		{
			for (uint32_t left = p->block[taken]; left < p->block[taken + 1]; left++)
			{
				uint32_t	n = CountRow(&rows, left);

				if (j->job->result == FIM_SETS_SIMILAR)
					EmitSimilar(&rows, left, n);
				else
					EmitRow(&rows, left, n);
			}
			FimUnitDone(j->shared);
			JoinerPoll(j);
		}
		JoinerFlush(j);
		JoinerPoll(j);
	}
	return result;
}
