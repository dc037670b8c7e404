/*-------------------------------------------------------------------------
 *
 * bounds_miner.c
 *	  Mining depth first: each itemset is extended by items that come after it.
 *
 *-------------------------------------------------------------------------
 */
#include "bounds_miner.h"
#include "columns.h"

#include <math.h>
#include <string.h>

#define POLL_STEPS	(1 << 18)

/* An itemset and the rows that hold it, with its probability in each. */
typedef struct Node
{
	uint32_t   *items;
	uint32_t	nitems;
	uint32_t	n;
	uint32_t   *row;
	double	   *q;
} Node;

/* P(support >= k) by the classical dynamic programme, in which f[k] is "k or more". */
static double
TailByProgramme(ProbableMiner *m, const Node *node, uint32_t k)
{
	ArenaMark	mark = ArenaGetMark(&m->arena);
	long double *f = ArenaAlloc(&m->arena, sizeof(long double) * ((size_t) k + 1));
	long double tail;
	uint64_t	steps = 0;

	memset(f, 0, sizeof(long double) * ((size_t) k + 1));
	f[0] = 1;
	for (uint32_t t = 0; t < node->n; t++)
	{
		long double q = node->q[t];
		uint32_t	top = t + 1 < k ? t + 1 : k;

		f[top] = (top == k ? f[k] : 0) + f[top - 1] * q;
		for (uint32_t s = top - 1; s > 0; s--)
			f[s] = f[s] * (1 - q) + f[s - 1] * q;
		f[0] *= 1 - q;
		if ((steps += top) >= POLL_STEPS)
		{
			ProbablePoll(m);
			steps = 0;
		}
	}
	tail = f[k];
	ArenaRelease(&m->arena, mark);
	return (double) tail;
}

/* Is the itemset selected?  Fills in what is known of it. */
static bool
Selected(ProbableMiner *m, const Node *node, ProbableResult *result)
{
	const FimProbableJob *job = m->job;
	long double expected = 0;

	for (uint32_t t = 0; t < node->n; t++)
		expected += node->q[t];
	result->expected = (double) expected;
	result->occurrences = node->n;
	if (isnan(job->minprob) ? result->expected < job->min_expected : node->n < job->minsup)
	{
		m->summary->settled[isnan(job->minprob) ? FIM_RULE_EXPECTATION : FIM_RULE_COUNT]++;
		return false;
	}
	result->probability = node->n < job->minsup ? 0 : TailByProgramme(m, node, job->minsup);
	m->summary->settled[isnan(job->minprob) ? FIM_RULE_EXPECTATION : FIM_RULE_CONVOLUTION]++;
	m->summary->values++;
	return isnan(job->minprob) || result->probability >= job->minprob;
}

/* The rows that hold one more item; lives in the arena. */
static void
Extend(ProbableMiner *m, const Node *from, uint32_t item, Node *to)
{
	const FimProbableData *data = m->data;
	const uint64_t *column = COLUMN_STARTS(data);
	const uint32_t *row = COLUMN_ROWS(data);
	const double *factor = COLUMN_FACTORS(data);
	uint32_t	at = 0;

	to->n = 0;
	to->items = ArenaAlloc(&m->arena, sizeof(uint32_t) * (from->nitems + 1));
	memcpy(to->items, from->items, sizeof(uint32_t) * from->nitems);
	to->items[from->nitems] = item;
	to->nitems = from->nitems + 1;
	to->row = ArenaAlloc(&m->arena, sizeof(uint32_t) * (from->n + 1));
	to->q = ArenaAlloc(&m->arena, sizeof(double) * (from->n + 1));
	for (uint64_t e = column[item]; e < column[item + 1]; e++)
	{
		while (at < from->n && from->row[at] < row[e])
			at++;
		if (at == from->n)
			break;
		if (from->row[at] != row[e])
			continue;
		to->row[to->n] = row[e];
		to->q[to->n++] = from->q[at] * (data->by_entry ? factor[e] : 1);
	}
}

static bool
Holds(const Node *node, uint32_t item)
{
	for (uint32_t i = 0; i < node->nitems; i++)
		if (node->items[i] == item)
			return true;
	return false;
}

/* Does a superset by one item, of those from "first" on, contradict the kind? */
static bool
HasSuperset(ProbableMiner *m, const Node *node)
{
	bool		found = false;

	for (uint32_t item = 0; item < m->data->nitems && !found; item++)
	{
		ArenaMark	mark = ArenaGetMark(&m->arena);
		ProbableResult unused;
		Node		larger;

		if (Holds(node, item))
			continue;
		Extend(m, node, item, &larger);
		if (m->job->kind == FIM_MAXIMAL)
			found = Selected(m, &larger, &unused);
		else
			found = larger.n == node->n &&
				memcmp(larger.q, node->q, sizeof(double) * node->n) == 0;
		ArenaRelease(&m->arena, mark);
		ProbablePoll(m);
	}
	return found;
}

/* An itemset whose rows are known, and those that begin with it. */
static void
MineNode(ProbableMiner *m, const Node *node, bool extend)
{
	ProbableResult result;
	char		here;

	if (m->host->stack_end != NULL && &here < m->host->stack_end)
		ProbablePoll(m);
	if (!Selected(m, node, &result))
		return;
	if (m->job->kind == FIM_ALL || !HasSuperset(m, node))
		ProbableEmit(m, node->items, node->nitems, &result);
	if (!extend || (m->job->kind != FIM_MAXIMAL && node->nitems >= m->job->max_length))
		return;
	for (uint32_t item = node->items[node->nitems - 1] + 1; item < m->data->nitems; item++)
	{
		ArenaMark	mark = ArenaGetMark(&m->arena);
		Node		child;

		Extend(m, node, item, &child);
		MineNode(m, &child, true);
		ArenaRelease(&m->arena, mark);
		ProbablePoll(m);
	}
}

/* The required items, which all rows hold. */
static void
MakeRoot(ProbableMiner *m, Node *root)
{
	const FimProbableData *data = m->data;
	const uint64_t *start = FIM_PROBABLE_STARTS(data);
	const double *p = FIM_PROBABLE_PROBABILITIES(data);

	root->nitems = m->job->nrequired;
	root->items = ArenaAlloc(&m->arena, sizeof(uint32_t) * (root->nitems + 1));
	for (uint32_t i = 0; i < root->nitems; i++)
		root->items[i] = i;
	root->n = data->nrows;
	root->row = ArenaAlloc(&m->arena, sizeof(uint32_t) * ((size_t) root->n + 1));
	root->q = ArenaAlloc(&m->arena, sizeof(double) * ((size_t) root->n + 1));
	for (uint32_t r = 0; r < root->n; r++)
	{
		root->row[r] = r;
		root->q[r] = data->by_entry ? 1 : p[r];
		for (uint32_t i = 0; data->by_entry && i < root->nitems; i++)
			root->q[r] *= p[start[r] + i];
	}
}

/* Class 0 is the required items alone, class c the itemsets that go on with one item. */
static void
MineClass(ProbableMiner *m, const Node *root, uint32_t taken)
{
	ArenaMark	mark = ArenaGetMark(&m->arena);
	Node		node;

	if (taken == 0)
	{
		if (root->nitems > 0)
			MineNode(m, root, false);
		return;
	}
	Extend(m, root, root->nitems + taken - 1, &node);
	MineNode(m, &node, true);
	ArenaRelease(&m->arena, mark);
}

FimResult
MineByBounds(ProbableMiner *m)
{
	FimResult	result = (FimResult) setjmp(m->leave);

	if (result == FIM_DONE)
	{
		Node		root;
		uint32_t	taken;

		ProbableBegin(m);
		MakeRoot(m, &root);
		while (FimTakeUnit(m->shared, &taken))
		{
			MineClass(m, &root, taken);
			FimUnitDone(m->shared);
			ProbablePoll(m);
		}
		ProbableFlush(m);
		/* a canceled task is not done, although no class may be left */
		ProbablePoll(m);
	}
	return result;
}
