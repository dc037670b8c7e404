/*-------------------------------------------------------------------------
 *
 * few.c
 *	  Batches of itemsets of few transactions, see few.h.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>
#include <string.h>

#include "copies.h"
#include "probable/few.h"
#include "probable/launch.h"

/* In the unit of launch.h: what a step of the dynamic programme, a transaction, costs a warp. */
#define STEP_COST		128.0

#define MOST_ITEMSETS	(1u << 18)	/* that a device has at a time */
#define ROOM_PART		2		/* shares take at most half of a device's free memory */

static uint64_t
ItemsetBytes(const ProbableJob *job, uint32_t length)
{
	return sizeof(double) * FIM_FEW_TRANSACTIONS * (job->data->by_entry ? 2 : 1) +
		sizeof(uint32_t) * (length + 1) + sizeof(FewTail);
}

/* A device's share: as many itemsets from "first" on as it has room for, but not more than "most". */
static FewShare
PlanShare(const ProbableJob *job, const GpuDevice *device, const FewBatch *batch, uint32_t first, uint32_t most)
{
	uint64_t	room = GpuRoom(device) / ROOM_PART / ItemsetBytes(job, batch->length);
	FewShare	share;

	memset(&share, 0, sizeof(share));
	share.first = first;
	share.n = (uint32_t) GpuLesser(GpuLesser(room, MOST_ITEMSETS), GpuLesser(most, batch->n - first));
	return share;
}

static cudaError_t
TakeShare(ProbableJob *job, const FewBatch *batch, GpuDevice *device, FewShare *share)
{
	const char *what = "allocating memory for distributions";
	ProbabilityLists *lists = &share->lists;
	size_t		list_bytes = sizeof(double) * FIM_FEW_TRANSACTIONS * share->n;
	size_t		column_bytes = sizeof(uint32_t) * (size_t) share->n * batch->length;
	uint32_t   *columns;
	const GpuArray arrays[] = {
		{(void **) &columns, column_bytes},
		{(void **) &lists->filled, sizeof(uint32_t) * share->n},
		{(void **) &lists->list, list_bytes},
		{(void **) &lists->rest, job->data->by_entry ? list_bytes : 0},
		{(void **) &share->tails, sizeof(FewTail) * share->n}
	};

	GPU_TRY(GpuAllocArrays(device, arrays, sizeof(arrays) / sizeof(arrays[0]), what));
	if (!job->data->by_entry)
		lists->rest = NULL;
	GPU_TRY(GpuSend(&job->team, device, GPU_COUNT, columns, batch->columns + (size_t) share->first * batch->length,
					column_bytes, what));
	lists->length = batch->length;
	lists->unit = FIM_FEW_TRANSACTIONS;
	lists->columns = columns;
	GPU_TRY(GpuUse(device, what));
	return GpuCheck(device, cudaMemsetAsync(lists->filled, 0, sizeof(uint32_t) * share->n,
											device->streams[GPU_COUNT]), what);
}

static cudaError_t
ComputeShare(ProbableJob *job, GpuDevice *device, const FewShare *share)
{
	double		cost = STEP_COST * FIM_FEW_TRANSACTIONS;
	uint32_t	some;
	GpuTimer   *timer;

	for (uint32_t done = 0; done < share->n; done += some)
	{
		GPU_TRY(BeginSome(job, device, cost, done, share->n, &some, &timer));
		GPU_TRY(LaunchFew(device, share, job->asked->minsup, done, some));
		GPU_TRY(GpuEnd(device, GPU_COUNT, timer));
	}
	return cudaSuccess;
}

/*
 * Computes as many itemsets of a batch from "first" on as all devices have room for.  *done becomes
 * their number, 0 if there is room for none.
 */
static cudaError_t
ComputeSome(ProbableJob *job, Transactions *t, const FewBatch *batch, uint32_t first, uint32_t *done)
{
	FewShare	shares[FIM_GPU_MAX_DEVICES];
	int			n = job->team.ndevices;
	uint32_t	most = GpuBlocks(batch->n - first, (uint32_t) n);

	*done = 0;
	for (int d = 0; d < n; d++)
	{
		shares[d] = PlanShare(job, job->team.devices[d], batch, first + *done, most);
		*done += shares[d].n;
		if (shares[d].n > 0)
			GPU_TRY(TakeShare(job, batch, job->team.devices[d], &shares[d]));
	}
	for (uint32_t block = 0; block < t->nblocks && *done > 0; block++)
	{
		GPU_TRY(TransactionsLoad(job, t, block));
		for (int d = 0; d < n; d++)
			if (shares[d].n > 0)
				GPU_TRY(ListsAppend(job, job->team.devices[d], &t->block[d], &shares[d].lists, shares[d].n));
	}
	for (int d = 0; d < n; d++)
		if (shares[d].n > 0)
			GPU_TRY(ComputeShare(job, job->team.devices[d], &shares[d]));
	for (int d = 0; d < n; d++)
		if (shares[d].n > 0)
		{
			GPU_TRY(GpuReceive(&job->team, job->team.devices[d], GPU_COUNT, batch->tails + shares[d].first,
							   shares[d].tails, sizeof(FewTail) * shares[d].n, "copying sums of distributions"));
			/* the first array of the share; the others are freed with it */
			GPU_TRY(GpuFree(job->team.devices[d], (void *) shares[d].lists.columns));
		}
	return cudaSuccess;
}

cudaError_t
FewCompute(ProbableJob *job, Transactions *t, const FewBatch *batch)
{
	uint32_t	done;

	for (uint32_t first = 0; first < batch->n; first += done)
	{
		GPU_TRY(ComputeSome(job, t, batch, first, &done));
		if (done == 0)
		{
			for (uint32_t i = first; i < batch->n; i++)
				batch->tails[i] = (FewTail) {NAN, NAN};
			done = batch->n - first;
		}
	}
	return cudaSuccess;
}

/* ---- errors ---- */

/*
 * A bound of the absolute error of the computed tail.  First suppose that the computed
 * probabilities are the true ones.  The relative error that two_doubles.h's functions add to
 * a number in each step is at most 4 units for 1 - p, 8 for a product and 4 for a sum, and
 * the same goes for each term that is added to the tail.  A probability that is a product is
 * off by at most 8 units for each factor but the first; the tail is linear and increasing in
 * it, so it is off by no more than that.  Each underflow loses less than 2^-1074, which the
 * steps that follow do not make greater.
 */
static double
ErrorOf(uint32_t length, FewTail tail)
{
	double		units = FIM_FEW_TRANSACTIONS * (16.0 + 12.0 + 8.0 * length);

	return 1.01 * units * 0x1p-106 * tail.high + (length + 100.0) * 0x1p-1050;
}

FimInterval
FewInterval(uint32_t length, FewTail tail)
{
	double		error = ErrorOf(length, tail);

	return ProbabilityWithin(tail.high + (tail.low - error), tail.high + (tail.low + error));
}

bool
FewNearest(uint32_t length, FewTail tail, double *nearest)
{
	double		error = ErrorOf(length, tail);

	*nearest = tail.high + (tail.low - error);
	return *nearest == tail.high + (tail.low + error);
}
