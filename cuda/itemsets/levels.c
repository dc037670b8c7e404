/*-------------------------------------------------------------------------
 *
 * levels.c
 *	  The level-wise frame that the ancestors' strategies share (Apriori).
 *
 * Candidates of k+1 items are two members of a class of level k put together
 * (Agrawal and Srikant, VLDB 1994, section 2.1.1), if all their subsets are
 * frequent.  Those that prove frequent are the next level:
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
#include "team.h"

/*
 * Forming the candidates of a level.
 *
 * Let X be a member of a class of level k and Y a later member of its class.  Together they
 * make a candidate of k+1 items.  The candidate's subset that lacks item d of the prefix
 * consists of "X without d", which is an itemset of level k-1 that X points to, and Y's last
 * item.  So the subset is frequent if Y's last item is among the last items of that itemset's
 * children in level k, which are a sorted list.  The candidates of X are thus the later members
 * whose last items are in all of the k-1 lists.  The places where they are found in these lists
 * are kept by the next level, if the candidates prove frequent.
 *
 * A list is searched with the help of marks: each item has a mark that says which member of the
 * class ends with the item, and in which round the item was seen last.  Each list has a round
 * of its own, so an item that was not seen in the round before is left out.
 *
 * Candidates are formed in waves.  A wave is cut into parts, and a thread forms one part at a
 * time.  The most candidates that a part can have are known before, so each part has room of
 * its own.  A wave's candidates fill as many batches as it takes.
 */

#define LINE_WORDS		16		/* of a cache line */

/* ---- the candidates of a member ---- */

/* What a thread works on while it forms the candidates of a class's members. */
typedef struct Forming
{
	const ItemsetLevel *level;
	const LevelClass *of;
	uint32_t	number;			/* the number of the member at hand, in its class */
	ItemMark   *marks;			/* [items] */
	uint32_t   *round;			/* the last round of marks */
	uint32_t	seen;			/* items marked in this round or a later one were in all lists so far */
	uint32_t   *rows;			/* where the candidates go */
} Forming;

static inline uint32_t
MemberOf(const Forming *forming)
{
	return forming->of->first + forming->number;
}

/* Begin to count rounds anew if "rounds" more of them would overflow the number. */
static void
ReserveRounds(Forming *forming, uint64_t rounds, uint32_t nitems)
{
	if (*forming->round + rounds < UINT32_MAX)
		return;
	memset(forming->marks, 0, sizeof(ItemMark) * nitems);
	*forming->round = 0;
}

/* Mark the last items of the class's members from number "from" on. */
static void
MarkMembers(Forming *forming, uint32_t from)
{
	const uint32_t *last = forming->level->last + forming->of->first;
	uint32_t	round = ++*forming->round;

	for (uint32_t i = from; i < forming->of->n; i++)
		forming->marks[last[i]] = (ItemMark) {round, i};
	forming->seen = round;
}

/* The children of the member's subset that lacks the prefix's item d. */
static inline void
ListOf(const Forming *forming, uint32_t d, uint32_t *at, uint32_t *end)
{
	const ItemsetLevel *level = forming->level;
	uint32_t	subset = level->subset[(uint64_t) MemberOf(forming) * (level->k - 1) + d];

	*at = level->first[subset];
	*end = level->first[subset + 1];
}

/*
 * Look in list d for the later members that were in all lists so far.  Returns how many of them
 * are in it.
 */
static uint32_t
SeekInList(Forming *forming, uint32_t d)
{
	const ItemsetLevel *level = forming->level;
	uint32_t   *rows = forming->rows + d;
	uint32_t	first = forming->number + 1;
	uint32_t	seen = forming->seen;
	uint32_t	round = ++*forming->round;
	uint32_t	found = 0;
	uint32_t	at;
	uint32_t	end;

	for (ListOf(forming, d, &at, &end); at < end; at++)
	{
		ItemMark   *mark = &forming->marks[level->last[at]];

		if (mark->round < seen)
			continue;
		mark->round = round;
		rows[(size_t) (mark->number - first) * level->k] = at;
		found++;
	}
	forming->seen = round;
	return found;
}

/* The same for the last list.  Members that are in this list, too, make candidates. */
static uint32_t
SeekInLastList(Forming *forming)
{
	const ItemsetLevel *level = forming->level;
	uint32_t	k = level->k;
	uint32_t	first = forming->number + 1;
	uint32_t	found = 0;
	uint32_t	at;
	uint32_t	end;

	for (ListOf(forming, k - 2, &at, &end); at < end; at++)
	{
		const ItemMark *mark = &forming->marks[level->last[at]];
		const uint32_t *from = forming->rows + (size_t) (mark->number - first) * k;
		uint32_t   *row = forming->rows + (size_t) found * k;

		if (mark->round < forming->seen)
			continue;
		if (row != from)
			memcpy(row, from, sizeof(uint32_t) * (k - 2));
		row[k - 2] = at;
		row[k - 1] = forming->of->first + mark->number;
		found++;
	}
	return found;
}

/* Form the candidates that the member makes with later ones.  Returns how many there are. */
static uint32_t
FormMember(Forming *forming)
{
	uint32_t	later = forming->of->n - forming->number - 1;
	uint32_t	seen = forming->seen;

	if (forming->level->k == 1)
	{
		for (uint32_t i = 0; i < later; i++)
			forming->rows[i] = MemberOf(forming) + 1 + i;
		return later;
	}
	for (uint32_t d = 0; d + 2 < forming->level->k && later > 0; d++)
		later = SeekInList(forming, d);
	if (later > 0)
		later = SeekInLastList(forming);
	/* for the next member it is enough to be in the class */
	forming->seen = seen;
	return later;
}

/* ---- a part ---- */

static void
AddGroups(Wave *wave, WavePart *part, uint32_t member, uint32_t class_of, uint32_t n)
{
	while (n > 0)
	{
		uint32_t	now = (uint32_t) GpuLesser(n, GROUP_CANDIDATES);

		wave->groups[part->group + part->ngroups++] = (ItemsetGroup) {member, class_of, part->n, now};
		part->n += now;
		n -= now;
	}
}

static void
FormPart(void *of, uint32_t number, uint32_t thread)
{
	ItemsetLevels *levels = (ItemsetLevels *) of;
	const ItemsetLevel *level = levels->current;
	Wave	   *wave = &levels->wave;
	WavePart   *part = &wave->parts[number];
	LevelPlace	end = part[1].begin;
	uint32_t	nitems = levels->job->nitems;
	Forming		forming = {level};

	forming.marks = wave->marks + (size_t) thread * nitems;
	forming.round = wave->rounds + thread * LINE_WORDS;
	for (uint64_t c = part->begin.class_of; c < level->nclasses && c <= end.class_of; c++)
	{
		uint32_t	from = c == part->begin.class_of ? part->begin.number : 0;
		uint32_t	to = c == end.class_of ? end.number : level->classes[c].n;

		if (from >= to || level->classes[c].n < 2)
			continue;
		forming.of = &level->classes[c];
		if (level->k > 1)
		{
			ReserveRounds(&forming, (uint64_t) (to - from) * level->k + 1, nitems);
			MarkMembers(&forming, from);
		}
		for (forming.number = from; forming.number < to; forming.number++)
		{
			forming.rows = wave->rows + (part->row + part->n) * level->k;
			AddGroups(wave, part, MemberOf(&forming), (uint32_t) c, FormMember(&forming));
		}
	}
}

/* ---- a wave ---- */

/* The most groups that "candidates" candidates of "members" members can make. */
static uint64_t
GroupsFor(uint64_t members, uint64_t candidates)
{
	return members + candidates / GROUP_CANDIDATES;
}

/* The most rows and groups that a wave or a part can fill. */
typedef struct Extent
{
	uint64_t	rows;
	uint64_t	groups;
} Extent;

/*
 * Add members to a part, from *place on, until it can have "most" candidates, and advance
 * *place.  Adds to *extent what the part can fill.
 */
static void
ExtendPart(ItemsetsJob *job, const ItemsetLevel *level, LevelPlace *place, uint64_t most, Extent *extent)
{
	uint64_t	rows = 0;

	while (place->class_of < level->nclasses && rows < most)
	{
		/* the last member has no later ones */
		uint64_t	left = level->classes[place->class_of].n - place->number - 1;
		bool		whole = rows + left * (left + 1) / 2 <= most;
		uint64_t	n = whole ? left * (left + 1) / 2 : left;

		rows += n;
		extent->groups += GroupsFor(whole ? left : 1, n);
		if (whole)
			*place = (LevelPlace) {place->class_of + 1, 0};
		else
			place->number++;
		JobWork(job, 1);
	}
	extent->rows += rows;
}

/* Cut the next members into parts.  Returns false if there are none. */
static bool
PlanWave(ItemsetLevels *levels)
{
	Wave	   *wave = &levels->wave;
	const ItemsetLevel *level = levels->current;
	uint64_t	most = GpuGreater(PART_WORDS / level->k, 1);
	Extent		extent = {0, 0};

	wave->nparts = wave->next_part = 0;
	while (levels->next_place.class_of < level->nclasses && extent.rows * level->k < WAVE_WORDS &&
		   wave->nparts < WAVE_PARTS)
	{
		wave->parts[wave->nparts++] = (WavePart) {levels->next_place, extent.rows, extent.groups};
		ExtendPart(levels->job, level, &levels->next_place, most, &extent);
	}
	wave->parts[wave->nparts].begin = levels->next_place;
	wave->rows = (uint32_t *) JobGrow(levels->job, wave->rows, 0, extent.rows * level->k,
										  &wave->row_room, sizeof(uint32_t));
	wave->groups = (ItemsetGroup *) JobGrow(levels->job, wave->groups, 0, extent.groups,
											&wave->group_room, sizeof(ItemsetGroup));
	return extent.rows > 0;
}

static void
MakeMarks(ItemsetLevels *levels)
{
	Wave	   *wave = &levels->wave;
	size_t		marks = sizeof(ItemMark) * (size_t) HostThreads() * levels->job->nitems;
	size_t		rounds = sizeof(uint32_t) * LINE_WORDS * HostThreads();

	wave->marks = (ItemMark *) JobAlloc(levels->job, marks);
	wave->rounds = (uint32_t *) JobAlloc(levels->job, rounds);
	memset(wave->marks, 0, marks);
	memset(wave->rounds, 0, rounds);
}

static bool
FormWave(ItemsetLevels *levels)
{
	if (levels->wave.marks == NULL && levels->current->k > 1)
		MakeMarks(levels);
	if (!PlanWave(levels))
		return false;
	OrLeave(HostRun(&levels->job->team, levels->wave.nparts, FormPart, levels));
	return true;
}

/* Begins with the candidates of the current level's first member. */
static void
LevelsBeginForming(ItemsetLevels *levels)
{
	levels->next_place = (LevelPlace) {0, 0};
	levels->wave.nparts = levels->wave.next_part = 0;
}

/* ---- a batch ---- */

/* The room that is left in a batch that is being filled, in bytes. */
typedef struct BatchRoom
{
	uint64_t	bytes;
	size_t		group_bytes;
	size_t		candidate_bytes;
} BatchRoom;

static uint64_t
BytesOf(const BatchRoom *room, uint32_t ngroups, uint32_t n)
{
	return (uint64_t) ngroups * room->group_bytes + (uint64_t) n * room->candidate_bytes;
}

/* The number of candidates in the groups of a part that come before this group. */
static uint32_t
CandidatesBefore(const Wave *wave, const WavePart *part, uint32_t group)
{
	return group < part->ngroups ? wave->groups[part->group + group].first : part->n;
}

/* The number of the part's next groups that fit the batch. */
static uint32_t
GroupsThatFit(const Wave *wave, const WavePart *part, const BatchRoom *room)
{
	uint32_t	gone = CandidatesBefore(wave, part, part->gone);
	uint32_t	n = 0;

	if (BytesOf(room, part->ngroups - part->gone, part->n - gone) <= room->bytes)
		return part->ngroups - part->gone;
	while (BytesOf(room, n + 1, CandidatesBefore(wave, part, part->gone + n + 1) - gone) <= room->bytes)
		n++;
	return n;
}

/* Plan to transfer as much of the wave's next part as fits.  Returns false if that is not all of it. */
static bool
AddTransfer(Wave *wave, ItemsetBatch *batch, BatchRoom *room)
{
	WavePart  *part = &wave->parts[wave->next_part];
	uint32_t	ngroups = GroupsThatFit(wave, part, room);
	uint32_t	n = CandidatesBefore(wave, part, part->gone + ngroups) -
		CandidatesBefore(wave, part, part->gone);

	wave->transfers[wave->ntransfers++] = (Transfer) {part, part->gone, ngroups, batch->ngroups, batch->n};
	batch->ngroups += ngroups;
	batch->n += n;
	room->bytes -= BytesOf(room, ngroups, n);
	part->gone += ngroups;
	if (part->gone < part->ngroups)
		return false;
	wave->next_part++;
	return true;
}

static void
GrowBatch(ItemsetsJob *job, ItemsetBatch *batch, uint32_t k, uint32_t had_groups, uint32_t had)
{
	batch->groups = (ItemsetGroup *) JobGrow(job, batch->groups, had_groups, batch->ngroups,
											 &batch->group_room, sizeof(ItemsetGroup));
	batch->subsets = (uint32_t *) JobGrow(job, batch->subsets, (uint64_t) had * k,
											  (uint64_t) batch->n * k, &batch->subset_room,
											  sizeof(uint32_t));
	batch->counts = (uint32_t *) JobGrow(job, batch->counts, 0, batch->n, &batch->count_room,
											 sizeof(uint32_t));
}

typedef struct BatchFilling
{
	const Wave *wave;
	uint32_t	k;
	ItemsetBatch *batch;
} BatchFilling;

static void
DoTransfer(void *of, uint32_t part, uint32_t thread)
{
	const BatchFilling *filling = (const BatchFilling *) of;
	const Wave *wave = filling->wave;
	const Transfer *transfer = &wave->transfers[part];
	const ItemsetGroup *groups = wave->groups + transfer->part->group + transfer->first_group;
	ItemsetGroup *to = filling->batch->groups + transfer->to_group;
	size_t		k = filling->k;
	uint32_t	n = 0;

	if (transfer->ngroups == 0)
		return;
	for (uint32_t g = 0; g < transfer->ngroups; g++)
	{
		to[g] = groups[g];
		to[g].first = transfer->to + n;
		n += groups[g].n;
	}
	memcpy(filling->batch->subsets + transfer->to * k,
		   wave->rows + (transfer->part->row + groups[0].first) * k, sizeof(uint32_t) * n * k);
}

/* Move candidates from the wave to the batch.  Returns false if the batch is full. */
static bool
FillBatch(ItemsetLevels *levels, ItemsetBatch *batch, BatchRoom *room)
{
	Wave	   *wave = &levels->wave;
	BatchFilling filling = {wave, levels->current->k, batch};
	uint32_t	had_groups = batch->ngroups;
	uint32_t	had = batch->n;
	bool		more = true;

	wave->ntransfers = 0;
	while (more && wave->next_part < wave->nparts)
		more = AddTransfer(wave, batch, room);
	GrowBatch(levels->job, batch, filling.k, had_groups, had);
	OrLeave(HostRun(&levels->job->team, wave->ntransfers, DoTransfer, &filling));
	return more;
}

/*
 * If not even the wave's next group fits into an empty batch, the batch takes as many of its
 * candidates as fit, and the rest stays in the wave.
 */
static void
SplitGroup(ItemsetLevels *levels, ItemsetBatch *batch, const BatchRoom *room)
{
	Wave	   *wave = &levels->wave;
	WavePart  *part = &wave->parts[wave->next_part];
	ItemsetGroup *group = &wave->groups[part->group + part->gone];
	size_t		k = levels->current->k;

	if (room->bytes < room->group_bytes + room->candidate_bytes)
		return;
	batch->ngroups = 1;
	batch->n = (uint32_t) ((room->bytes - room->group_bytes) / room->candidate_bytes);
	GrowBatch(levels->job, batch, (uint32_t) k, 0, 0);
	batch->groups[0] = (ItemsetGroup) {group->member, group->class_of, 0, batch->n};
	memcpy(batch->subsets, wave->rows + (part->row + group->first) * k,
		   sizeof(uint32_t) * batch->n * k);
	group->first += batch->n;
	group->n -= batch->n;
}

/*
 * Fills a batch with the candidates that follow.  The batch may take "bytes" of a device, of which
 * each group takes group_bytes and each candidate candidate_bytes.  Returns false if there are no
 * more candidates.
 */
static bool
LevelsFormBatch(ItemsetLevels *levels, ItemsetBatch *batch, size_t bytes, size_t group_bytes,
				size_t candidate_bytes)
{
	Wave	   *wave = &levels->wave;
	BatchRoom	room = {bytes, group_bytes, candidate_bytes};
	bool		more = true;

	batch->ngroups = batch->n = 0;
	while (more && (wave->next_part < wave->nparts || FormWave(levels)))
		more = FillBatch(levels, batch, &room);
	if (!more && batch->n == 0)
		SplitGroup(levels, batch, &room);
	levels->job->team.candidates += batch->n;
	return batch->n > 0;
}

/* How many members are looked at between two polls. */
#define COUNTED_AT_ONCE	((uint64_t) 1 << 20)

/* ---- giving out ---- */

static inline bool
IsWanted(const ItemsetsJob *job, const ItemsetLevel *level, uint64_t member)
{
	switch (job->spec->kind)
	{
		case FIM_CLOSED:
			return (level->flags[member] & HAS_EQUAL) == 0;
		case FIM_MAXIMAL:
			return level->flags[member] == 0;
		default:
			return true;
	}
}

/*
 * Whether the itemset of a class's prefix and a last item is of the task's part.  All devices mine all itemsets, since
 * candidates are made of itemsets of any part, and only those of the part are given out.
 */
static bool
IsOfPart(const ItemsetLevels *levels, const uint32_t *prefix, uint32_t length, uint32_t last)
{
	const ItemsetPart *part = levels->job->part;

	if (part == NULL)
		return true;
	while (length > 0 && PartBit(part, levels->perfect, last, prefix[length - 1]))
		length--;
	return PartBit(part, part->bits, last, length > 0 ? prefix[length - 1] : last);
}

/* How many of the members are wanted and of the task's part. */
static uint64_t
CountOfPart(const ItemsetLevels *levels, const ItemsetLevel *level)
{
	uint64_t	n = 0;

	for (uint64_t c = 0; c < level->nclasses; c++)
	{
		const LevelClass *of = &level->classes[c];
		const uint32_t *prefix = ClassPrefix(level, c);

		for (uint32_t m = of->first; m < of->first + of->n; m++)
			n += IsWanted(levels->job, level, m) && IsOfPart(levels, prefix, level->k - 1, level->last[m]);
		JobWork(levels->job, 1 + 4 * (uint64_t) of->n);
	}
	return n;
}

/* How many of the members have none of the flags. */
static uint64_t
CountWithout(ItemsetsJob *job, const ItemsetLevel *level, uint8_t flags)
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
CountWanted(const ItemsetLevels *levels, const ItemsetLevel *level)
{
	ItemsetsJob *job = levels->job;

	if (job->part != NULL)
		return CountOfPart(levels, level);
	switch (job->spec->kind)
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
CountLevel(const ItemsetLevels *levels, const ItemsetLevel *level)
{
	Miner	   *miner = &levels->job->miner;
	Output	   *out = &miner->out;
	uint64_t	n = CountWanted(levels, level);

	OutputCounts(miner)[out->depth + level->k] += n;
	/* the number of results that is shown; OutputAll() adds to it in the same way */
	out->results += n << GpuLesser(out->nperfect, 63);
	OutputFlush(miner);
}

/* The path ends with the prefix of the class before.  Replace that by the prefix of class c. */
static void
PushPrefix(ItemsetsJob *job, const ItemsetLevel *level, uint64_t c)
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
ListItemset(ItemsetsJob *job, uint32_t last, uint32_t support)
{
	Miner	   *miner = &job->miner;

	OutputPush(&miner->out, job->name[last]);
	if (job->spec->kind == FIM_ALL)
		OutputAll(miner, support);
	else
		OutputOne(miner, support);
	OutputPop(&miner->out, 1);
}

static void
ListLevel(const ItemsetLevels *levels, const ItemsetLevel *level)
{
	ItemsetsJob *job = levels->job;

	for (uint64_t c = 0; c < level->nclasses; c++)
	{
		const LevelClass *of = &level->classes[c];

		PushPrefix(job, level, c);
		for (uint32_t m = of->first; m < of->first + of->n; m++)
			if (IsWanted(job, level, m) && IsOfPart(levels, ClassPrefix(level, c), level->k - 1, level->last[m]))
				ListItemset(job, level->last[m], level->support[m]);
		JobWork(job, level->k + of->n);
	}
	OutputPop(&job->miner.out, level->k - 1);
}

static void
GiveLevel(const ItemsetLevels *levels, const ItemsetLevel *level)
{
	const Output *out = &levels->job->miner.out;

	/* the level's itemsets are too short, even with all items that every transaction holds */
	if (out->depth + out->nperfect + level->k < out->min_depth)
		return;
	if (levels->job->spec->head.count_only)
		CountLevel(levels, level);
	else
		ListLevel(levels, level);
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

	__atomic_fetch_add(&shared->total, levels->current->nclasses, __ATOMIC_RELAXED);
}

static void
EndProgress(ItemsetLevels *levels)
{
	FimShared  *shared = levels->job->team.shared;

	__atomic_fetch_add(&shared->done, levels->current->nclasses, __ATOMIC_RELAXED);
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
DeepestLevel(const ItemsetsJob *job, uint32_t last)
{
	return job->spec->kind == FIM_ALL || last == FIM_NO_LIMIT ? last : last + 1;
}

/* Room for ItemsetLevels.perfect, of which nothing is known yet. */
static uint32_t *
MakePerfect(ItemsetsJob *job)
{
	size_t		size = sizeof(uint32_t) * (size_t) job->part->nrows * job->part->words;

	return (uint32_t *) memset(JobAlloc(job, size), 0, size);
}

void
LevelsMine(ItemsetsJob *job, const LevelCounter *counter, void *of)
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
	job->team.shared->total = job->team.shared->done = 0;
	if (job->part != NULL)
		levels->perfect = MakePerfect(job);
	RootBegin(&job->miner, job->skip);
	if (JobHasRoot(job->part))
		RootEmit(&job->miner, job->nitems > job->skip);
	last = LastLevel(&job->miner.out);
	LevelsFillFirst(levels);
	while (levels->current->n > 0 && levels->current->k <= last)
	{
		ItemsetLevel *done = levels->current;

		LevelReset(job, levels->next, done->k + 1, done->n);
		if (job->spec->kind == FIM_ALL)
			GiveLevel(levels, done);
		if (done->k < DeepestLevel(job, last) && done->n > 1)
			NextLevel(levels);
		if (job->spec->kind != FIM_ALL)
			GiveLevel(levels, done);
		levels->current = levels->next;
		levels->next = done;
	}
	LevelFree(job, &levels->level[0]);
	LevelFree(job, &levels->level[1]);
}
