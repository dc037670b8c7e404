/*-------------------------------------------------------------------------
 *
 * levels.c
 *	  The level-wise frame that the ancestors' strategies share (Apriori).
 *
 * Candidates of k+1 items are two members of a class of level k put together
 * (Agrawal and Srikant, VLDB 1994, section 2.1.1), if all their subsets are
 * frequent: see levels_candidates.c.  Those that prove frequent are the next level:
 * see levels_frequent.c.
 *
 * An itemset is closed unless a frequent superset with one more item has the same support, and
 * maximal unless there is any such superset.  Both are known of a level's itemsets when the
 * next level is complete, so the level is given out then.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "itemsets/levels.h"
#include "itemsets/levels_candidates.h"
#include "itemsets/levels_frequent.h"

/* How many members are looked at between two polls. */
#define COUNTED_AT_ONCE	((uint64_t) 1 << 20)

/* ---- giving out ---- */

static inline bool
IsWanted(const ItemsetJob *job, const ItemsetLevel *level, uint64_t member)
{
	switch (job->asked->kind)
	{
		case FIM_CLOSED:
			return (level->flags[member] & HAS_EQUAL) == 0;
		case FIM_MAXIMAL:
			return level->flags[member] == 0;
		default:
			return true;
	}
}

/* How many of the members have none of the flags. */
static uint64_t
CountWithout(ItemsetJob *job, const ItemsetLevel *level, uint8_t flags)
{
	uint64_t	n = 0;

	for (uint64_t from = 0; from < level->n; from += COUNTED_AT_ONCE)
	{
		uint64_t	to = GpuLesser(from + COUNTED_AT_ONCE, level->n);

		for (uint64_t m = from; m < to; m++)
			n += (level->flags[m] & flags) == 0;
		JobWork(job, to - from);
	}
	return n;
}

static uint64_t
CountWanted(ItemsetJob *job, const ItemsetLevel *level)
{
	switch (job->asked->kind)
	{
		case FIM_CLOSED:
			return CountWithout(job, level, HAS_EQUAL);
		case FIM_MAXIMAL:
			return CountWithout(job, level, HAS_SUPERSET);
		default:
			return level->n;
	}
}

static void
CountLevel(ItemsetJob *job, const ItemsetLevel *level)
{
	Miner	   *miner = &job->miner;
	Output	   *out = &miner->out;
	uint64_t	n = CountWanted(job, level);

	OutputCounts(miner)[out->depth + level->k] += n;
	/* the number of results that is shown; OutputAll() adds to it in the same way */
	out->results += n << GpuLesser(out->nperfect, 63);
	OutputFlush(miner);
}

/* The path ends with the prefix of the class before.  Replace that by the prefix of class c. */
static void
PushPrefix(ItemsetJob *job, const ItemsetLevel *level, uint64_t c)
{
	Output	   *out = &job->miner.out;
	uint32_t	length = level->k - 1;
	const uint32_t *prefix = ClassPrefix(level, c);
	uint32_t	common = 0;

	if (c > 0)
	{
		common = CommonItems(prefix - length, prefix, length);
		OutputPop(out, length - common);
	}
	for (uint32_t i = common; i < length; i++)
		OutputPush(out, job->name[prefix[i]]);
}

static void
ListItemset(ItemsetJob *job, uint32_t last, uint32_t support)
{
	Miner	   *miner = &job->miner;

	OutputPush(&miner->out, job->name[last]);
	if (job->asked->kind == FIM_ALL)
		OutputAll(miner, support);
	else
		OutputOne(miner, support);
	OutputPop(&miner->out, 1);
}

static void
ListLevel(ItemsetJob *job, const ItemsetLevel *level)
{
	for (uint64_t c = 0; c < level->nclasses; c++)
	{
		const LevelClass *of = &level->classes[c];

		PushPrefix(job, level, c);
		for (uint32_t m = of->first; m < of->first + of->n; m++)
			if (IsWanted(job, level, m))
				ListItemset(job, level->last[m], level->support[m]);
		JobWork(job, level->k + of->n);
	}
	OutputPop(&job->miner.out, level->k - 1);
}

static void
GiveLevel(ItemsetJob *job, const ItemsetLevel *level)
{
	const Output *out = &job->miner.out;

	/* the level's itemsets are too short, even with all items that every transaction holds */
	if (out->depth + out->nperfect + level->k < out->min_depth)
		return;
	if (job->asked->head.count_only)
		CountLevel(job, level);
	else
		ListLevel(job, level);
}

/* ---- level after level ---- */

/*
 * Count all candidates of the current level's members.  While the devices count a batch, the
 * host adds the batch before to the next level, and forms and sends the batch after it.
 */
static void
CountNext(ItemsetLevels *levels)
{
	const LevelCounter *counter = levels->counter;
	size_t		bytes;
	size_t		group_bytes;
	size_t		candidate_bytes;
	ItemsetBatch *batch = &levels->batches[0];
	ItemsetBatch *before = NULL;

	LevelsBeginForming(levels);
	counter->begin_level(levels->of, levels, &bytes, &group_bytes, &candidate_bytes);
	while (LevelsFormBatch(levels, batch, bytes, group_bytes, candidate_bytes))
	{
		ItemsetBatch *other = &levels->batches[1 - batch->number];

		counter->send(levels->of, levels, batch);
		if (before != NULL)
			counter->collect(levels->of, levels, before);
		counter->count(levels->of, levels, batch);
		if (before != NULL)
			LevelsTakeBatch(levels, before);
		before = batch;
		batch = other;
	}
	if (before != NULL)
	{
		counter->collect(levels->of, levels, before);
		LevelsTakeBatch(levels, before);
	}
}

/* Progress counts the classes of all levels. */
static void
BeginProgress(ItemsetLevels *levels)
{
	FimShared  *shared = levels->job->team.shared;

	__atomic_fetch_add(&shared->units, levels->current->nclasses, __ATOMIC_RELAXED);
}

static void
EndProgress(ItemsetLevels *levels)
{
	FimShared  *shared = levels->job->team.shared;

	__atomic_fetch_add(&shared->units_done, levels->current->nclasses, __ATOMIC_RELAXED);
}

static void
NextLevel(ItemsetLevels *levels)
{
	ItemsetLevel *level = levels->current;

	BeginProgress(levels);
	if (level->k > 1 || levels->counter->count_pairs == NULL ||
		!levels->counter->count_pairs(levels->of, levels))
		CountNext(levels);
	LevelFillParents(levels->next, level->n);
	EndProgress(levels);
}

/* The last level whose itemsets are wanted: with the path, they reach the greatest length. */
static uint32_t
LastLevel(const Output *out)
{
	return out->max_depth > out->depth ? out->max_depth - out->depth : 0;
}

/*
 * The deepest level that is counted.  For closed and maximal itemsets, that is the level after
 * the last one that is wanted, because only that level tells which itemsets of the last one
 * are.
 */
static uint32_t
DeepestLevel(const ItemsetJob *job, uint32_t last)
{
	return job->asked->kind == FIM_ALL || last == FIM_NO_LIMIT ? last : last + 1;
}

void
LevelsMine(ItemsetJob *job, const LevelCounter *counter, void *of)
{
	ItemsetLevels *levels = (ItemsetLevels *) JobAlloc(job, sizeof(ItemsetLevels));
	uint32_t	last;

	memset(levels, 0, sizeof(ItemsetLevels));
	levels->job = job;
	levels->counter = counter;
	levels->of = of;
	levels->batches[1].number = 1;
	levels->current = &levels->level[0];
	levels->next = &levels->level[1];
	job->team.shared->units = job->team.shared->units_done = 0;
	RootBegin(&job->miner, job->skip);
	RootEmit(&job->miner, job->nitems > job->skip);
	last = LastLevel(&job->miner.out);
	LevelsFillFirst(levels);
	while (levels->current->n > 0 && levels->current->k <= last)
	{
		ItemsetLevel *done = levels->current;

		LevelReset(job, levels->next, done->k + 1, done->n);
		if (job->asked->kind == FIM_ALL)
			GiveLevel(job, done);
		if (done->k < DeepestLevel(job, last) && done->n > 1)
			NextLevel(levels);
		if (job->asked->kind != FIM_ALL)
			GiveLevel(job, done);
		levels->current = levels->next;
		levels->next = done;
	}
	LevelFree(job, &levels->level[0]);
	LevelFree(job, &levels->level[1]);
}
