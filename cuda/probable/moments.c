/*-------------------------------------------------------------------------
 *
 * moments.c
 *	  Batches of candidates whose probabilities are summed, see probable.h.
 *
 * A batch is divided into a share for each device.  Its tasks are launched block of transactions by
 * block, in as many parts as keep the device busy, whose sums are added up there.  At last, a
 * candidate's moments get a bound of their error.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>
#include <string.h>

#include "probable/probable.h"
#include "team.h"

#define BLOCKS_WANTED	4096	/* blocks of threads of all loads together, if there are enough slabs */
#define MOST_PARTS		1024
#define ROUNDING		4096		/* bytes that rounding up sizes may add to all arrays together */

/* Bytes of a device that a candidate takes at most: if it is the only one of its load and of its prefix. */
static uint64_t
CandidateBytes(uint32_t length)
{
	return sizeof(MomentLoad) + sizeof(uint32_t) * (length + 2) + sizeof(double) * MOMENT_SUMS +
		sizeof(uint32_t) + sizeof(double) * MOMENT_SUMS;
}

static uint32_t
PartsOf(uint32_t nslabs, uint64_t nloads)
{
	uint32_t	most = (nslabs + MOMENT_WARPS - 1) / MOMENT_WARPS;

	return (uint32_t) GpuBetween(1, GpuLesser(BLOCKS_WANTED / GpuGreater(nloads, 1) + 1, MOST_PARTS),
								 GpuGreater(most, 1));
}

/*
 * The fewer loads there are, the more parts each of them has.  All loads together have at
 * most BLOCKS_WANTED parts beyond the first of each, see PartsOf(), so the memory that is
 * set aside for parts here is enough for these; CandidateBytes() has the first parts.
 */
uint32_t
MomentsRoom(const ProbableJob *job, uint64_t bytes, uint32_t length)
{
	uint64_t	parts = (uint64_t) (BLOCKS_WANTED + MOST_PARTS) * MOMENT_LOAD *
		(sizeof(uint32_t) + sizeof(double) * MOMENT_SUMS);
	uint64_t	n;

	/* with little memory, part counts take at most half of it */
	parts = GpuLesser(parts, bytes / 2);
	n = (bytes - parts) / (CandidateBytes(length) + 64);
	return (uint32_t) GpuLesser(n, 1u << 24);
}

/* ---- a device's share ---- */

#define NARRAYS			7

/* Lists the arrays of a share, with their sizes for the number of parts that it has. */
static void
ListArrays(const MomentBatch *batch, MomentShare *share, GpuArray *arrays)
{
	uint64_t	of_parts = (uint64_t) share->parts * share->n;
	const GpuArray all[NARRAYS] = {
		{(void **) &share->columns, sizeof(uint32_t) * ((size_t) batch->nprefixes * batch->length + 1)},
		{(void **) &share->loads, sizeof(MomentLoad) * (share->end_load - share->first_load)},
		{(void **) &share->last, sizeof(uint32_t) * share->n},
		{(void **) &share->counts, sizeof(uint32_t) * share->n},
		{(void **) &share->sums, sizeof(double) * MOMENT_SUMS * share->n},
		{(void **) &share->part_counts, sizeof(uint32_t) * of_parts},
		{(void **) &share->part_sums, sizeof(double) * MOMENT_SUMS * of_parts}
	};

	memcpy(arrays, all, sizeof(all));
}

/* Sets the number of parts to what is wanted, or to as many as there is memory for. */
static void
ChooseParts(const MomentBatch *batch, const GpuDevice *device, MomentShare *share, uint32_t nslabs)
{
	uint64_t	each = share->n * (sizeof(uint32_t) + sizeof(double) * MOMENT_SUMS);
	GpuArray	arrays[NARRAYS];
	uint64_t	least;
	uint64_t	more;

	share->parts = 1;
	ListArrays(batch, share, arrays);
	least = GpuArraysBytes(arrays, NARRAYS) + ROUNDING;
	more = GpuRoom(device) > least ? (GpuRoom(device) - least) / each : 0;
	share->parts = (uint32_t) GpuLesser(PartsOf(nslabs, share->end_load - share->first_load), 1 + more);
}

static cudaError_t
TakeShare(ProbableJob *job, const MomentBatch *batch, GpuDevice *device, MomentShare *share,
		  uint32_t nslabs)
{
	const char *what = "allocating memory for candidates";
	GpuTeam    *team = &job->team;
	uint32_t	nloads = share->end_load - share->first_load;
	GpuArray	arrays[NARRAYS];

	ChooseParts(batch, device, share, nslabs);
	ListArrays(batch, share, arrays);
	GPU_TRY(GpuAllocArrays(device, arrays, NARRAYS, what));
	GPU_TRY(GpuSend(team, device, GPU_COUNT, share->columns, batch->columns,
					sizeof(uint32_t) * (size_t) batch->nprefixes * batch->length, what));
	GPU_TRY(GpuSend(team, device, GPU_COUNT, share->loads, batch->loads + share->first_load,
					sizeof(MomentLoad) * nloads, what));
	GPU_TRY(GpuSend(team, device, GPU_COUNT, share->last, batch->last + share->first,
					sizeof(uint32_t) * share->n, what));
	GPU_TRY(GpuUse(device, what));
	GPU_TRY(GpuCheck(device, cudaMemsetAsync(share->counts, 0, sizeof(uint32_t) * share->n,
											 device->streams[GPU_COUNT]), what));
	return GpuCheck(device, cudaMemsetAsync(share->sums, 0, sizeof(double) * MOMENT_SUMS * share->n,
											device->streams[GPU_COUNT]), what);
}

/* Launches the next loads of a share: as many as take about GPU_LAUNCH_MS together. */
static cudaError_t
LaunchSome(ProbableJob *job, const UncertainSheet *sheet, const MomentBatch *batch, GpuDevice *device,
		   MomentShare *share)
{
	const char *what = "summing probabilities";
	double		rows = (double) sheet->nslabs * FIM_SLAB_BITS;
	double		wanted;
	double		amount = 0;
	uint32_t	from = share->next_load;
	GpuTimer   *timer;

	GPU_TRY(GpuThrottle(&job->team, device, what));
	wanted = GpuLaunchAmount(device, rows, LAUNCH_FIRST_AMOUNT);
	while (share->next_load < share->end_load && amount < wanted)
		amount += rows * batch->loads[share->next_load++].n;
	GPU_TRY(GpuBegin(device, GPU_COUNT, FIM_GPU_COUNT, amount, &timer));
	GPU_TRY(LaunchMoments(device, sheet, share, batch->length, from - share->first_load,
						  share->next_load - from));
	return GpuEnd(device, GPU_COUNT, timer);
}

/* Sums all loads over the sheet that is on the devices.  Launches take turns among the devices. */
static cudaError_t
SumSheet(ProbableJob *job, Transactions *t, const MomentBatch *batch, MomentShare *shares)
{
	bool		more = true;

	for (int d = 0; d < job->team.ndevices; d++)
		shares[d].next_load = shares[d].first_load;
	while (more)
	{
		more = false;
		for (int d = 0; d < job->team.ndevices; d++)
			if (shares[d].next_load < shares[d].end_load)
			{
				GPU_TRY(LaunchSome(job, &t->sheet[d], batch, job->team.devices[d], &shares[d]));
				more |= shares[d].next_load < shares[d].end_load;
			}
	}
	for (int d = 0; d < job->team.ndevices; d++)
		if (shares[d].n > 0)
		{
			GPU_TRY(GpuUse(job->team.devices[d], "summing probabilities"));
			GPU_TRY(AddMoments(job->team.devices[d], &shares[d]));
		}
	return cudaSuccess;
}

/* ---- batches ---- */

/* Divides the loads of a batch into a share for each device, with about the same number of candidates. */
static void
DivideBatch(const ProbableJob *job, const MomentBatch *batch, MomentShare *shares)
{
	uint32_t	load = 0;

	memset(shares, 0, sizeof(MomentShare) * (size_t) job->team.ndevices);
	for (int d = 0; d < job->team.ndevices; d++)
	{
		uint64_t	end = (uint64_t) batch->ncandidates * (uint64_t) (d + 1) / (uint64_t) job->team.ndevices;

		shares[d].first_load = load;
		shares[d].first = load < batch->nloads ? batch->loads[load].first : batch->ncandidates;
		while (load < batch->nloads && batch->loads[load].first < end)
			load++;
		shares[d].end_load = load;
		shares[d].n = (load < batch->nloads ? batch->loads[load].first : batch->ncandidates) -
			shares[d].first;
	}
}

static cudaError_t
ReceiveShare(ProbableJob *job, MomentBatch *batch, GpuDevice *device, const MomentShare *share)
{
	const char *what = "copying sums of probabilities";

	GPU_TRY(GpuReceive(&job->team, device, batch->counts + share->first, share->counts,
					   sizeof(uint32_t) * share->n, what));
	return GpuReceive(&job->team, device, batch->sums + (size_t) share->first * MOMENT_SUMS, share->sums,
					  sizeof(double) * MOMENT_SUMS * share->n, what);
}

cudaError_t
MomentsSum(ProbableJob *job, Transactions *t, MomentBatch *batch)
{
	MomentShare shares[FIM_GPU_MAX_DEVICES];

	job->team.candidates += batch->ncandidates;
	DivideBatch(job, batch, shares);
	for (int d = 0; d < job->team.ndevices; d++)
		if (shares[d].n > 0)
			GPU_TRY(TakeShare(job, batch, job->team.devices[d], &shares[d], t->sheet_slabs));
	for (uint32_t sheet = 0; sheet < t->nsheets; sheet++)
	{
		GPU_TRY(TransactionsLoad(job, t, sheet));
		GPU_TRY(SumSheet(job, t, batch, shares));
	}
	for (int d = 0; d < job->team.ndevices; d++)
		if (shares[d].n > 0)
		{
			GPU_TRY(ReceiveShare(job, batch, job->team.devices[d], &shares[d]));
			/* the first array of the share; the others are freed with it */
			GPU_TRY(GpuFree(job->team.devices[d], shares[d].columns));
		}
	return cudaSuccess;
}

/*
 * The error bound counts roundings.  A term has at most three when it is computed.  It then
 * goes through the additions within its lane (one for each word of a slab), over the lanes,
 * over a warp's slabs in a part, over the warps, over the parts within a lane of AddKernel(),
 * over that kernel's lanes, and over the sheets.  The rest is as described at
 * FimMomentsOf().
 */
FimMoments
MomentsOf(const ProbableJob *job, const Transactions *t, const MomentBatch *batch, uint32_t candidate)
{
	double		additions = LINE_WORDS + 5 + (double) t->sheet_slabs / MOMENT_WARPS + 1 + MOMENT_WARPS +
		MOST_PARTS / 32 + 5 + t->nsheets;
	double		products = job->data->by_entry ? batch->length : 0;
	const double *sums = batch->sums + (size_t) candidate * MOMENT_SUMS;
	FimMoments	moments;

	moments.n = batch->counts[candidate];
	moments.mean = sums[0];
	moments.variance = sums[1];
	moments.third = sums[2];
	moments.squares = sums[0] - sums[1];
	moments.error = 2.001 * (products * 1.01 + additions + 8) * UNIT_ROUNDOFF;
	return moments;
}
