/*-------------------------------------------------------------------------
 *
 * tensor_alloc.c
 *	  Memory for the classes of a level, see tensor_alloc.h.
 *
 *-------------------------------------------------------------------------
 */
#include "itemsets/tensor_alloc.h"

static void
AllocMembers(Tensor *t, LevelMembers *to, const ClassPlace *end)
{
	const char *what = "listing the members of classes";
	uint64_t	nclasses = end->number;
	uint64_t	nmembers = end->member;

	to->classes = (FimCompaction *) AllocBottom(t, sizeof(FimCompaction) * nclasses, what);
	to->parts = (FimCompactionPart *) AllocBottom(t, sizeof(FimCompactionPart) * end->part, what);
	to->depth = (uint32_t *) AllocBottom(t, sizeof(uint32_t) * nclasses, what);
	to->nperfect = (uint32_t *) AllocBottom(t, sizeof(uint32_t) * nclasses, what);
	to->source = (uint32_t *) AllocBottom(t, sizeof(uint32_t) * nmembers, what);
	to->item = (uint32_t *) AllocBottom(t, sizeof(uint32_t) * nmembers, what);
	to->support = (uint32_t *) AllocBottom(t, sizeof(uint32_t) * nmembers, what);
	to->class_of = (uint32_t *) AllocBottom(t, sizeof(uint32_t) * nmembers, what);
}

/* Allocate what the host keeps of a level. */
static void
AllocOnHost(Tensor *t, ClassLevel *level)
{
	Arena	   *arena = &t->m->arena;
	size_t		nclasses = level->end.number;
	size_t		nmembers = level->end.member;

	level->classes = (FimCompaction *) ArenaAlloc(arena, sizeof(FimCompaction) * nclasses);
	level->depth = (uint32_t *) ArenaAlloc(arena, sizeof(uint32_t) * nclasses);
	level->nperfect = (uint32_t *) ArenaAlloc(arena, sizeof(uint32_t) * nclasses);
	level->parent_class = (uint32_t *) ArenaAlloc(arena, sizeof(uint32_t) * nclasses);
	level->nfixed = (uint32_t *) ArenaAlloc(arena, sizeof(uint32_t) * nclasses);
	level->fixed = (const uint32_t **) ArenaAlloc(arena, sizeof(uint32_t *) * nclasses);
	if (!t->m->job->head.count_only)
	{
		level->item = (uint32_t *) ArenaAlloc(arena, sizeof(uint32_t) * nmembers);
		level->support = (uint32_t *) ArenaAlloc(arena, sizeof(uint32_t) * nmembers);
	}
}

void
TensorAllocLevel(Tensor *t, ClassLevel *level, const ClassLevel *parent, const ClassPlace *end)
{
	memset(level, 0, sizeof(*level));
	level->parent = parent;
	level->end = *end;
	AllocMembers(t, &level->device, end);
	if (parent == NULL || t->counts.counts == NULL)
		AllocOnHost(t, level);
}
