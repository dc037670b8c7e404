/*-------------------------------------------------------------------------
 *
 * papriori.c
 *	  GPU pApriori, see papriori.h.
 *
 * Like the system that it is named after, it uses one device, which has all of the data.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ancestors/papriori/papriori.h"
#include "probable/probable.h"
#include "team.h"

/*
 * The convolution tree of GPU pApriori: tails by fast Fourier transform.
 */

#define ROUNDOFF		0x1p-53

/*
 * Most places of all trees together, if there is more than one: a step over them takes a device a few
 * milliseconds.
 */
#define MOST_PLACES		(UINT64_C(1) << 26)

/*
 * Bytes for each place: 1 double in the list, 4 in rows, 2 in spectra, 1 in products, and 4 for cuFFT,
 * tops and ends.
 */
#define PLACE_BYTES		(12 * sizeof(double))

/* In the unit of moments.c: what a place costs in the levels in shared memory, and in each step above. */
#define BASE_COST		32.0
#define STEP_COST		16.0

/* The number of levels above those in shared memory. */
static uint32_t
LevelsOf(uint64_t places)
{
	uint32_t	levels = 0;

	while ((uint64_t) TREE_BASE << levels < places)
		levels++;
	return levels;
}

/* Gives back the memory and the plans; *tree is empty then. */
static cudaError_t
TreeClose(GpuDevice *device, Tree *tree)
{
	void	   *all[] = {tree->lists, tree->rows[0], tree->rows[1], tree->tops[0], tree->tops[1], tree->spectra,
	tree->products, tree->tails, tree->work};

	for (int level = 0; level < TREE_LEVELS; level++)
		for (int direction = 0; direction < 2; direction++)
			FftPlanFree(&tree->plans[level][direction]);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		GPU_TRY(GpuFree(device, all[i]));
	memset(tree, 0, sizeof(*tree));
	return cudaSuccess;
}

/* The device memory that one tree takes. */
static uint64_t
TreeLeast(uint64_t places)
{
	return places * PLACE_BYTES + (UINT64_C(1) << 16);
}

/* Takes memory for as many trees as fit, n at most; tree->room becomes their number.  Closes *tree before. */
static cudaError_t
TreeOpen(ProbableJob *job, GpuDevice *device, Tree *tree, uint64_t places, uint32_t n)
{
	const char *what = "allocating memory for distributions";
	uint64_t	room = GpuRoom(device) / TreeLeast(places);
	uint64_t	most = GpuGreater(MOST_PLACES / places, 1);
	uint64_t	all;

	(void) job;
	GPU_TRY(TreeClose(device, tree));
	if (room == 0)
		return GpuOutOfMemory(device, places * PLACE_BYTES, what);
	tree->places = places;
	tree->room = (uint32_t) GpuLesser(GpuLesser(room, most), n);
	all = (uint64_t) tree->room * places;
	GPU_TRY(GpuAlloc(device, sizeof(double) * all, what, (void **) &tree->lists));
	for (int side = 0; side < 2; side++)
	{
		GPU_TRY(GpuAlloc(device, sizeof(double) * 2 * all, what, (void **) &tree->rows[side]));
		GPU_TRY(GpuAlloc(device, sizeof(double) * (all / TREE_BASE), what, (void **) &tree->tops[side]));
	}
	/* rows of m transactions have m + 1 spectral coefficients */
	GPU_TRY(GpuAlloc(device, sizeof(double2) * (all + all / TREE_BASE), what, (void **) &tree->spectra));
	GPU_TRY(GpuAlloc(device, sizeof(double2) * (all / 2 + all / TREE_BASE), what, (void **) &tree->products));
	return GpuAlloc(device, sizeof(double) * tree->room, what, (void **) &tree->tails);
}

/* Sets the lists of the first n trees to 0. */
static cudaError_t
TreeClear(GpuDevice *device, const Tree *tree, uint32_t n)
{
	const char *what = "decoding bit strings";

	GPU_TRY(GpuUse(device, what));
	return GpuCheck(device, cudaMemsetAsync(tree->lists, 0, sizeof(double) * n * tree->places,
											device->streams[GPU_COUNT]), what);
}

/*
 * Makes the plans of a level on which there are "nodes" nodes of m transactions, and takes memory to
 * run them.
 */
static cudaError_t
PlanLevel(GpuDevice *device, Tree *tree, uint32_t level, uint64_t nodes, uint64_t m)
{
	FftPlan    *plans = tree->plans[level];
	size_t		needed;

	GPU_TRY(FftPlanMake(device, &plans[FFT_FORWARD], FFT_FORWARD, 2 * m, nodes));
	GPU_TRY(FftPlanMake(device, &plans[FFT_INVERSE], FFT_INVERSE, 2 * m, nodes / 2));
	needed = GpuGreater(plans[FFT_FORWARD].work_bytes, plans[FFT_INVERSE].work_bytes);
	if (needed <= tree->work_bytes)
		return cudaSuccess;
	GPU_TRY(GpuCheck(device, cudaStreamSynchronize(device->streams[GPU_COUNT]), "planning transforms"));
	GPU_TRY(GpuFree(device, tree->work));
	tree->work = NULL;
	GPU_TRY(GpuAlloc(device, needed, "allocating memory for transforms", &tree->work));
	tree->work_bytes = needed;
	return cudaSuccess;
}

static cudaError_t
BeginStep(ProbableJob *job, GpuDevice *device, double cost, GpuTimer **timer)
{
	GPU_TRY(GpuThrottle(&job->team, device, "convolving distributions"));
	return GpuBegin(device, GPU_COUNT, FIM_GPU_COUNT, cost, timer);
}

/*
 * Merges the nodes of a level two by two, for n trees, from rows[side] and tops[side] to rows[!side]
 * and tops[!side].
 */
static cudaError_t
MergeLevel(ProbableJob *job, GpuDevice *device, Tree *tree, uint32_t level, uint32_t n, int side)
{
	uint64_t	m = (uint64_t) TREE_BASE << level;
	uint64_t	nodes = (uint64_t) n * (tree->places / m);
	double		cost = STEP_COST * (double) n * (double) tree->places;
	FftPlan    *plans = tree->plans[level];
	GpuTimer   *timer;

	GPU_TRY(PlanLevel(device, tree, level, nodes, m));
	GPU_TRY(BeginStep(job, device, cost, &timer));
	GPU_TRY(FftPlanRun(device, &plans[FFT_FORWARD], tree->rows[side], tree->spectra, tree->work));
	GPU_TRY(GpuEnd(device, GPU_COUNT, timer));
	GPU_TRY(BeginStep(job, device, cost, &timer));
	GPU_TRY(MultiplySpectra(device, tree->spectra, nodes / 2, m, tree->products));
	GPU_TRY(FftPlanRun(device, &plans[FFT_INVERSE], tree->products, tree->lists, tree->work));
	GPU_TRY(UnpackNodes(device, tree->lists, tree->rows[side], tree->tops[side], nodes / 2, m,
						tree->rows[!side], tree->tops[!side]));
	return GpuEnd(device, GPU_COUNT, timer);
}

/*
 * Computes the tails of the first n trees from their lists, which are overwritten, and copies them to
 * the host.
 */
static cudaError_t
TreeCompute(ProbableJob *job, GpuDevice *device, Tree *tree, uint32_t n, double *tails)
{
	uint64_t	nbases = (uint64_t) n * (tree->places / TREE_BASE);
	int			side = 0;
	GpuTimer   *timer;

	GPU_TRY(BeginStep(job, device, BASE_COST * (double) n * (double) tree->places, &timer));
	GPU_TRY(ConvolveBase(device, tree->lists, nbases, tree->rows[0], tree->tops[0]));
	GPU_TRY(GpuEnd(device, GPU_COUNT, timer));
	for (uint32_t level = 0; level < LevelsOf(tree->places); level++, side = !side)
		GPU_TRY(MergeLevel(job, device, tree, level, n, side));
	GPU_TRY(SumRoots(device, tree->rows[side], tree->tops[side], n, tree->places, job->spec->minsup,
					 tree->tails));
	return GpuReceive(&job->team, device, tails, tree->tails, sizeof(double) * n, "copying sums of distributions");
}

/*
 * A bound of the absolute error of a tail.
 *
 * A transform of 2m numbers has an error of up to 8 log2(2m) roundings, relative to the
 * norm (Higham, Accuracy and Stability of Numerical Algorithms, theorem 24.2), and a
 * product takes three transforms.  The error of a node's tail is up to sqrt(2m) times
 * that, and the errors of all nodes add up.
 */
static double
TreeError(uint64_t places)
{
	double		error = 4.0 * (double) places;

	for (uint64_t m = TREE_BASE; m < places; m *= 2)
		error += (double) (places / (2 * m)) * sqrt(2.0 * (double) m) * 25 * log2(2.0 * (double) m);
	return (error + (double) places) * ROUNDOFF;
}

#define MOST_CANDIDATES	65535	/* of a batch; a grid can have that many blocks in one direction */
#define LEAST_CANDIDATES 32		/* of a batch that the least memory has room for */
#define BITS_PART		4		/* a batch takes at most a quarter of the free memory */
#define STORE_PART		4		/* the bit strings of a level's members do, too */

/* Bit strings of a level's members. */
typedef struct BitStore
{
	uint32_t   *bits;			/* [room][words of a row], or NULL */
	uint64_t	room;
	uint64_t	n;				/* the first n members have their bit strings here */
	bool		complete;		/* these are all members of the level */
} BitStore;

typedef struct Papriori
{
	GpuDevice  *device;
	Decoding	decoding;
	size_t		row_bytes;		/* of a bit string */
	BitStore	level;			/* the members that are extended ... */
	BitStore	next;			/* ... and the members of the next level found so far */

	/* device memory for a batch of up to "room" candidates of "length" columns */
	uint32_t	room;
	uint32_t	length;
	uint32_t   *bits;			/* [room][words of a row] */
	uint32_t   *columns;		/* [room][length] */
	uint32_t   *member;			/* [room] as in ProbableBatch, as is partner */
	uint32_t   *partner;
	uint32_t   *counts;			/* [room] as in MomentBatch, as are sums */
	double	   *sums;
	uint32_t   *survivors;		/* [room] candidates that pruning leaves */
	uint32_t   *which;			/* [room] candidates whose tails are computed, or bit strings kept */
	uint32_t   *filled;			/* [room] as in ProbabilityLists */
	uint32_t   *nsurvivors;
	void	   *scratch;
	size_t		scratch_bytes;
	Tree		tree;
} Papriori;

/* ---- memory ---- */

static cudaError_t
FreeBatch(Papriori *of)
{
	void	   *all[] = {of->bits, of->columns, of->member, of->partner, of->counts, of->sums, of->survivors,
	of->which, of->filled, of->nsurvivors, of->scratch};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		GPU_TRY(GpuFree(of->device, all[i]));
	of->bits = of->columns = of->member = of->partner = of->counts = of->survivors = of->which = NULL;
	of->filled = of->nsurvivors = NULL;
	of->sums = NULL;
	of->scratch = NULL;
	of->room = 0;
	return cudaSuccess;
}

/*
 * Takes memory for a batch of n candidates of "length" columns, unless it is there.  Frees the tree,
 * which has the rest.
 */
static cudaError_t
TakeBatch(Papriori *of, uint32_t n, uint32_t length)
{
	const char *what = "allocating memory for candidates";
	uint32_t  **arrays[] = {&of->member, &of->partner, &of->counts, &of->survivors, &of->which, &of->filled};

	if (n <= of->room && length == of->length)
		return cudaSuccess;
	GPU_TRY(TreeClose(of->device, &of->tree));
	GPU_TRY(FreeBatch(of));
	for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
		GPU_TRY(GpuAlloc(of->device, sizeof(uint32_t) * n, what, (void **) arrays[i]));
	GPU_TRY(GpuAlloc(of->device, of->row_bytes * n, what, (void **) &of->bits));
	GPU_TRY(GpuAlloc(of->device, sizeof(uint32_t) * n * length, what, (void **) &of->columns));
	GPU_TRY(GpuAlloc(of->device, sizeof(double) * MOMENT_SUMS * n, what, (void **) &of->sums));
	GPU_TRY(GpuAlloc(of->device, sizeof(uint32_t), what, (void **) &of->nsurvivors));
	GPU_TRY(GpuCheck(of->device, PruningScratch(n, &of->scratch_bytes), what));
	GPU_TRY(GpuAlloc(of->device, of->scratch_bytes + 1, what, &of->scratch));
	of->room = n;
	of->length = length;
	return cudaSuccess;
}

static cudaError_t
FreeStore(Papriori *of, BitStore *store)
{
	GPU_TRY(GpuFree(of->device, store->bits));
	memset(store, 0, sizeof(*store));
	return cudaSuccess;
}

static uint32_t
Room(const ProbableJob *job, const Transactions *t, void *state, uint32_t length)
{
	const Papriori *of = state;
	uint64_t	each = of->row_bytes + sizeof(uint32_t) * (length + 8) + sizeof(double) * MOMENT_SUMS;

	(void) job;
	(void) t;
	return (uint32_t) GpuLesser(GpuRoom(of->device) / BITS_PART / each, MOST_CANDIDATES);
}

/* ---- inclusion and reduction ---- */

static cudaError_t
Send(ProbableJob *job, const Papriori *of, void *to, const void *from, size_t bytes)
{
	return GpuSend(&job->team, of->device, GPU_COUNT, to, from, bytes, "copying candidates");
}

static cudaError_t
Receive(ProbableJob *job, const Papriori *of, void *to, const void *from, size_t bytes)
{
	return GpuReceive(&job->team, of->device, to, from, bytes, "copying candidates");
}

/* Sends all columns of each candidate to the device. */
static cudaError_t
SendColumns(ProbableJob *job, const Papriori *of, const MomentBatch *batch)
{
	uint32_t	length = batch->length + 1;
	uint32_t   *columns;

	GPU_TRY(HostTake(job, sizeof(uint32_t) * (size_t) batch->ncandidates * length, (void **) &columns));
	for (uint32_t i = 0; i < batch->nloads; i++)
		for (uint32_t c = batch->loads[i].first; c < batch->loads[i].first + batch->loads[i].n; c++)
		{
			memcpy(columns + (size_t) c * length, batch->columns + (size_t) batch->loads[i].prefix * batch->length,
				   sizeof(uint32_t) * batch->length);
			columns[(size_t) c * length + batch->length] = batch->last[c];
		}
	GPU_TRY(Send(job, of, of->columns, columns, sizeof(uint32_t) * (size_t) batch->ncandidates * length));
	GpuHostFree(&job->team, columns);
	return cudaSuccess;
}

/*
 * Makes the bit string of each candidate: from those of the two members that it joins, if the store
 * has them.
 */
static cudaError_t
Include(ProbableJob *job, Transactions *t, Papriori *of, const ProbableBatch *batch)
{
	uint32_t	n = batch->moments.ncandidates;

	if (!of->level.complete)
		return IncludeColumns(of->device, &t->sheet[0], of->columns, batch->moments.length + 1, n, of->bits);
	GPU_TRY(Send(job, of, of->member, batch->member, sizeof(uint32_t) * n));
	GPU_TRY(Send(job, of, of->partner, batch->partner, sizeof(uint32_t) * n));
	return IncludeMembers(of->device, &t->sheet[0], of->level.bits, of->member, of->partner, n, of->bits);
}

/* Counts and sums all candidates of a batch, under tuple uncertainty from their bit strings. */
static cudaError_t
Reduce(ProbableJob *job, Transactions *t, Papriori *of, ProbableBatch *batch)
{
	MomentBatch *moments = &batch->moments;
	uint32_t	n = moments->ncandidates;
	GpuTimer   *timer;

	GPU_TRY(TakeBatch(of, n, moments->length + 1));
	GPU_TRY(SendColumns(job, of, moments));
	if (job->data->by_entry)
	{
		GPU_TRY(MomentsSum(job, t, moments));
		GPU_TRY(Send(job, of, of->counts, moments->counts, sizeof(uint32_t) * n));
		return Send(job, of, of->sums, moments->sums, sizeof(double) * MOMENT_SUMS * n);
	}
	job->team.candidates += n;
	GPU_TRY(GpuThrottle(&job->team, of->device, "reducing candidates"));
	GPU_TRY(GpuBegin(of->device, GPU_COUNT, FIM_GPU_COUNT, (double) n * (double) of->row_bytes * 8, &timer));
	GPU_TRY(Include(job, t, of, batch));
	GPU_TRY(ReduceCandidates(of->device, &t->sheet[0], of->bits, n, of->decoding, of->counts, of->sums));
	GPU_TRY(GpuEnd(of->device, GPU_COUNT, timer));
	GPU_TRY(Receive(job, of, moments->counts, of->counts, sizeof(uint32_t) * n));
	return Receive(job, of, moments->sums, of->sums, sizeof(double) * MOMENT_SUMS * n);
}

/* ---- tails ---- */

/* A candidate that has not been pruned. */
typedef struct Survivor
{
	uint32_t	candidate;
	uint32_t	count;			/* transactions */
	double		tail;			/* computed by its tree */
} Survivor;

static int
CompareCounts(const void *a, const void *b)
{
	const Survivor *x = a;
	const Survivor *y = b;

	return x->count != y->count ? (x->count > y->count) - (x->count < y->count) :
		(x->candidate > y->candidate) - (x->candidate < y->candidate);
}

static int
CompareCandidates(const void *a, const void *b)
{
	const Survivor *x = a;
	const Survivor *y = b;

	return (x->candidate > y->candidate) - (x->candidate < y->candidate);
}

/* The places of the tree of a candidate that has "count" transactions. */
static uint64_t
PlacesFor(uint32_t count)
{
	uint64_t	places = TREE_BASE;

	while (places < count)
		places *= 2;
	return places;
}

/* Prunes the batch, and lists the n survivors in ascending order of their counts. */
static cudaError_t
Prune(ProbableJob *job, Papriori *of, const MomentBatch *batch, Survivor **survivors, uint32_t *n)
{
	Pruning		pruning = {batch->ncandidates, of->counts, of->sums, job->spec->minsup,
	job->spec->minprob, of->survivors, of->nsurvivors, of->scratch, of->scratch_bytes};
	uint32_t   *numbers;

	GPU_TRY(PruneCandidates(of->device, &pruning));
	GPU_TRY(Receive(job, of, n, of->nsurvivors, sizeof(uint32_t)));
	GPU_TRY(HostTake(job, sizeof(uint32_t) * *n, (void **) &numbers));
	GPU_TRY(HostTake(job, sizeof(Survivor) * *n, (void **) survivors));
	GPU_TRY(Receive(job, of, numbers, of->survivors, sizeof(uint32_t) * *n));
	for (uint32_t i = 0; i < *n; i++)
		(*survivors)[i] = (Survivor) {numbers[i], batch->counts[numbers[i]], 0};
	qsort(*survivors, *n, sizeof(Survivor), CompareCounts);
	GpuHostFree(&job->team, numbers);
	return cudaSuccess;
}

/*
 * Writes the lists of n candidates under attribute uncertainty, where bit strings do not say what to
 * multiply.
 */
static cudaError_t
ListProducts(ProbableJob *job, Transactions *t, Papriori *of, const uint32_t *which, uint32_t n)
{
	const char *what = "listing probabilities";
	uint32_t   *columns;
	ProbabilityLists lists = {of->length, (uint32_t) of->tree.places, NULL, NULL, of->filled,
	of->tree.lists, NULL};

	/* lists want the columns of these n candidates, one after the other */
	GPU_TRY(GpuAlloc(of->device, sizeof(uint32_t) * (size_t) n * of->length, what, (void **) &columns));
	for (uint32_t i = 0; i < n; i++)
		GPU_TRY(GpuCheck(of->device,
						 cudaMemcpyAsync(columns + (size_t) i * of->length,
										 of->columns + (size_t) which[i] * of->length,
										 sizeof(uint32_t) * of->length, cudaMemcpyDeviceToDevice,
										 of->device->streams[GPU_COUNT]), what));
	GPU_TRY(GpuCheck(of->device, cudaMemsetAsync(of->filled, 0, sizeof(uint32_t) * n,
												 of->device->streams[GPU_COUNT]), what));
	lists.columns = columns;
	GPU_TRY(ListsAppend(job, of->device, &t->sheet[0], &lists, n));
	GPU_TRY(GpuWait(&job->team, of->device, GPU_COUNT, what));
	return GpuFree(of->device, columns);
}

/* Computes the tails of n survivors whose trees have of->tree.places places each. */
static cudaError_t
ComputeTails(ProbableJob *job, Transactions *t, Papriori *of, Survivor *survivors, uint32_t n)
{
	uint32_t   *which;
	double	   *tails;

	GPU_TRY(HostTake(job, sizeof(uint32_t) * n, (void **) &which));
	GPU_TRY(HostTake(job, sizeof(double) * n, (void **) &tails));
	for (uint32_t i = 0; i < n; i++)
		which[i] = survivors[i].candidate;
	GPU_TRY(TreeClear(of->device, &of->tree, n));
	if (job->data->by_entry)
		GPU_TRY(ListProducts(job, t, of, which, n));
	else
	{
		GPU_TRY(Send(job, of, of->which, which, sizeof(uint32_t) * n));
		GPU_TRY(GpuUse(of->device, "decoding bit strings"));
		GPU_TRY(DecodeLists(of->device, &t->sheet[0], of->bits, of->which, n, of->decoding, of->tree.places,
							of->tree.lists));
	}
	GPU_TRY(TreeCompute(job, of->device, &of->tree, n, tails));
	for (uint32_t i = 0; i < n; i++)
		survivors[i].tail = tails[i];
	GpuHostFree(&job->team, tails);
	GpuHostFree(&job->team, which);
	return cudaSuccess;
}

static cudaError_t
ComputeAllTails(ProbableJob *job, Transactions *t, Papriori *of, Survivor *survivors, uint32_t n)
{
	uint32_t	end;

	for (uint32_t from = 0; from < n; from = end)
	{
		uint64_t	places = PlacesFor(survivors[from].count);
		uint32_t	alike = from;

		while (alike < n && survivors[alike].count <= places)
			alike++;
		if (places != of->tree.places || of->tree.room < alike - from)
			GPU_TRY(TreeOpen(job, of->device, &of->tree, places, alike - from));
		end = (uint32_t) GpuLesser(alike, (uint64_t) from + of->tree.room);
		GPU_TRY(ComputeTails(job, t, of, survivors + from, end - from));
	}
	return cudaSuccess;
}

/* ---- decisions ---- */

/* Judges a survivor by its tail.  It stays open if the tail is nearer to the threshold than its error. */
static void
JudgeTail(const ProbableJob *job, const MomentBatch *batch, const Survivor *survivor, Judgement *of)
{
	const FimProbableSpec *spec = job->spec;
	double		products = job->data->by_entry ? 1.01 * batch->length * UNIT_ROUNDOFF *
		batch->sums[(size_t) survivor->candidate * MOMENT_SUMS] : 0;
	double		error = 1.01 * (TreeError(PlacesFor(survivor->count)) + products);
	FimInterval interval = {fmax(survivor->tail - error, 0), fmin(survivor->tail + error, 1)};

	of->rule = FIM_RULE_CONVOLUTION;
	of->low = interval.low;
	of->is_value = !spec->exact;
	of->verdict = VerdictOn(interval, spec->minprob);
}

/* Has JudgeDoubts() decide the candidates that are still open. */
static cudaError_t
JudgeOpenOnes(ProbableJob *job, Transactions *t, Judge *judge, const MomentBatch *batch, Judgement *judgements)
{
	uint32_t	open = 0;

	for (uint32_t c = 0; c < batch->ncandidates; c++)
		open += judgements[c].verdict == FIM_OPEN;
	return open > 0 ? JudgeDoubts(job, t, judge, batch, judgements, open) : cudaSuccess;
}

static cudaError_t
JudgeByTails(ProbableJob *job, Transactions *t, Judge *judge, Papriori *of, const MomentBatch *batch,
			 Judgement *judgements)
{
	Survivor   *survivors;
	uint32_t	n;

	for (uint32_t c = 0; c < batch->ncandidates; c++)
		judgements[c] = (Judgement) {0, FIM_NO, batch->counts[c] < job->spec->minsup ? FIM_RULE_COUNT :
			FIM_RULE_CHERNOFF, true};
	GPU_TRY(Prune(job, of, batch, &survivors, &n));
	GPU_TRY(ComputeAllTails(job, t, of, survivors, n));
	qsort(survivors, n, sizeof(Survivor), CompareCandidates);
	job->summary->values += n;
	for (uint32_t i = 0; i < n; i++)
		JudgeTail(job, batch, &survivors[i], &judgements[survivors[i].candidate]);
	GpuHostFree(&job->team, survivors);
	GPU_TRY(JudgeOpenOnes(job, t, judge, batch, judgements));
	for (uint32_t c = 0; c < batch->ncandidates; c++)
		job->summary->settled[judgements[c].rule]++;
	return HostWork(job, batch->ncandidates * 4);
}

static cudaError_t
JudgeCandidates(ProbableJob *job, Transactions *t, Judge *judge, void *state, const ProbableLevel *level,
				ProbableBatch *batch)
{
	Papriori   *of = state;

	(void) level;
	GPU_TRY(TransactionsLoad(job, t, 0));
	GPU_TRY(GpuUse(of->device, "reducing candidates"));
	GPU_TRY(Reduce(job, t, of, batch));
	if (FimByExpectation(job->spec))
		return JudgeBatch(job, t, judge, &batch->moments, batch->judgements);
	return JudgeByTails(job, t, judge, of, &batch->moments, batch->judgements);
}

/* ---- from level to level ---- */

/*
 * Grows a store to "needed" bit strings, or to up to twice its room if that is more and there is enough memory
 * for it.  It stays as it is, which is no error, if there is not enough for those that are needed.
 */
static cudaError_t
GrowStore(ProbableJob *job, Papriori *of, BitStore *store, uint64_t needed)
{
	const char *what = "keeping bit strings";
	uint64_t	most = GpuRoom(of->device) / STORE_PART / of->row_bytes;
	uint64_t	room = GpuBetween(needed, 2 * store->room, most);
	uint32_t   *bits;

	if (needed <= store->room || needed > most)
		return cudaSuccess;
	GPU_TRY(GpuTryAlloc(of->device, of->row_bytes * room, what, (void **) &bits));
	if (bits == NULL && room > needed)
	{
		room = needed;
		GPU_TRY(GpuTryAlloc(of->device, of->row_bytes * room, what, (void **) &bits));
	}
	if (bits == NULL)
		return cudaSuccess;
	GPU_TRY(GpuCheck(of->device, cudaMemcpyAsync(bits, store->bits, of->row_bytes * store->n,
												 cudaMemcpyDeviceToDevice, of->device->streams[GPU_COUNT]),
					 what));
	GPU_TRY(GpuWait(&job->team, of->device, GPU_COUNT, what));
	GPU_TRY(GpuFree(of->device, store->bits));
	store->bits = bits;
	store->room = room;
	return cudaSuccess;
}

/* Adds the bit strings of a batch's selected candidates to the next level's store, unless it lacks room. */
static cudaError_t
KeepBits(ProbableJob *job, Transactions *t, void *state, const ProbableBatch *batch,
		 const ProbableLevel *next, uint64_t first)
{
	Papriori   *of = state;
	BitStore   *store = &of->next;
	uint32_t	n = (uint32_t) (next->n - first);
	uint32_t   *which;

	if (next->k == 0 || job->data->by_entry || n == 0 || store->n != first)
		return cudaSuccess;
	GPU_TRY(GrowStore(job, of, store, store->n + n));
	if (store->n + n > store->room)
		return cudaSuccess;
	GPU_TRY(HostTake(job, sizeof(uint32_t) * n, (void **) &which));
	for (uint32_t c = 0, i = 0; c < batch->moments.ncandidates; c++)
		if (batch->judgements[c].verdict == FIM_YES)
			which[i++] = c;
	GPU_TRY(Send(job, of, of->which, which, sizeof(uint32_t) * n));
	GpuHostFree(&job->team, which);
	GPU_TRY(GpuUse(of->device, "keeping bit strings"));
	GPU_TRY(GatherBits(of->device, &t->sheet[0], of->bits, of->which, n,
					   store->bits + store->n * (of->row_bytes / sizeof(uint32_t))));
	store->n += n;
	return cudaSuccess;
}

/* The next level is complete: its store becomes that of the members that are extended. */
static cudaError_t
EndLevel(ProbableJob *job, void *state, const ProbableLevel *level)
{
	Papriori   *of = state;

	GPU_TRY(TreeClose(of->device, &of->tree));
	GPU_TRY(FreeBatch(of));
	GPU_TRY(FreeStore(of, &of->level));
	(void) job;
	of->level = of->next;
	of->level.complete = of->level.bits != NULL && of->level.n == level->n;
	memset(&of->next, 0, sizeof(of->next));
	return cudaSuccess;
}

static const ProbableStrategy search_by_fft = {
	.room = Room,
	.judge = JudgeCandidates,
	.taken = KeepBits,
	.end_level = EndLevel
};

uint64_t
PaprioriLeast(const ProbableJob *job)
{
	uint64_t	row_bytes = (uint64_t) FimSlabs(job->data->nrows) * FIM_LINE_BYTES;

	return 2 * (TreeLeast(PlacesFor(job->data->nrows)) + BITS_PART * LEAST_CANDIDATES *
				(row_bytes + sizeof(uint32_t) * (job->data->max_row + 8)));
}

cudaError_t
PaprioriMine(ProbableJob *job, Transactions *t)
{
	Papriori	of;
	cudaError_t error;

	memset(&of, 0, sizeof(of));
	of.device = job->team.devices[0];
	of.decoding = job->spec->head.strategy == FIM_PROBABLE_GPU_FFT ? DECODE_POPC : DECODE_LOOP;
	of.row_bytes = (size_t) t->nslabs * FIM_LINE_BYTES;
	if (t->nsheets > 1)
		return GpuOutOfMemory(of.device, TransactionsMemory(job, UINT32_MAX), "allocating transaction bitmaps");
	GPU_TRY(FftLoad(of.device));
	error = Search(job, t, &search_by_fft, &of);
	for (int level = 0; level < TREE_LEVELS; level++)
		for (int direction = 0; direction < 2; direction++)
			FftPlanFree(&of.tree.plans[level][direction]);
	return error;
}
