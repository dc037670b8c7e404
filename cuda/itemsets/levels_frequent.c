/*-------------------------------------------------------------------------
 *
 * levels_frequent.c
 *	  Growing a level by the candidates that prove frequent.
 *
 * A batch's groups are divided into parts, which threads take.  In a first pass, threads count
 * the members and classes that each part makes.  From these numbers follows where in the level
 * each part goes, and in a second pass threads put it there.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "itemsets/levels.h"
#include "team.h"

/* The fewest groups of a part, if the batch has as many. */
#define LEAST_GROUPS	256

/* ---- memory ---- */

void
LevelReset(ItemsetsJob *job, ItemsetLevel *level, uint32_t k, uint64_t nparents)
{
	level->k = k;
	level->n = level->nfirst = level->nclasses = 0;
	level->has_flags = job->spec->kind != FIM_ALL;
	level->first = (uint32_t *) JobGrow(job, level->first, 0, nparents + 1, &level->first_room,
											sizeof(uint32_t));
}

void
LevelFree(ItemsetsJob *job, ItemsetLevel *level)
{
	JobFree(job, level->last);
	JobFree(job, level->support);
	JobFree(job, level->flags);
	JobFree(job, level->subset);
	JobFree(job, level->first);
	JobFree(job, level->classes);
	JobFree(job, level->prefix);
	memset(level, 0, sizeof(ItemsetLevel));
}

static void
GrowMembers(ItemsetsJob *job, ItemsetLevel *level, uint64_t needed)
{
	uint64_t	room = level->room;
	uint64_t	width = level->k - 1;

	if (needed >= GPU_NONE)
		JobLeave(FIM_OUT_OF_MEMORY);
	level->subset = (uint32_t *) JobGrow(job, level->subset, level->n * width, needed * width,
											 &level->subset_room, sizeof(uint32_t));
	level->last = (uint32_t *) JobGrow(job, level->last, level->n, needed, &room, sizeof(uint32_t));
	room = level->room;
	level->support = (uint32_t *) JobGrow(job, level->support, level->n, needed, &room,
											  sizeof(uint32_t));
	room = level->room;
	level->flags = (uint8_t *) JobGrow(job, level->flags, level->n, needed, &room, 1);
	level->room = room;
}

static void
GrowClasses(ItemsetsJob *job, ItemsetLevel *level, uint64_t needed)
{
	uint64_t	width = level->k - 1;

	level->classes = (LevelClass *) JobGrow(job, level->classes, level->nclasses, needed,
												&level->class_room, sizeof(LevelClass));
	level->prefix = (uint32_t *) JobGrow(job, level->prefix, level->nclasses * width,
											 needed * width, &level->prefix_room, sizeof(uint32_t));
}

/* ---- members and classes; their callers have made room for them ---- */

static void
SetMember(ItemsetLevel *level, uint64_t member, uint32_t last, uint32_t support)
{
	level->last[member] = last;
	level->support[member] = support;
	level->flags[member] = 0;
}

/* Set up the class of the next level whose prefix is a member of this one. */
static void
SetClass(ItemsetLevels *levels, uint64_t class_of, uint64_t first, uint32_t parent, uint64_t parent_class)
{
	const ItemsetLevel *level = levels->current;
	ItemsetLevel *next = levels->next;
	uint32_t   *prefix = next->prefix + class_of * level->k;

	next->classes[class_of] = (LevelClass) {(uint32_t) first, 0, parent};
	memcpy(prefix, ClassPrefix(level, parent_class), sizeof(uint32_t) * (level->k - 1));
	prefix[level->k - 1] = level->last[parent];
}

/*
 * Set first[] of the parents from *nfirst up to "parent", and advance *nfirst: their children
 * begin at "member".
 */
static void
FillFirst(ItemsetLevel *level, uint64_t *nfirst, uint64_t parent, uint64_t member)
{
	while (*nfirst <= parent)
		level->first[(*nfirst)++] = (uint32_t) member;
}

void
LevelFillParents(ItemsetLevel *level, uint64_t parent)
{
	FillFirst(level, &level->nfirst, parent, level->n);
}

/* Note that a member has a superset with this support.  Several threads may do so at once. */
static void
SetFlags(ItemsetLevel *level, uint32_t member, uint32_t support)
{
	uint8_t		flags = HAS_SUPERSET | (level->support[member] == support ? HAS_EQUAL : 0);

	if ((__atomic_load_n(&level->flags[member], __ATOMIC_RELAXED) & flags) != flags)
		__atomic_fetch_or(&level->flags[member], flags, __ATOMIC_RELAXED);
}

/* Note of a pair whether its first item is in all transactions of the second one, which is the class's. */
static void
NotePair(const ItemsetLevels *levels, uint32_t item, uint32_t other, uint32_t support)
{
	if (levels->perfect != NULL && support == levels->job->support[other])
		PartSetBit(levels->job->part, levels->perfect, other, item);
}

static uint32_t
LastParent(const ItemsetLevel *level)
{
	return level->nclasses > 0 ? level->classes[level->nclasses - 1].parent : GPU_NONE;
}

void
LevelsFillFirst(ItemsetLevels *levels)
{
	ItemsetsJob *job = levels->job;
	ItemsetLevel *level = levels->current;
	uint32_t	n = job->nitems - job->skip;

	LevelReset(job, level, 1, 1);
	GrowMembers(job, level, n);
	GrowClasses(job, level, 1);
	level->classes[level->nclasses++] = (LevelClass) {0, n, 0};
	LevelFillParents(level, 0);
	for (uint32_t i = job->skip; i < job->nitems; i++)
		SetMember(level, level->n++, i, job->support[i]);
	LevelFillParents(level, 1);
}

void
LevelsAddPair(ItemsetLevels *levels, uint32_t item, uint32_t other, uint32_t support)
{
	ItemsetLevel *level = levels->current;
	ItemsetLevel *next = levels->next;

	/* the items as members of the first level */
	uint32_t	a = item - levels->job->skip;
	uint32_t	b = other - levels->job->skip;

	GrowMembers(levels->job, next, next->n + 1);
	if (LastParent(next) != a)
	{
		GrowClasses(levels->job, next, next->nclasses + 1);
		LevelFillParents(next, a);
		SetClass(levels, next->nclasses++, next->n, a, 0);
	}
	next->classes[next->nclasses - 1].n++;
	next->subset[next->n] = b;
	SetMember(next, next->n++, other, support);
	NotePair(levels, item, other, support);
	if (!level->has_flags)
		return;
	SetFlags(level, a, support);
	SetFlags(level, b, support);
}

/* ---- a part of a batch ---- */

/* The group that a part begins with.  Groups of the same member stay together. */
static uint32_t
BeginPart(const ItemsetBatch *batch, uint32_t part, uint32_t nparts)
{
	uint32_t	group = (uint32_t) ((uint64_t) batch->ngroups * part / nparts);

	while (group > 0 && group < batch->ngroups &&
		   batch->groups[group].member == batch->groups[group - 1].member)
		group++;
	return group;
}

static uint32_t
CountFrequent(const ItemsetBatch *batch, const ItemsetGroup *group, uint32_t minsup)
{
	const uint32_t *counts = batch->counts + group->first;
	uint32_t	n = 0;

	for (uint32_t i = 0; i < group->n; i++)
		n += counts[i] >= minsup;
	return n;
}

/* Count the members and classes that a part makes. */
static void
CountPart(void *of, uint32_t number, uint32_t thread)
{
	ItemsetLevels *levels = (ItemsetLevels *) of;
	const ItemsetBatch *batch = levels->taken;
	BatchPart  *part = &levels->parts[number];
	uint32_t	minsup = levels->job->spec->minsup;

	for (uint32_t g = part->first_group; g < part->end_group; g++)
	{
		const ItemsetGroup *group = &batch->groups[g];
		uint32_t	n = CountFrequent(batch, group, minsup);

		part->nmembers += n;
		if (n == 0 || group->member == part->last_parent)
			continue;
		part->nclasses++;
		part->last_parent = group->member;
	}
}

/* Make the group's frequent candidates members, numbered from "member" on, and return the next number. */
static uint64_t
TakeGroup(ItemsetLevels *levels, const ItemsetGroup *group, uint64_t member)
{
	const ItemsetBatch *batch = levels->taken;
	ItemsetLevel *level = levels->current;
	ItemsetLevel *next = levels->next;
	uint32_t	minsup = levels->job->spec->minsup;
	uint32_t	k = level->k;

	for (uint32_t c = group->first; c < group->first + group->n; c++)
	{
		const uint32_t *subsets = batch->subsets + (size_t) c * k;
		uint32_t	support = batch->counts[c];

		if (support < minsup)
			continue;
		memcpy(next->subset + member * k, subsets, sizeof(uint32_t) * k);
		SetMember(next, member++, level->last[subsets[k - 1]], support);
		if (k == 1)
			NotePair(levels, level->last[group->member], level->last[subsets[0]], support);
		if (!level->has_flags)
			continue;
		SetFlags(level, group->member, support);
		for (uint32_t i = 0; i < k; i++)
			SetFlags(level, subsets[i], support);
	}
	return member;
}

static void
TakePart(void *of, uint32_t number, uint32_t thread)
{
	ItemsetLevels *levels = (ItemsetLevels *) of;
	ItemsetLevel *next = levels->next;
	const BatchPart *part = &levels->parts[number];
	uint64_t	member = part->member;
	uint64_t	nclasses = part->class_of;
	uint64_t	nfirst = part->nfirst;

	for (uint32_t g = part->first_group; g < part->end_group; g++)
	{
		const ItemsetGroup *group = &levels->taken->groups[g];

		if (CountFrequent(levels->taken, group, levels->job->spec->minsup) == 0)
			continue;
		/* first[] has been set for all parents up to the last one that has a class */
		if (nfirst <= group->member)
		{
			FillFirst(next, &nfirst, group->member, member);
			SetClass(levels, nclasses++, member, group->member, group->class_of);
		}
		next->classes[nclasses - 1].n -= (uint32_t) member;
		member = TakeGroup(levels, group, member);
		next->classes[nclasses - 1].n += (uint32_t) member;
	}
}

/* ---- a batch ---- */

static uint32_t
CutParts(ItemsetLevels *levels, const ItemsetBatch *batch)
{
	/* the first part may not be empty, because it goes on with the last class */
	uint32_t	n = (uint32_t) GpuLesser(BATCH_PARTS, GpuBlocks(batch->ngroups, LEAST_GROUPS));

	for (uint32_t i = 0; i < n; i++)
	{
		BatchPart  *part = &levels->parts[i];

		memset(part, 0, sizeof(BatchPart));
		part->first_group = BeginPart(batch, i, n);
		part->end_group = BeginPart(batch, i + 1, n);
		part->last_parent = i == 0 ? LastParent(levels->next) : GPU_NONE;
	}
	return n;
}

/* Make room for what the parts add to the next level, and set where each part goes. */
static void
PlaceParts(ItemsetLevels *levels, uint32_t n)
{
	ItemsetLevel *next = levels->next;
	uint64_t	members = next->n;
	uint64_t	classes = next->nclasses;
	uint64_t	nfirst = next->nfirst;

	for (uint32_t i = 0; i < n; i++)
	{
		BatchPart  *part = &levels->parts[i];

		part->member = members;
		part->class_of = classes;
		part->nfirst = nfirst;
		members += part->nmembers;
		classes += part->nclasses;
		if (part->nclasses > 0)
			nfirst = (uint64_t) part->last_parent + 1;
	}
	GrowMembers(levels->job, next, members);
	GrowClasses(levels->job, next, classes);
	next->n = members;
	next->nclasses = classes;
	next->nfirst = nfirst;
}

void
LevelsTakeBatch(ItemsetLevels *levels, const ItemsetBatch *batch)
{
	uint32_t	n = CutParts(levels, batch);

	levels->taken = batch;
	OrLeave(HostRun(&levels->job->team, n, CountPart, levels));
	PlaceParts(levels, n);
	OrLeave(HostRun(&levels->job->team, n, TakePart, levels));
	__atomic_fetch_add(&levels->job->team.shared->nodes, batch->ngroups, __ATOMIC_RELAXED);
}
