/*-------------------------------------------------------------------------
 *
 * tails.c
 *	  Batches of itemsets whose tails are computed, see probable.h.
 *
 * First the lists of probabilities are made that all tails are computed from.  Then come itemsets of
 * few transactions, by a dynamic programme, and then all others, by trees of convolutions.  Of
 * both, a batch is divided into shares, these are computed in launches, and at last the errors
 * are bounded.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "probable/probable.h"
#include "team.h"

/* ---- lists of probabilities ---- */

cudaError_t
ListsAppend(ProbableJob *job, GpuDevice *device, const UncertainSheet *sheet, const ProbabilityLists *lists,
			uint32_t n)
{
	double		cost = (double) sheet->nslabs * FIM_SLAB_BITS;
	uint32_t	some;
	GpuTimer   *timer;

	for (uint32_t done = 0; done < n; done += some)
	{
		GPU_TRY(BeginSome(job, device, cost, done, n, &some, &timer));
		GPU_TRY(LaunchLists(device, sheet, lists, done, some));
		GPU_TRY(GpuEnd(device, GPU_COUNT, timer));
	}
	return cudaSuccess;
}

/* ---- few transactions ---- */

/* In the unit of probable.h: what a step of the dynamic programme, a transaction, costs a warp. */
#define STEP_COST		128.0

#define MOST_FEW_ITEMSETS	(1u << 18)	/* that a device has at a time */
#define ROOM_PART		2		/* shares take at most half of a device's free memory */

static uint64_t
ItemsetBytes(const ProbableJob *job, uint32_t length)
{
	return sizeof(double) * FIM_FEW_TRANSACTIONS * (job->data->by_entry ? 2 : 1) +
		sizeof(uint32_t) * (length + 1) + sizeof(FewTail);
}

/* A device's share: as many itemsets from "first" on as it has room for, but not more than "most". */
static FewShare
PlanFewShare(const ProbableJob *job, const GpuDevice *device, const FewBatch *batch, uint32_t first, uint32_t most)
{
	uint64_t	room = GpuRoom(device) / ROOM_PART / ItemsetBytes(job, batch->length);
	FewShare	share;

	memset(&share, 0, sizeof(share));
	share.first = first;
	share.n = (uint32_t) GpuLesser(GpuLesser(room, MOST_FEW_ITEMSETS), GpuLesser(most, batch->n - first));
	return share;
}

static cudaError_t
TakeFewShare(ProbableJob *job, const FewBatch *batch, GpuDevice *device, FewShare *share)
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
	lists->grain = FIM_FEW_TRANSACTIONS;
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
		GPU_TRY(LaunchFew(device, share, job->spec->minsup, done, some));
		GPU_TRY(GpuEnd(device, GPU_COUNT, timer));
	}
	return cudaSuccess;
}

/*
 * Computes as many itemsets of a batch from "first" on as all devices have room for.  *done becomes
 * their number, 0 if there is room for none.
 */
static cudaError_t
ComputeFewSome(ProbableJob *job, Transactions *t, const FewBatch *batch, uint32_t first, uint32_t *done)
{
	FewShare	shares[FIM_GPU_MAX_DEVICES];
	int			n = job->team.ndevices;
	uint32_t	most = GpuBlocks(batch->n - first, (uint32_t) n);

	*done = 0;
	for (int d = 0; d < n; d++)
	{
		shares[d] = PlanFewShare(job, job->team.devices[d], batch, first + *done, most);
		*done += shares[d].n;
		if (shares[d].n > 0)
			GPU_TRY(TakeFewShare(job, batch, job->team.devices[d], &shares[d]));
	}
	for (uint32_t sheet = 0; sheet < t->nsheets && *done > 0; sheet++)
	{
		GPU_TRY(TransactionsLoad(job, t, sheet));
		for (int d = 0; d < n; d++)
			if (shares[d].n > 0)
				GPU_TRY(ListsAppend(job, job->team.devices[d], &t->sheet[d], &shares[d].lists, shares[d].n));
	}
	for (int d = 0; d < n; d++)
		if (shares[d].n > 0)
			GPU_TRY(ComputeShare(job, job->team.devices[d], &shares[d]));
	for (int d = 0; d < n; d++)
		if (shares[d].n > 0)
		{
			GPU_TRY(GpuReceive(&job->team, job->team.devices[d], batch->tails + shares[d].first,
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
		GPU_TRY(ComputeFewSome(job, t, batch, first, &done));
		if (done == 0)
		{
			for (uint32_t i = first; i < batch->n; i++)
				batch->tails[i] = (FewTail) {NAN, NAN};
			done = batch->n - first;
		}
	}
	return cudaSuccess;
}

/* ---- few transactions: errors ---- */

/*
 * A bound of the absolute error of the computed tail.  First suppose that the computed
 * probabilities are the true ones.  The relative error that probable_device.h's functions add to
 * a number in each step is at most 4 ulps for 1 - p, 8 for a product and 4 for a sum, and
 * the same goes for each term that is added to the tail.  A probability that is a product is
 * off by at most 8 ulps for each factor but the first; the tail is linear and increasing in
 * it, so it is off by no more than that.  Each underflow loses less than 2^-1074, which the
 * steps that follow do not make greater.
 */
static double
ErrorOf(uint32_t length, FewTail tail)
{
	double		ulps = FIM_FEW_TRANSACTIONS * (16.0 + 12.0 + 8.0 * length);

	return 1.01 * ulps * 0x1p-106 * tail.high + (length + 100.0) * 0x1p-1050;
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

/* ---- trees ---- */

/* In the unit of probable.h: what a transaction costs in its branch, and the product of two octets above. */
#define BRANCH_COST		64.0
#define OCTET_COST		8.0

/* Limits of a share, which keeps a device busy for long.  A single itemset may take more bytes. */
#define MOST_ITEMSETS	(1u << 20)
#define MOST_BYTES		(UINT64_C(4) << 30)

/* ---- trees: the sizes of nodes ---- */

/*
 * The most octets that the bulk of a node of m transactions has.  By Hoeffding's
 * inequality the probability of a support that is d off the mean does not exceed
 * exp(-2 d^2 / m), which is TAIL_DROPPED where d^2 is 26 m.
 */
static uint32_t
BulkOctets(uint64_t m)
{
	double		bulk = 2 * sqrt(26.2 * (double) m) + 3 * TAIL_OCTET;

	return (uint32_t) (fmin(bulk, (double) m + TAIL_OCTET) / TAIL_OCTET) + 1;
}

/* The transactions of a node "level" levels above the branches. */
static uint64_t
NodeTransactions(uint32_t level)
{
	return (uint64_t) TAIL_BRANCH << level;
}

/* The octets of a slot on a level: as many as a product has before its ends are dropped. */
static uint32_t
SlotOctets(uint32_t level)
{
	return level == 0 ? BulkOctets(TAIL_BRANCH) : 2 * BulkOctets(NodeTransactions(level - 1));
}

static uint32_t
BranchesOf(uint32_t count)
{
	return count / TAIL_BRANCH + (count % TAIL_BRANCH != 0);
}

/* How many nodes an itemset has on the level above one on which it has n; two or one are not merged. */
static uint32_t
NodesAbove(uint32_t n)
{
	return n <= 2 ? n : (n + 1) / 2;
}

/* The first level on which an itemset of nbranches branches has no more than two nodes. */
static uint32_t
LastLevel(uint32_t nbranches)
{
	uint32_t	level = 0;

	for (; nbranches > 2; nbranches = NodesAbove(nbranches))
		level++;
	return level;
}

/* ---- trees: shares ---- */

/* A device's share of a batch, its sizes, and how far the work on it has come. */
typedef struct TailPlan
{
	TailShare	share;
	uint32_t	last_level;		/* on which all itemsets have no more than two nodes */
	uint64_t	slots;			/* octets of all slots of a level, at most */
	uint32_t	nodes[TAIL_LEVELS + 1];	/* number of nodes on each level */
	uint32_t   *starts;			/* device: [last_level + 1][n + 1] where itemsets' nodes begin */
	uint32_t	level;			/* the level that is being merged */
	int			side;			/* share.nodes[side] has its nodes */
	uint32_t	done;			/* branches, or nodes of the level above, that have been launched */
} TailPlan;

/* The device memory that a share takes if its itemsets have "length" columns. */
static uint64_t
PlanBytes(const TailPlan *plan, uint32_t length)
{
	const TailShare *share = &plan->share;

	return sizeof(double) * (uint64_t) share->nbranches * TAIL_BRANCH +
		2 * sizeof(double) * TAIL_OCTET * plan->slots +
		(2 * sizeof(double) + 6 * sizeof(uint32_t)) * (uint64_t) share->nbranches +
		(sizeof(uint32_t) * (length + plan->last_level + 3) + sizeof(TailSums)) * ((uint64_t) share->n + 1) +
		(UINT64_C(16) << 10);
}

/* The plan with one more itemset, which has "count" transactions, no fewer than those before it. */
static TailPlan
AddToPlan(const TailPlan *plan, uint32_t count)
{
	TailPlan	larger = *plan;
	uint32_t	n = BranchesOf(count);

	larger.share.n++;
	larger.share.nbranches += n;
	larger.last_level = LastLevel(n);
	/* on a level above the former last one, these itemsets have as many nodes as on that one */
	for (uint32_t level = plan->last_level + 1; level <= larger.last_level; level++)
		larger.nodes[level] = larger.nodes[plan->last_level];
	larger.slots = 0;
	for (uint32_t level = 0; level <= larger.last_level; level++)
	{
		larger.nodes[level] += n;
		larger.slots = GpuGreater(larger.slots, (uint64_t) larger.nodes[level] * SlotOctets(level));
		n = NodesAbove(n);
	}
	return larger;
}

uint64_t
TailsLeast(const ProbableJob *job)
{
	TailPlan	none;
	TailPlan	plan;

	memset(&none, 0, sizeof(none));
	plan = AddToPlan(&none, job->data->nrows);
	return PlanBytes(&plan, job->data->max_row);
}

/* Fills in starts, in host memory: where each itemset's nodes begin, level by level. */
static void
FillStarts(const TailPlan *plan, const TailBatch *batch, uint32_t *starts)
{
	uint32_t	n = plan->share.n;

	for (uint32_t level = 0; level <= plan->last_level; level++)
	{
		const uint32_t *below = starts + (size_t) (level > 0 ? level - 1 : 0) * (n + 1);
		uint32_t   *start = starts + (size_t) level * (n + 1);
		uint32_t	sum = 0;

		for (uint32_t i = 0; i < n; i++)
		{
			start[i] = sum;
			sum += level == 0 ? BranchesOf(batch->counts[plan->share.first + i]) :
				NodesAbove(below[i + 1] - below[i]);
		}
		start[n] = sum;
	}
}

static cudaError_t
TakeArrays(const TailBatch *batch, GpuDevice *device, TailPlan *plan, uint32_t **columns)
{
	TailShare  *share = &plan->share;
	TailNodes  *nodes = share->nodes;
	size_t		slot_bytes = sizeof(double) * TAIL_OCTET * plan->slots;
	size_t		words = sizeof(uint32_t) * share->nbranches;
	const GpuArray arrays[] = {
		{(void **) columns, sizeof(uint32_t) * (size_t) share->n * batch->length},
		{(void **) &plan->starts, sizeof(uint32_t) * (size_t) (plan->last_level + 1) * (share->n + 1)},
		{(void **) &share->lists.filled, sizeof(uint32_t) * share->n},
		{(void **) &share->lists.list, sizeof(double) * (size_t) share->nbranches * TAIL_BRANCH},
		{(void **) &share->means, sizeof(double2) * share->nbranches},
		{(void **) &share->sums, sizeof(TailSums) * share->n},
		{(void **) &nodes[0].slots, slot_bytes}, {(void **) &nodes[1].slots, slot_bytes},
		{(void **) &nodes[0].offset, words}, {(void **) &nodes[1].offset, words},
		{(void **) &nodes[0].first, words}, {(void **) &nodes[1].first, words},
		{(void **) &nodes[0].end, words}, {(void **) &nodes[1].end, words}
	};

	return GpuAllocArrays(device, arrays, sizeof(arrays) / sizeof(arrays[0]),
						  "allocating memory for distributions");
}

static cudaError_t
TakeShare(ProbableJob *job, const TailBatch *batch, GpuDevice *device, TailPlan *plan)
{
	const char *what = "allocating memory for distributions";
	TailShare  *share = &plan->share;
	size_t		nstarts = (size_t) (plan->last_level + 1) * (share->n + 1);
	size_t		ncolumns = (size_t) share->n * batch->length;
	size_t		list_bytes = sizeof(double) * (size_t) share->nbranches * TAIL_BRANCH;
	uint32_t   *starts;
	uint32_t   *columns;

	GPU_TRY(TakeArrays(batch, device, plan, &columns));
	GPU_TRY(HostTake(job, sizeof(uint32_t) * nstarts, (void **) &starts));
	FillStarts(plan, batch, starts);
	GPU_TRY(GpuSend(&job->team, device, GPU_COUNT, plan->starts, starts, sizeof(uint32_t) * nstarts, what));
	GpuHostFree(&job->team, starts);
	GPU_TRY(GpuSend(&job->team, device, GPU_COUNT, columns,
					batch->columns + (size_t) share->first * batch->length, sizeof(uint32_t) * ncolumns,
					what));
	share->start = share->above = plan->starts;
	share->lists.length = batch->length;
	share->lists.grain = TAIL_BRANCH;
	share->lists.start = plan->starts;
	share->lists.columns = columns;
	GPU_TRY(GpuUse(device, what));
	GPU_TRY(GpuCheck(device, cudaMemsetAsync(share->lists.filled, 0, sizeof(uint32_t) * share->n,
											 device->streams[GPU_COUNT]), what));
	return GpuCheck(device, cudaMemsetAsync(share->lists.list, 0, list_bytes, device->streams[GPU_COUNT]), what);
}

/* ---- trees: launches ---- */

/* Launches the next branches of a share. */
static cudaError_t
MakeBranches(ProbableJob *job, GpuDevice *device, TailPlan *plan)
{
	uint32_t	some;
	GpuTimer   *timer;

	GPU_TRY(BeginSome(job, device, BRANCH_COST * TAIL_BRANCH, plan->done, plan->share.nbranches, &some,
					  &timer));
	GPU_TRY(LaunchBranches(device, &plan->share, plan->done, some));
	plan->done += some;
	return GpuEnd(device, GPU_COUNT, timer);
}

/* Prepares the merging of the nodes of a level. */
static cudaError_t
BeginLevel(GpuDevice *device, TailPlan *plan, uint32_t level)
{
	const char *what = "convolving distributions";
	TailShare  *share = &plan->share;
	TailNodes  *above = &share->nodes[!plan->side];
	size_t		bytes = sizeof(uint32_t) * plan->nodes[level + 1];

	plan->level = level;
	plan->done = 0;
	above->slot_octets = SlotOctets(level + 1);
	share->start = plan->starts + (size_t) level * (share->n + 1);
	share->above = share->start + share->n + 1;
	GPU_TRY(GpuUse(device, what));
	GPU_TRY(GpuCheck(device, cudaMemsetAsync(above->first, 0xff, bytes, device->streams[GPU_COUNT]), what));
	return GpuCheck(device, cudaMemsetAsync(above->end, 0, bytes, device->streams[GPU_COUNT]), what);
}

/* Launches the next merges of the level. */
static cudaError_t
MergeNodes(ProbableJob *job, GpuDevice *device, TailPlan *plan)
{
	TailShare  *share = &plan->share;
	double		octets = BulkOctets(NodeTransactions(plan->level));
	uint32_t	some;
	GpuTimer   *timer;

	GPU_TRY(BeginSome(job, device, OCTET_COST * octets * octets, plan->done, plan->nodes[plan->level + 1],
					  &some, &timer));
	GPU_TRY(LaunchMerges(device, share, &share->nodes[plan->side], &share->nodes[!plan->side], plan->done,
						 some));
	plan->done += some;
	return GpuEnd(device, GPU_COUNT, timer);
}

/* Computes all branches.  Launches take turns among the devices. */
static cudaError_t
MakeAllBranches(ProbableJob *job, TailPlan *plans)
{
	bool		more = true;

	for (int d = 0; d < job->team.ndevices; d++)
	{
		plans[d].share.nodes[0].slot_octets = SlotOctets(0);
		plans[d].done = 0;
		plans[d].side = 0;
	}
	while (more)
	{
		more = false;
		for (int d = 0; d < job->team.ndevices; d++)
			if (plans[d].done < plans[d].share.nbranches)
			{
				GPU_TRY(MakeBranches(job, job->team.devices[d], &plans[d]));
				more |= plans[d].done < plans[d].share.nbranches;
			}
	}
	return cudaSuccess;
}

/* Merges the nodes of a level, on all devices that have it.  Launches take turns among the devices. */
static cudaError_t
MergeLevel(ProbableJob *job, TailPlan *plans, uint32_t level)
{
	bool		more = true;

	for (int d = 0; d < job->team.ndevices; d++)
		if (level < plans[d].last_level)
			GPU_TRY(BeginLevel(job->team.devices[d], &plans[d], level));
	while (more)
	{
		more = false;
		for (int d = 0; d < job->team.ndevices; d++)
			if (level < plans[d].last_level && plans[d].done < plans[d].nodes[level + 1])
			{
				GPU_TRY(MergeNodes(job, job->team.devices[d], &plans[d]));
				more |= plans[d].done < plans[d].nodes[level + 1];
			}
	}
	for (int d = 0; d < job->team.ndevices; d++)
		if (level < plans[d].last_level)
			plans[d].side = !plans[d].side;
	return cudaSuccess;
}

static cudaError_t
SumShare(const ProbableJob *job, GpuDevice *device, TailPlan *plan)
{
	TailShare  *share = &plan->share;
	TailNodes  *nodes = &share->nodes[plan->side];
	TailNodes  *scratch = &share->nodes[!plan->side];

	share->start = plan->starts;
	share->above = plan->starts + (size_t) plan->last_level * (share->n + 1);
	scratch->slot_octets = nodes->slot_octets;
	GPU_TRY(GpuUse(device, "summing distributions"));
	return LaunchRoots(device, share, nodes, scratch, job->spec->minsup);
}

/* Computes the sums of all shares from their lists. */
static cudaError_t
Convolve(ProbableJob *job, TailPlan *plans)
{
	uint32_t	levels = 0;

	GPU_TRY(MakeAllBranches(job, plans));
	for (int d = 0; d < job->team.ndevices; d++)
		levels = (uint32_t) GpuGreater(levels, plans[d].last_level);
	for (uint32_t level = 0; level < levels; level++)
		GPU_TRY(MergeLevel(job, plans, level));
	for (int d = 0; d < job->team.ndevices; d++)
		if (plans[d].share.n > 0)
			GPU_TRY(SumShare(job, job->team.devices[d], &plans[d]));
	return cudaSuccess;
}

/* ---- trees: batches ---- */

/*
 * The share of a device: as many itemsets from "first" on as it has room for, and not
 * more than "most" of the batch's branches.
 */
static TailPlan
PlanShare(const TailBatch *batch, uint32_t first, uint64_t room, uint64_t most)
{
	TailPlan	plan;

	memset(&plan, 0, sizeof(plan));
	plan.share.first = first;
	while (first + plan.share.n < batch->n && plan.share.n < MOST_ITEMSETS && plan.share.nbranches < most)
	{
		TailPlan	larger = AddToPlan(&plan, batch->counts[first + plan.share.n]);

		if (PlanBytes(&larger, batch->length) > (plan.share.n > 0 ? GpuLesser(room, MOST_BYTES) : room) ||
			larger.share.nbranches > INT32_MAX)
			break;
		plan = larger;
	}
	return plan;
}

/*
 * Computes as many itemsets of a batch from "first" on as all devices have room for; these itemsets
 * and the rest of the batch have "branches" branches.  *done becomes their number, 0 if there is room
 * for none.
 */
static cudaError_t
ComputeSome(ProbableJob *job, Transactions *t, const TailBatch *batch, uint32_t first, uint64_t branches,
			uint32_t *done)
{
	TailPlan	plans[FIM_GPU_MAX_DEVICES];
	int			n = job->team.ndevices;

	*done = 0;
	for (int d = 0; d < n; d++)
	{
		plans[d] = PlanShare(batch, first + *done, GpuRoom(job->team.devices[d]),
							 (branches + (uint64_t) n - 1) / (uint64_t) n);
		*done += plans[d].share.n;
		if (plans[d].share.n > 0)
			GPU_TRY(TakeShare(job, batch, job->team.devices[d], &plans[d]));
	}
	for (uint32_t sheet = 0; sheet < t->nsheets && *done > 0; sheet++)
	{
		GPU_TRY(TransactionsLoad(job, t, sheet));
		for (int d = 0; d < n; d++)
			if (plans[d].share.n > 0)
				GPU_TRY(ListsAppend(job, job->team.devices[d], &t->sheet[d], &plans[d].share.lists,
									plans[d].share.n));
	}
	GPU_TRY(Convolve(job, plans));
	for (int d = 0; d < n; d++)
		if (plans[d].share.n > 0)
		{
			GPU_TRY(GpuReceive(&job->team, job->team.devices[d], batch->sums + plans[d].share.first,
							   plans[d].share.sums, sizeof(TailSums) * plans[d].share.n,
							   "copying sums of distributions"));
			/* the first array of the share; the others are freed with it */
			GPU_TRY(GpuFree(job->team.devices[d], (void *) plans[d].share.lists.columns));
		}
	return cudaSuccess;
}

cudaError_t
TailsCompute(ProbableJob *job, Transactions *t, const TailBatch *batch)
{
	uint32_t	done;
	uint64_t	branches = 0;

	for (uint32_t i = 0; i < batch->n; i++)
		branches += BranchesOf(batch->counts[i]);
	for (uint32_t first = 0; first < batch->n; first += done)
	{
		GPU_TRY(ComputeSome(job, t, batch, first, branches, &done));
		for (uint32_t i = first; i < first + done; i++)
			branches -= BranchesOf(batch->counts[i]);
		/* the devices have no room for the other itemsets; NaN tells the host to settle them */
		if (done == 0)
		{
			for (uint32_t i = first; i < batch->n; i++)
				batch->sums[i] = (TailSums) {NAN, NAN, NAN, NAN};
			done = batch->n - first;
		}
	}
	return cudaSuccess;
}

/* ---- trees: errors ---- */

/*
 * Bounds of the relative rounding error of a coefficient when two nodes of m transactions
 * are merged, in units of UNIT_ROUNDOFF.  Within branches, the terms of an octet are added
 * up, then the sums of octets.  Above, terms, sums and subtotals are, as TAIL_SUBTOTAL says.
 */
static double
BranchLevelError(uint64_t m)
{
	return TAIL_OCTET + BulkOctets(m);
}

static double
LevelError(uint64_t m)
{
	return TAIL_TERMS + TAIL_SUMS + (double) BulkOctets(m) * TAIL_OCTET / TAIL_SUBTOTAL + 3;
}

/*
 * By what to multiply the error of a level's coefficients to bound its effect on the corrected tail.
 * The level has "nodes" nodes; "variance" is that of the support.
 */
static double
Weight(double nodes, double variance)
{
	return fmin(9.42, 4.71 + 1.571 * nodes / fmax(variance, 1e-300));
}

/*
 * The sum of the errors of all levels, multiplied by their weights, and the sum over all nodes, in units
 * of UNIT_ROUNDOFF.  The first bounds the absolute error of the corrected tail, the second the relative
 * error of the tail before the correction.
 */
static void
TreeErrors(uint64_t n, double variance, double *weighed, double *added)
{
	double		all = (double) n;
	uint64_t	m;

	*weighed = 3 * TAIL_LEAF * Weight(all / TAIL_LEAF + TAIL_THREADS, variance);
	*added = 3 * all;
	for (m = TAIL_LEAF; m < TAIL_BRANCH || m < n; m *= 2)
	{
		double		error = m < TAIL_BRANCH ? BranchLevelError(m) : LevelError(m);
		double		nodes = all / (2 * (double) m) + TAIL_THREADS;

		*weighed += error * Weight(nodes, variance);
		*added += error * nodes;
	}
}

/*
 * The numbers used here are proven in doc/probable_gpu.md, "What may still be wrong": those
 * of Weight(), 4500 for coefficients that were dropped, and 0.627 for the greatest value of
 * a distribution.
 */
FimInterval
TailInterval(const ProbableJob *job, uint32_t length, const FimMoments *moments, const TailSums *sums)
{
	double		n = (double) moments->n;
	double		variance = moments->variance - moments->error * moments->mean;
	double		peak = variance > 0.4 ? 0.627 / sqrt(variance) : 1;
	double		corrected = sums->tail - sums->tail * sums->mass - sums->point * sums->mean;
	double		product = job->data->by_entry ? 1.01 * length * UNIT_ROUNDOFF : 0;
	double		weighed;
	double		added;
	double		error;
	double		products;
	double		relative;
	FimInterval result;

	TreeErrors(moments->n, variance, &weighed, &added);
	products = 1.01 * product * job->spec->minsup * (sums->point + 1.01 * product * moments->mean) +
		n * length * 0x1p-1074;
	error = 1.01 * ((weighed + 16) * UNIT_ROUNDOFF + n * TAIL_DROPPED * (40 + 4500 * peak)) + products;
	relative = 1.01 * (added + 16) * UNIT_ROUNDOFF;
	result.low = fmax(corrected - error, sums->tail * (1 - relative) - products);
	result.high = fmin(corrected + error,
					   sums->tail * (1 + relative) + n * TAIL_DROPPED * 41 + products);
	result.low = result.low > 0 ? result.low : 0;
	result.high = result.high < 1 ? result.high : 1;
	return result;
}
