/*-------------------------------------------------------------------------
 *
 * dci_encode.c
 *	  Batches of candidates as gpuDCI's kernels read them, see dci_encode.h.
 *
 *-------------------------------------------------------------------------
 */
#include "host_threads.h"
#include "itemsets/dci_encode.h"

#include <string.h>

/* How many groups a thread encodes at a time. */
#define ENCODED_AT_ONCE	512

void
DciShareBatch(const Dci *dci, const ItemsetBatch *batch, DciShare *shares)
{
	int			n = dci->job->team.ndevices;
	uint32_t	group = 0;

	for (int d = 0; d < n; d++)
	{
		DciShare   *share = &shares[d];
		uint32_t	end = (uint32_t) ((uint64_t) batch->n * (d + 1) / n);

		memset(share, 0, sizeof(DciShare));
		share->first_group = group;
		share->first = group < batch->ngroups ? batch->groups[group].first : batch->n;
		while (group < batch->ngroups && batch->groups[group].first < end)
			share->n += batch->groups[group++].n;
		share->ngroups = group - share->first_group;
	}
}

/* The number of candidates of a task, small enough for each thread block to get several tasks. */
static uint32_t
TaskCandidates(const Dci *dci, uint32_t n)
{
	return (uint32_t) GpuBetween(8, n / (dci->thread_blocks * 4 + 1), 1024);
}

/* A share in the form that kernels read, while the host writes it. */
typedef struct DciEncoding
{
	const Dci  *dci;
	const ItemsetLevel *level;
	const ItemsetBatch *batch;
	const DciShare *share;
	uint32_t   *tasks;
	Operation  *operations;
	uint32_t   *items;
	uint32_t   *last;
	uint32_t   *counts;			/* not sent, only zeroed on the device */
} DciEncoding;

/* Cut the share's groups into tasks.  A task ends when it has enough candidates. */
static void
EncodeTasks(const DciEncoding *encoding, DciShare *share)
{
	const ItemsetGroup *groups = encoding->batch->groups + share->first_group;
	uint32_t	task = TaskCandidates(encoding->dci, share->n);
	uint32_t	in_task = task;

	for (uint32_t g = 0; g < share->ngroups; g++)
	{
		if (in_task >= task)
		{
			encoding->tasks[share->ntasks++] = g;
			in_task = 0;
		}
		in_task += groups[g].n;
	}
	encoding->tasks[share->ntasks] = share->ngroups;
}

/* How many items the prefixes of two groups have in common. */
static uint32_t
CommonPrefix(const ItemsetLevel *level, const ItemsetGroup *a, const ItemsetGroup *b)
{
	if (a->member == b->member)
		return level->k;
	if (a->class_of == b->class_of)
		return level->k - 1;
	return CommonItems(ClassPrefix(level, a->class_of), ClassPrefix(level, b->class_of), level->k - 1);
}

static void
EncodeOperations(void *of, uint32_t part, uint32_t thread)
{
	const DciEncoding *encoding = (const DciEncoding *) of;
	const ItemsetLevel *level = encoding->level;
	const DciShare *share = encoding->share;
	const uint32_t *map = encoding->dci->map;
	const ItemsetGroup *groups = encoding->batch->groups + share->first_group;
	uint32_t	end = (uint32_t) GpuLesser((part + 1) * ENCODED_AT_ONCE, share->ngroups);

	for (uint32_t g = part * ENCODED_AT_ONCE; g < end; g++)
	{
		const ItemsetGroup *group = &groups[g];
		const uint32_t *prefix = ClassPrefix(level, group->class_of);
		uint32_t   *items = encoding->items + (size_t) g * level->k;
		uint32_t   *last = encoding->last + (group->first - share->first);

		encoding->operations[g].first = group->first - share->first;
		encoding->operations[g].n = group->n;
		encoding->operations[g].common = g > 0 ? CommonPrefix(level, group, group - 1) : 0;
		for (uint32_t i = 0; i + 1 < level->k; i++)
			items[i] = map[prefix[i]];
		items[level->k - 1] = map[level->last[group->member]];
		for (uint32_t i = 0; i < group->n; i++)
			last[i] = map[CandidateItem(level, encoding->batch, group->first + i)];
	}
}

size_t
DciEncodeShare(Dci *dci, const ItemsetLevel *level, const ItemsetBatch *batch, DciShare *share,
			   char *on_device)
{
	DciEncoding	encoding = {dci, level, batch, share};
	char	   *at = dci->encoded;

	encoding.tasks = (uint32_t *) at;
	encoding.operations = (Operation *) (encoding.tasks + share->ngroups + 1);
	encoding.items = (uint32_t *) (encoding.operations + share->ngroups);
	encoding.last = encoding.items + (size_t) share->ngroups * dci->k;
	encoding.counts = encoding.last + share->n;
	EncodeTasks(&encoding, share);
	OrLeave(HostRun(&dci->job->team, GpuBlocks(share->ngroups, ENCODED_AT_ONCE), EncodeOperations, &encoding));

	share->on_device.tasks = (const uint32_t *) on_device;
	share->on_device.operations = (const Operation *) (on_device + ((char *) encoding.operations - at));
	share->on_device.items = (const uint32_t *) (on_device + ((char *) encoding.items - at));
	share->on_device.last = (const uint32_t *) (on_device + ((char *) encoding.last - at));
	share->on_device.counts = (uint32_t *) (on_device + ((char *) encoding.counts - at));
	share->on_device.k = dci->k;
	return (size_t) ((char *) encoding.counts - at);
}
