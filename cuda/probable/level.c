/*-------------------------------------------------------------------------
 *
 * level.c
 *	  The itemsets of one length, see level.h.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "probable/level.h"

void
InitLevel(ProbableLevel *level, uint32_t k)
{
	memset(level, 0, sizeof(*level));
	level->k = k;
}

cudaError_t
AddMember(ProbableJob *job, ProbableLevel *level, const uint32_t *columns, uint32_t last,
		  const FimMoments *moments, const Judgement *judgement)
{
	uint64_t	at = level->n * level->k;
	Member	   *member;

	GPU_TRY(HostGrow(job, (void **) &level->members, level->n, level->n + 1, &level->room, sizeof(Member)));
	GPU_TRY(HostGrow(job, (void **) &level->columns, at, at + level->k, &level->column_room,
					 sizeof(uint32_t)));
	if (level->k > 0)
	{
		memcpy(level->columns + at, columns, sizeof(uint32_t) * (level->k - 1));
		level->columns[at + level->k - 1] = last;
	}
	member = &level->members[level->n++];
	member->moments = *moments;
	if (judgement->expected > 0)
		member->moments.mean = judgement->expected;
	member->low = judgement->low;
	member->is_value = judgement->is_value;
	member->flags = 0;
	return cudaSuccess;
}

/* ---- classes ---- */

static bool
SameClass(const ProbableLevel *level, uint64_t a, uint64_t b)
{
	return memcmp(level->columns + a * level->k, level->columns + b * level->k,
				  sizeof(uint32_t) * (level->k - 1)) == 0;
}

static cudaError_t
FindClasses(ProbableJob *job, ProbableLevel *level)
{
	uint64_t	end;

	GPU_TRY(HostGrow(job, (void **) &level->class_end, 0, level->n, &level->end_room, sizeof(uint32_t)));
	for (uint64_t first = 0; first < level->n; first = end)
	{
		end = first + 1;
		while (end < level->n && level->k > 0 && SameClass(level, first, end))
			end++;
		for (uint64_t m = first; m < end; m++)
			level->class_end[m] = (uint32_t) end;
		GPU_TRY(HostWork(job, (end - first) * level->k));
	}
	return cudaSuccess;
}

/* ---- the table ---- */

/* A column's part of the hash of a set of columns, which is the sum of these parts. */
static inline uint64_t
HashColumn(uint32_t column)
{
	uint64_t	x = (column + 1) * UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ (x >> 32)) * UINT64_C(0xd6e8feb86659fd93);
	return x ^ (x >> 29);
}

static inline uint64_t
FirstSlot(const ProbableLevel *level, uint64_t hash)
{
	return (hash * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (level->nslots - 1);
}

static cudaError_t
MakeTable(ProbableJob *job, ProbableLevel *level)
{
	level->nslots = 16;
	while (level->nslots < 2 * level->n)
		level->nslots *= 2;
	GPU_TRY(HostTake(job, sizeof(uint32_t) * level->nslots, (void **) &level->slots));
	memset(level->slots, 0xff, sizeof(uint32_t) * level->nslots);
	for (uint64_t m = 0; m < level->n; m++)
	{
		uint64_t	hash = 0;
		uint64_t	slot;

		for (uint32_t i = 0; i < level->k; i++)
			hash += HashColumn(level->columns[m * level->k + i]);
		for (slot = FirstSlot(level, hash); level->slots[slot] != GPU_NONE;)
			slot = (slot + 1) & (level->nslots - 1);
		level->slots[slot] = (uint32_t) m;
		GPU_TRY(HostWork(job, level->k + 10));
	}
	return cudaSuccess;
}

/* Whether a member has all of the k + 1 columns but columns[without]. */
static bool
IsSubset(const ProbableLevel *level, uint32_t member, const uint32_t *columns, uint32_t without)
{
	const uint32_t *of = level->columns + (uint64_t) member * level->k;

	return memcmp(of, columns, sizeof(uint32_t) * without) == 0 &&
		memcmp(of + without, columns + without + 1, sizeof(uint32_t) * (level->k - without)) == 0;
}

uint32_t
FindMember(const ProbableLevel *level, const uint32_t *columns, uint32_t without)
{
	uint64_t	hash = 0;
	uint64_t	slot;

	for (uint32_t i = 0; i <= level->k; i++)
		if (i != without)
			hash += HashColumn(columns[i]);
	for (slot = FirstSlot(level, hash); level->slots[slot] != GPU_NONE; slot = (slot + 1) & (level->nslots - 1))
		if (IsSubset(level, level->slots[slot], columns, without))
			return level->slots[slot];
	return GPU_NONE;
}

cudaError_t
CompleteLevel(ProbableJob *job, ProbableLevel *level, bool find)
{
	GPU_TRY(FindClasses(job, level));
	return find ? MakeTable(job, level) : cudaSuccess;
}

void
FreeLevel(ProbableJob *job, ProbableLevel *level)
{
	void	   *all[] = {level->members, level->columns, level->class_end, level->partner_at, level->partners,
	level->slots};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		GpuHostFree(&job->team, all[i]);
	InitLevel(level, level->k);
}
