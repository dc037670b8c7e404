/*-------------------------------------------------------------------------
 *
 * transfer.c
 *	  Bringing the two relations to the devices, see transfer.h.
 *
 *-------------------------------------------------------------------------
 */
#include "copies.h"
#include "sets/transfer.h"

static uint64_t
SideMemory(const FimSetsSide *side)
{
	return sizeof(uint64_t) * ((uint64_t) side->nvalues + 1) + sizeof(uint32_t) * side->npairs;
}

uint64_t
RelationsMemory(const FimSetsData *data, bool by_key)
{
	uint64_t	memory = SideMemory(&data->left) + (data->one ? 0 : SideMemory(&data->right));

	/* ranks before the sort, both keys and ranks while they are sorted and after it, and CUB's copies */
	if (by_key)
		memory += sizeof(uint64_t) * ((uint64_t) data->nkeys + 1) + 5 * sizeof(uint32_t) * data->right.npairs +
			ScratchOf(data->right.npairs);
	return memory;
}

static cudaError_t
AllocSide(GpuDevice *device, const FimSetsSide *from, DeviceSide *side)
{
	const char *what = "allocating relations";

	side->nvalues = from->nvalues;
	side->longest = from->longest;
	side->npairs = from->npairs;
	GPU_TRY(GpuAlloc(device, sizeof(uint64_t) * ((size_t) side->nvalues + 1), what, (void **) &side->start));
	return GpuAlloc(device, sizeof(uint32_t) * side->npairs, what, (void **) &side->key);
}

/* The right or left side on a device. */
static DeviceSide *
SideOf(SetsDevice *on, bool right)
{
	return right ? &on->relations.right : &on->relations.left;
}

static cudaError_t
SendSide(SetsJob *job, const FimSetsSide *from, bool right)
{
	void	   *starts[FIM_GPU_MAX_DEVICES];
	void	   *keys[FIM_GPU_MAX_DEVICES];
	const char *what = "sending relations";

	for (int d = 0; d < job->team.ndevices; d++)
	{
		DeviceSide *side = SideOf(&job->on[d], right);

		GPU_TRY(GpuUse(job->team.devices[d], what));
		GPU_TRY(AllocSide(job->team.devices[d], from, side));
		starts[d] = side->start;
		keys[d] = side->key;
	}
	GPU_TRY(GpuSendAll(&job->team, GPU_COUNT, starts, FIM_SETS_STARTS(job->data, from),
					   sizeof(uint64_t) * ((size_t) from->nvalues + 1), what));
	return GpuSendAll(&job->team, GPU_COUNT, keys, FIM_SETS_KEYS(job->data, from), sizeof(uint32_t) * from->npairs,
					  what);
}

/* Takes the memory that is needed only while the right relation is sorted by key. */
static cudaError_t
OpenKeySort(GpuDevice *device, const DeviceSide *side, uint32_t nkeys, KeySort *sort, uint32_t **ranks)
{
	const char *what = "allocating for sorting pairs";
	size_t		bytes = sizeof(uint32_t) * side->npairs;

	sort->key = side->key;
	sort->npairs = side->npairs;
	sort->nkeys = nkeys;
	GPU_TRY(GpuCheck(device, KeySortScratch(side->npairs, nkeys, &sort->scratch_bytes), what));
	GPU_TRY(GpuAlloc(device, sort->scratch_bytes, what, &sort->scratch));
	GPU_TRY(GpuAlloc(device, bytes, what, (void **) &sort->sorted_key));
	GPU_TRY(GpuAlloc(device, bytes, what, (void **) ranks));
	sort->rank = *ranks;
	return cudaSuccess;
}

/*
 * Begins to sort the right relation by key on a device.  Pairs come in the order of ranks and the sort is
 * stable, so the values of each key are ascending after it.
 */
static cudaError_t
StartByKey(SetsDevice *on, KeySort *sort, uint32_t **ranks)
{
	GpuDevice  *device = on->device;
	Relations  *r = &on->relations;
	GpuTimer   *timer;

	GPU_TRY(GpuUse(device, "sorting pairs by key"));
	GPU_TRY(GpuAlloc(device, sizeof(uint64_t) * ((size_t) r->nkeys + 1), "allocating relations", (void **) &r->key_start));
	GPU_TRY(GpuAlloc(device, sizeof(uint32_t) * r->right.npairs, "allocating relations", (void **) &r->rank));
	GPU_TRY(OpenKeySort(device, &r->right, r->nkeys, sort, ranks));
	sort->sorted_rank = r->rank;
	GPU_TRY(GpuBegin(device, GPU_COUNT, FIM_GPU_BUILD, 8.0 * sizeof(uint32_t) * (double) r->right.npairs, &timer));
	GPU_TRY(ExpandRanks(device, &r->right, *ranks));
	GPU_TRY(SortByKey(device, sort));
	GPU_TRY(FindKeyStarts(device, sort->sorted_key, r->right.npairs, r->nkeys, r->key_start));
	return GpuEnd(device, GPU_COUNT, timer);
}

static cudaError_t
EndByKey(SetsJob *job, SetsDevice *on, const KeySort *sort, uint32_t *ranks)
{
	GPU_TRY(GpuWait(&job->team, on->device, GPU_COUNT, "sorting pairs by key"));
	GPU_TRY(GpuFree(on->device, ranks));
	GPU_TRY(GpuFree(on->device, sort->sorted_key));
	return GpuFree(on->device, sort->scratch);
}

cudaError_t
RelationsByKey(SetsJob *job)
{
	KeySort		sorts[FIM_GPU_MAX_DEVICES];
	uint32_t   *ranks[FIM_GPU_MAX_DEVICES];

	for (int d = 0; d < job->team.ndevices; d++)
		GPU_TRY(StartByKey(&job->on[d], &sorts[d], &ranks[d]));
	for (int d = 0; d < job->team.ndevices; d++)
		GPU_TRY(EndByKey(job, &job->on[d], &sorts[d], ranks[d]));
	return cudaSuccess;
}

cudaError_t
RelationsOpen(SetsJob *job)
{
	const FimSetsData *data = job->data;

	GPU_TRY(SendSide(job, &data->left, false));
	if (!data->one)
		GPU_TRY(SendSide(job, &data->right, true));
	for (int d = 0; d < job->team.ndevices; d++)
	{
		Relations  *r = &job->on[d].relations;

		if (data->one)
			r->right = r->left;
		r->nkeys = data->nkeys;
		r->rule = job->rule;
	}
	return cudaSuccess;
}
