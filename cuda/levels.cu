/*-------------------------------------------------------------------------
 *
 * levels.cu
 *	  The level-wise frame that the ancestors' strategies share (Apriori).
 *
 * Candidates of k+1 items are two members of a class of level k put together
 * (Agrawal and Srikant, VLDB 1994, section 2.1.1), with the subsets looked up as
 * follows.  Let X be a member and Y a later member of its class.  The subset of X
 * and Y that lacks the prefix's item d has as its own prefix "X without d", which
 * is an itemset of level k-1 that X points to; so it is frequent if Y's last item
 * is among those of that itemset's children in level k.  The candidates of X are
 * thus what is left of the later members after intersecting them with k-1 sorted
 * lists; and where the candidate proves frequent, the places found in these
 * lists are its own pointers.
 *
 * An itemset is closed unless a frequent superset with one more item has the same
 * support, and maximal unless there is any.  Both are known of a level when the
 * next one is complete, so then it is given out.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "levels.h"

/* ---- growing a level ---- */

static void
ResetLevel(GpuJob *job, Level *level, uint32_t k, uint64_t nparents)
{
	level->k = k;
	level->n = level->nfirst = level->nclasses = 0;
	GpuHostFree(job, level->first);
	level->first = NULL;
	level->first = (uint32_t *) GpuHostAlloc(job, sizeof(uint32_t) * (nparents + 1));
}

static void
FreeLevel(GpuJob *job, Level *level)
{
	GpuHostFree(job, level->last);
	GpuHostFree(job, level->support);
	GpuHostFree(job, level->flags);
	GpuHostFree(job, level->subset);
	GpuHostFree(job, level->first);
	GpuHostFree(job, level->classes);
	GpuHostFree(job, level->prefix);
	memset(level, 0, sizeof(Level));
}

static void
GrowMembers(GpuJob *job, Level *level, uint64_t needed)
{
	uint64_t	room = level->room;

	if (needed >= GPU_NONE)
		GpuLeave(FIM_OUT_OF_MEMORY);
	if (needed <= room)
		return;
	level->last = (uint32_t *) GpuHostGrow(job, level->last, level->n, needed, &room, sizeof(uint32_t));
	room = level->room;
	level->support = (uint32_t *) GpuHostGrow(job, level->support, level->n, needed, &room,
											  sizeof(uint32_t));
	room = level->room;
	level->flags = (uint8_t *) GpuHostGrow(job, level->flags, level->n, needed, &room, 1);
	level->room = room;
}

static LevelClass *
AddClass(GpuJob *job, Level *level, uint32_t parent)
{
	uint64_t	n = level->nclasses;
	LevelClass *added;

	level->classes = (LevelClass *) GpuHostGrow(job, level->classes, n, n + 1, &level->class_room,
												sizeof(LevelClass));
	level->prefix = (uint32_t *) GpuHostGrow(job, level->prefix, n * (level->k - 1),
											 (n + 1) * (level->k - 1), &level->prefix_room,
											 sizeof(uint32_t));
	added = &level->classes[level->nclasses++];
	added->first = (uint32_t) level->n;
	added->n = 0;
	added->parent = parent;
	return added;
}

/* The parents up to this one, it included, begin here at the latest. */
static void
FillFirst(Level *level, uint64_t parent)
{
	while (level->nfirst <= parent)
		level->first[level->nfirst++] = (uint32_t) level->n;
}

static void
AddMember(Level *level, uint32_t last, uint32_t support)
{
	level->last[level->n] = last;
	level->support[level->n] = support;
	level->flags[level->n] = 0;
	level->n++;
}

static LevelClass *
LastClass(Level *level)
{
	return &level->classes[level->nclasses - 1];
}

/* The frequent items that not all transactions hold: one class without a prefix. */
static void
FirstLevel(Levels *levels)
{
	GpuJob	   *job = levels->job;
	Level	   *level = levels->current;

	ResetLevel(job, level, 1, 1);
	GrowMembers(job, level, job->nitems - job->skip);
	FillFirst(level, 0);
	AddClass(job, level, 0);
	for (uint32_t i = job->skip; i < job->nitems; i++)
		AddMember(level, i, job->support[i]);
	LastClass(level)->n = job->nitems - job->skip;
	FillFirst(level, 1);
}

void
GroupItems(const Level *level, const Group *group, uint32_t *items)
{
	uint32_t	prefix = level->k - 1;

	for (uint32_t i = 0; i < prefix; i++)
		items[i] = level->prefix[(uint64_t) group->class_of * prefix + i];
	items[prefix] = level->last[group->member];
}

/* The class of the next level that extends a member of this one. */
static LevelClass *
ChildClass(Levels *levels, const Group *group)
{
	Level	   *next = levels->next;

	if (next->nfirst > group->member && next->nclasses > 0 &&
		LastClass(next)->parent == group->member)
		return LastClass(next);
	FillFirst(next, group->member);
	AddClass(levels->job, next, group->member);
	GroupItems(levels->current, group, next->prefix + (next->nclasses - 1) * (next->k - 1));
	return LastClass(next);
}

static uint32_t *
GrowSubsets(GpuJob *job, Level *level, uint64_t members)
{
	uint64_t	width = level->k - 1;

	level->subset = (uint32_t *) GpuHostGrow(job, level->subset, level->n * width, members * width,
											 &level->subset_room, sizeof(uint32_t));
	return level->subset + level->n * width;
}

static void
Mark(Level *level, uint32_t member, uint32_t support)
{
	level->flags[member] |= HAS_SUPERSET;
	if (level->support[member] == support)
		level->flags[member] |= HAS_EQUAL;
}

void
LevelsAddPair(Levels *levels, uint32_t item, uint32_t other, uint32_t support)
{
	/* the items as members of the first level */
	uint32_t	a = item - levels->job->skip;
	uint32_t	b = other - levels->job->skip;
	Group		group = {a, 0, 0, 0};
	LevelClass *added = ChildClass(levels, &group);

	GrowMembers(levels->job, levels->next, levels->next->n + 1);
	*GrowSubsets(levels->job, levels->next, levels->next->n + 1) = b;
	AddMember(levels->next, other, support);
	added->n++;
	Mark(levels->current, a, support);
	Mark(levels->current, b, support);
}

/* ---- forming candidates ---- */

/* Of n ascending members keep those whose last items the other list has, too. */
static uint32_t
Intersect(const Level *level, uint32_t *members, uint32_t n, uint32_t at, uint32_t end)
{
	uint32_t	kept = 0;

	for (uint32_t i = 0; i < n && at < end;)
	{
		uint32_t	a = level->last[members[i]];
		uint32_t	b = level->last[at];

		if (a == b)
			members[kept++] = members[i];
		i += a <= b;
		at += b <= a;
	}
	return kept;
}

/* The candidates of a member, as later members of its class, into the tail. */
static void
FormTail(Levels *levels, const LevelClass *of, uint32_t member)
{
	const Level *level = levels->current;
	uint32_t	n = of->first + of->n - member - 1;

	levels->tail = (uint32_t *) GpuHostGrow(levels->job, levels->tail, 0, n, &levels->tail_room,
											sizeof(uint32_t));
	for (uint32_t i = 0; i < n; i++)
		levels->tail[i] = member + 1 + i;
	for (uint32_t d = 0; d + 1 < level->k && n > 0; d++)
	{
		uint32_t	subset = level->subset[(uint64_t) member * (level->k - 1) + d];

		GpuWork(levels->job, n + (level->first[subset + 1] - level->first[subset]));
		n = Intersect(level, levels->tail, n, level->first[subset], level->first[subset + 1]);
	}
	GpuWork(levels->job, n);
	levels->ntail = n;
	levels->next_tail = 0;
}

/* Go on to the next member that has candidates; false: there is none. */
static bool
NextTail(Levels *levels)
{
	const Level *level = levels->current;

	while (levels->next_class < level->nclasses)
	{
		const LevelClass *of = &level->classes[levels->next_class];

		/* the last member has none */
		while (levels->next_member + 1 < of->n)
		{
			FormTail(levels, of, of->first + levels->next_member++);
			if (levels->ntail > 0)
				return true;
		}
		levels->next_class++;
		levels->next_member = 0;
	}
	return false;
}

static void
GrowBatch(GpuJob *job, Batch *batch, uint32_t n)
{
	uint64_t	room = batch->room;

	batch->groups = (Group *) GpuHostGrow(job, batch->groups, batch->ngroups, batch->ngroups + 1,
										  &batch->group_room, sizeof(Group));
	batch->other = (uint32_t *) GpuHostGrow(job, batch->other, batch->n, batch->n + (uint64_t) n,
											&room, sizeof(uint32_t));
	if (room == batch->room)
		return;
	batch->room = room;
	GpuHostFree(job, batch->counts);
	batch->counts = NULL;
	batch->counts = (uint32_t *) GpuHostAlloc(job, sizeof(uint32_t) * room);
}

/* Fill a batch; false: there are no more candidates. */
static bool
FormBatch(Levels *levels, Batch *batch, size_t bytes, size_t group_bytes, size_t candidate_bytes)
{
	GpuJob	   *job = levels->job;

	batch->ngroups = batch->n = 0;
	while (levels->next_tail < levels->ntail || NextTail(levels))
	{
		uint64_t	room = bytes < group_bytes ? 0 : (bytes - group_bytes) / candidate_bytes;
		uint32_t	n = levels->ntail - levels->next_tail;
		Group	   *group;

		n = (uint32_t) GpuLesser(GpuLesser(n, GROUP_CANDIDATES), room);
		if (n == 0)
			break;
		GrowBatch(job, batch, n);
		group = &batch->groups[batch->ngroups++];
		group->class_of = (uint32_t) levels->next_class;
		group->member = levels->current->classes[levels->next_class].first + levels->next_member - 1;
		group->first = batch->n;
		group->n = n;
		memcpy(batch->other + batch->n, levels->tail + levels->next_tail, sizeof(uint32_t) * n);
		batch->n += n;
		levels->next_tail += n;
		bytes -= group_bytes + candidate_bytes * n;
	}
	job->candidates += batch->n;
	return batch->n > 0;
}

/* ---- taking what is frequent ---- */

/* The new members' subsets that lack the prefix's item d, which are all there. */
static void
FindSubsets(Levels *levels, const Group *group, uint32_t d, uint64_t from)
{
	Level	   *level = levels->current;
	Level	   *next = levels->next;
	uint32_t	subset = level->subset[(uint64_t) group->member * (level->k - 1) + d];
	uint32_t	at = level->first[subset];

	for (uint64_t m = from; m < next->n; m++)
	{
		while (level->last[at] < next->last[m])
			at++;
		next->subset[m * level->k + d] = at;
		Mark(level, at, next->support[m]);
	}
}

static void
TakeGroup(Levels *levels, const Batch *batch, const Group *group)
{
	GpuJob	   *job = levels->job;
	Level	   *level = levels->current;
	Level	   *next = levels->next;
	uint32_t	minsup = job->job->minsup;
	uint64_t	from = next->n;
	LevelClass *added;
	uint32_t	n = 0;

	for (uint32_t i = 0; i < group->n; i++)
		n += batch->counts[group->first + i] >= minsup;
	if (n == 0)
		return;
	added = ChildClass(levels, group);
	GrowMembers(job, next, next->n + n);
	GrowSubsets(job, next, next->n + n);
	for (uint32_t i = 0; i < group->n; i++)
	{
		uint32_t	support = batch->counts[group->first + i];
		uint32_t	other = batch->other[group->first + i];

		if (support < minsup)
			continue;
		next->subset[next->n * level->k + level->k - 1] = other;
		Mark(level, group->member, support);
		Mark(level, other, support);
		AddMember(next, level->last[other], support);
	}
	for (uint32_t d = 0; d + 1 < level->k; d++)
		FindSubsets(levels, group, d, from);
	added->n += n;
}

static void
TakeBatch(Levels *levels, const Batch *batch)
{
	for (uint32_t g = 0; g < batch->ngroups; g++)
	{
		TakeGroup(levels, batch, &batch->groups[g]);
		GpuWork(levels->job, batch->groups[g].n * (uint64_t) levels->current->k);
	}
	__atomic_fetch_add(&levels->job->shared->nodes, batch->ngroups, __ATOMIC_RELAXED);
}

/* ---- giving out ---- */

static inline bool
IsWanted(const GpuJob *job, const Level *level, uint64_t member)
{
	switch (job->job->kind)
	{
		case FIM_CLOSED:
			return (level->flags[member] & HAS_EQUAL) == 0;
		case FIM_MAXIMAL:
			return level->flags[member] == 0;
		default:
			return true;
	}
}

static void
CountLevel(GpuJob *job, const Level *level)
{
	Miner	   *miner = &job->miner;
	Output	   *out = &miner->out;
	uint64_t	n = 0;

	for (uint64_t m = 0; m < level->n; m++)
	{
		n += IsWanted(job, level, m);
		GpuWork(job, 1);
	}
	OutputCounts(miner)[out->depth + level->k] += n;
	/* the figure to show, which OutputAll() adds to in this way */
	out->results += n << GpuLesser(out->nperfect, 63);
	OutputFlush(miner);
}

/* The path, which ends with the prefix of the class before, gets that of class c. */
static void
PushPrefix(GpuJob *job, const Level *level, uint64_t c)
{
	Output	   *out = &job->miner.out;
	uint32_t	length = level->k - 1;
	const uint32_t *prefix = level->prefix + c * length;
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
ListItemset(GpuJob *job, uint32_t last, uint32_t support)
{
	Miner	   *miner = &job->miner;

	OutputPush(&miner->out, job->name[last]);
	if (job->job->kind == FIM_ALL)
		OutputAll(miner, support);
	else
		OutputOne(miner, support);
	OutputPop(&miner->out, 1);
}

static void
ListLevel(GpuJob *job, const Level *level)
{
	for (uint64_t c = 0; c < level->nclasses; c++)
	{
		const LevelClass *of = &level->classes[c];

		PushPrefix(job, level, c);
		for (uint32_t m = of->first; m < of->first + of->n; m++)
			if (IsWanted(job, level, m))
				ListItemset(job, level->last[m], level->support[m]);
		GpuWork(job, level->k + of->n);
	}
	OutputPop(&job->miner.out, level->k - 1);
}

static void
GiveLevel(GpuJob *job, const Level *level)
{
	const Output *out = &job->miner.out;

	/* too short, even with all the items that every transaction holds */
	if (out->depth + out->nperfect + level->k < out->min_depth)
		return;
	if (job->job->count_only)
		CountLevel(job, level);
	else
		ListLevel(job, level);
}

/* ---- level after level ---- */

/* Count all candidates of the current level's members. */
static void
CountNext(Levels *levels)
{
	const LevelCounter *counter = levels->counter;
	size_t		bytes;
	size_t		group_bytes;
	size_t		candidate_bytes;
	Batch	   *batch = &levels->batches[0];
	Batch	   *before = NULL;

	levels->next_class = levels->next_member = 0;
	levels->ntail = levels->next_tail = 0;
	counter->begin_level(levels->of, levels, &bytes, &group_bytes, &candidate_bytes);
	while (FormBatch(levels, batch, bytes, group_bytes, candidate_bytes))
	{
		Batch	   *other = &levels->batches[1 - batch->number];

		if (before != NULL)
			counter->collect(levels->of, levels, before);
		counter->submit(levels->of, levels, batch);
		if (before != NULL)
			TakeBatch(levels, before);
		before = batch;
		batch = other;
	}
	if (before != NULL)
	{
		counter->collect(levels->of, levels, before);
		TakeBatch(levels, before);
	}
}

/* A level's classes are what progress is told in. */
static void
BeginProgress(Levels *levels)
{
	FimShared  *shared = levels->job->shared;

	__atomic_fetch_add(&shared->classes, (uint32_t) levels->current->nclasses, __ATOMIC_RELAXED);
}

static void
EndProgress(Levels *levels)
{
	FimShared  *shared = levels->job->shared;

	__atomic_fetch_add(&shared->classes_done, (uint32_t) levels->current->nclasses, __ATOMIC_RELAXED);
}

static void
NextLevel(Levels *levels)
{
	Level	   *level = levels->current;

	BeginProgress(levels);
	if (level->k > 1 || levels->counter->count_pairs == NULL ||
		!levels->counter->count_pairs(levels->of, levels))
		CountNext(levels);
	FillFirst(levels->next, level->n);
	EndProgress(levels);
}

/* The last level that is wanted: its itemsets go on top of the path. */
static uint32_t
LastLevel(const Output *out)
{
	return out->max_depth > out->depth ? out->max_depth - out->depth : 0;
}

/* Whether a level's itemsets are closed or maximal is known from the next one. */
static uint32_t
DeepestLevel(const GpuJob *job, uint32_t last)
{
	return job->job->kind == FIM_ALL || last == FIM_NO_LIMIT ? last : last + 1;
}

void
LevelsMine(GpuJob *job, const LevelCounter *counter, void *of)
{
	Levels	   *levels = (Levels *) GpuHostAlloc(job, sizeof(Levels));
	uint32_t	last;

	memset(levels, 0, sizeof(Levels));
	levels->job = job;
	levels->counter = counter;
	levels->of = of;
	levels->batches[1].number = 1;
	levels->current = &levels->level[0];
	levels->next = &levels->level[1];
	job->shared->classes = job->shared->classes_done = 0;
	MinerBeginRoot(&job->miner, job->skip);
	MinerEmitRoot(&job->miner, job->nitems > job->skip);
	last = LastLevel(&job->miner.out);
	FirstLevel(levels);
	while (levels->current->n > 0 && levels->current->k <= last)
	{
		Level	   *done = levels->current;

		ResetLevel(job, levels->next, done->k + 1, done->n);
		if (job->job->kind == FIM_ALL)
			GiveLevel(job, done);
		if (done->k < DeepestLevel(job, last) && done->n > 1)
			NextLevel(levels);
		if (job->job->kind != FIM_ALL)
			GiveLevel(job, done);
		levels->current = levels->next;
		levels->next = done;
	}
	FreeLevel(job, &levels->level[0]);
	FreeLevel(job, &levels->level[1]);
}
