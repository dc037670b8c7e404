/*-------------------------------------------------------------------------
 *
 * sets.c
 *	  The family of products of sets on devices: a job from its beginning to its end.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>
#include <string.h>

#include "ancestors/batmap/batmap.h"
#include "device.h"
#include "engine/gpu.h"
#include "engine/sets/best.h"
#include "sets/sets.h"
#include "team.h"

/*
 * The rule that says which cells are results, see CellRule.
 */

/*
 * Every cosine that there is reaches the first, since sets have less than 2^32 keys, and none reaches
 * the second.
 */
#define LEAST_COSINE	0x1p-33
#define MOST_COSINE		1.5

/*
 * Sets the middle between the threshold and the float8 before it.  The float8 before a power of 2 is only
 * half as far away as others.
 */
static void
SetCosine(CellRule *rule)
{
	int			exponent;
	double		fraction = frexp(fmin(fmax(rule->threshold, LEAST_COSINE), MOST_COSINE), &exponent);
	uint64_t	middle = (uint64_t) ldexp(fraction, 54);

	rule->cosine_middle = fraction == 0.5 ? 2 * middle - 1 : middle - 1;
	rule->cosine_shift = (uint32_t) (54 - exponent + (fraction == 0.5));
}

/* A row has the best partners of a value, so a pair of values has a cell in the rows of both. */
static CellRule
CellRuleOf(const FimSetsSpec *spec, const FimSetsData *data)
{
	bool		best = spec->result == FIM_SETS_BEST;
	CellRule	rule = {.result = spec->result, .measure = spec->measure, .one = data->one && !best,
		.threshold = spec->threshold, .most = best ? MostPartners(spec, data) : 0, .transactions = spec->transactions};

	rule.counted = spec->result == FIM_SETS_SIMILAR || spec->min_witnesses > 1 ||
		((spec->witnesses || best) && !spec->head.count_only);
	rule.least = 1;
	if (spec->result != FIM_SETS_SIMILAR)
		rule.least = (uint32_t) GpuBetween(1, spec->min_witnesses, UINT32_MAX);
	else if (spec->measure == FIM_COSINE)
		SetCosine(&rule);
	return rule;
}

/*
 * Bringing the two relations to the devices.
 */

static uint64_t
SideMemory(const FimSetsSide *side)
{
	return sizeof(uint64_t) * ((uint64_t) side->nvalues + 1) + sizeof(uint32_t) * side->npairs;
}

static uint64_t
RelationsMemory(const FimSetsData *data, bool by_key, bool with_values)
{
	uint64_t	memory = SideMemory(&data->left) + (data->one ? 0 : SideMemory(&data->right)) +
		(with_values ? sizeof(uint32_t) * data->right.nvalues : 0);

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

static cudaError_t
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

static cudaError_t
SendValues(SetsJob *job)
{
	const FimSetsSide *side = &job->data->right;
	size_t		bytes = sizeof(uint32_t) * side->nvalues;
	void	   *values[FIM_GPU_MAX_DEVICES];
	const char *what = "sending relations";

	for (int d = 0; d < job->team.ndevices; d++)
	{
		GPU_TRY(GpuUse(job->team.devices[d], what));
		GPU_TRY(GpuAlloc(job->team.devices[d], bytes, what, &values[d]));
		job->on[d].relations.value = (uint32_t *) values[d];
	}
	return GpuSendAll(&job->team, GPU_COUNT, values, FIM_SETS_VALUES(job->data, side), bytes, what);
}

/*
 * RelationsOpen() copies the relations to all devices of the job.  RelationsByKey() adds key_start and
 * rank.  RelationsMemory() is the memory that a device needs for that, with or without the latter.
 */
static cudaError_t
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
	return job->best && job->listed ? SendValues(job) : cudaSuccess;
}

/* For an estimate: bytes for matrices and for cells; more than this makes no difference. */
#define WORKING_MEMORY	(UINT64_C(2) << 30)

static SetsJob sets_job;		/* there is one at a time */

static void
DescribeJob(SetsJob *job, const FimTask *task)
{
	memset(job, 0, sizeof(*job));
	job->spec = (const FimSetsSpec *) task->spec;
	job->data = (const FimSetsData *) task->data;
	job->summary = (FimSetsSummary *) task->summary;
	job->rule = CellRuleOf(job->spec, job->data);
	job->best = job->spec->result == FIM_SETS_BEST;
	job->listed = !job->spec->head.count_only;
	job->with_witnesses = job->spec->witnesses || job->spec->result >= FIM_SETS_SIMILAR;
}

/*
 * The strategy to run: "prefix" is for similar sets only, and is "rows" for other tasks.  So is "batmap" for the best
 * partners, since the cells of a row would not come together.
 */
static int
StrategyOf(const FimSetsSpec *spec)
{
	bool		other = (spec->head.strategy == FIM_SETS_PREFIX && spec->result != FIM_SETS_SIMILAR) ||
		(spec->head.strategy == FIM_SETS_BATMAP && spec->result == FIM_SETS_BEST);

	return other ? FIM_SETS_ROWS : spec->head.strategy;
}

/* May the strategy need the right relation by key?  Bits may have no room for the best partners, which rows then find. */
static bool
GoesByKey(const FimSetsSpec *spec)
{
	return StrategyOf(spec) == FIM_SETS_AUTO || StrategyOf(spec) == FIM_SETS_ROWS || spec->result == FIM_SETS_BEST;
}

/* Mines the dense part by bit matrices, and the other cells row by row. */
static cudaError_t
MineParts(SetsJob *job, const DensePart *dense)
{
	job->summary->tiled_left = dense->left;
	job->summary->tiled_right = dense->right;
	job->bits_room = BitsRoom(job);
	GPU_TRY(StripsOpen(job));
	if (dense->left > 0 && dense->right > 0)
		GPU_TRY(BitsMine(job, dense));
	if (dense->left < job->data->left.nvalues || dense->right < job->data->right.nvalues)
		GPU_TRY(RowsMine(job, dense));
	return cudaSuccess;
}

static cudaError_t
RunBatmap(SetsJob *job)
{
	GPU_TRY(StripsOpen(job));
	return BatmapMine(job);
}

static cudaError_t
RunPrefix(SetsJob *job)
{
	GPU_TRY(StripsOpen(job));
	return PrefixMine(job);
}

static cudaError_t
RunRows(SetsJob *job)
{
	DensePart	none = {0, 0};

	GPU_TRY(RelationsByKey(job));
	return MineParts(job, &none);
}

static cudaError_t
RunBits(SetsJob *job, const DensePart *all)
{
	FimWay		way;

	GPU_TRY(BitsWay(job, &way));
	return job->best && !BitsHaveRoom(job, way) ? RunRows(job) : MineParts(job, all);
}

/* Sorts the right relation by key only if that is needed: not if bits get all cells. */
static cudaError_t
RunAuto(SetsJob *job, const DensePart *all)
{
	DensePart	dense;
	bool		by_prefix = false;
	bool		planned;

	GPU_TRY(PlanAtOnce(job, &dense, &planned));
	if (planned && dense.left == all->left)
		return MineParts(job, all);
	GPU_TRY(RelationsByKey(job));
	if (!planned)
		GPU_TRY(PlanBySample(job, &dense, &by_prefix));
	return by_prefix ? RunPrefix(job) : MineParts(job, &dense);
}

static cudaError_t
RunStrategy(SetsJob *job)
{
	DensePart	all = {job->data->left.nvalues, job->data->right.nvalues};

	switch (StrategyOf(job->spec))
	{
		case FIM_SETS_ROWS:
			return RunRows(job);
		case FIM_SETS_BITS:
			return RunBits(job, &all);
		case FIM_SETS_BATMAP:
			return RunBatmap(job);
		case FIM_SETS_PREFIX:
			return RunPrefix(job);
		default:
			return RunAuto(job, &all);
	}
}

static cudaError_t
GpuSetsRunJob(void *of)
{
	SetsJob    *job = (SetsJob *) of;

	for (int d = 0; d < job->team.ndevices; d++)
		job->on[d].device = job->team.devices[d];
	GPU_TRY(RelationsOpen(job));
	return RunStrategy(job);
}

static FimResult
GpuSetsMine(const FimTask *task, FimHost *host, FimSink *sink)
{
	SetsJob    *job = &sets_job;

	DescribeJob(job, task);
	job->sink = sink;
	task->shared->total = task->shared->done = 0;
	/* all values in the data have a key in common with the other side: with no values there is no result */
	if (job->data->left.nvalues == 0 || job->data->right.nvalues == 0)
		return FimIsCanceled(task->shared) ? FIM_STOPPED : FIM_DONE;
	return GpuTeamMine(&job->team, task, host, GpuSetsRunJob, job);
}

/* The job wants room for large matrices of witnesses and for plenty of cells, beside the least. */
static void
GpuSetsEstimate(const FimTask *task, uint64_t *wanted, uint64_t *least)
{
	const FimSetsSpec *spec = (const FimSetsSpec *) task->spec;
	const FimSetsData *data = (const FimSetsData *) task->data;
	FimSetsStrategy strategy = StrategyOf(spec);
	bool		any = strategy == FIM_SETS_AUTO;
	bool		best = spec->result == FIM_SETS_BEST; /* by bits only if there is room for them */
	uint64_t	of_strategy = 0;

	if (any || strategy == FIM_SETS_ROWS || best)
		of_strategy = RowsLeast(data);
	if ((any || strategy == FIM_SETS_BITS) && !best)
		of_strategy = GpuGreater(of_strategy, BitsLeast(data));
	if (strategy == FIM_SETS_BATMAP)
		of_strategy = BatmapLeast(data);
	if (strategy == FIM_SETS_PREFIX || (any && spec->result == FIM_SETS_SIMILAR))
		of_strategy = GpuGreater(of_strategy, PrefixLeast(spec, data));
	/* strips take their part of the memory first */
	of_strategy += of_strategy / (ROOM_PART - 1);
	*least = RelationsMemory(data, GoesByKey(spec), best) + StripsLeast(spec) + of_strategy;
	*wanted = *least + WORKING_MEMORY;
}

/* Does nothing, since the family keeps nothing from one task to the next. */
static void
GpuSetsRelease(void)
{
}

static const char *const strategies[] = FIM_SETS_GPU_STRATEGY_NAMES;

extern const FimGpuFamily FimSetsGpuFamily;

const FimGpuFamily FimSetsGpuFamily = {
	.name = "sets",
	.strategies = strategies,
	.estimate = GpuSetsEstimate,
	.mine = GpuSetsMine,
	.release = GpuSetsRelease
};
