/*-------------------------------------------------------------------------
 *
 * plan.c
 *	  Strategy "auto" on devices, see plan.h.
 *
 *-------------------------------------------------------------------------
 */
#include "copies.h"
#include "sets/bits.h"
#include "sets/plan.h"

/*
 * What things cost on one device, in milliseconds.  These are expected, not measured, of an H200; test/gpu/check_sets -T
 * prints what each strategy takes for a path, a pair of bits and a cell.
 */
#define COUNTED_PATH_MS		(1 / 4e7)	/* a path of a row whose paths are counted, ... */
#define MARKED_PATH_MS		(1 / 8e7)	/* ... and of one where only existence matters */
#define ROW_MS				(1 / 2e6)	/* a row beside its paths */
#define CELL_MS				(1 / 2.5e8) /* a cell of a matrix: zeroed, written and read */
#define KEY_MS				(1 / 2e7)	/* a key of a set that becomes a bit */
#define UNIT_MS				0.1		/* what a strategy takes before it finds anything */
static const double bits_ms[] = {[FIM_POPC] = 1 / 6e10, [FIM_MMA] = 1 / 2e12, [FIM_WGMMA] = 1 / 4e12};

/* Where only existence matters, keys of a pair that are looked at until one is common, at most. */
#define LOOKED_AT_KEYS		16384.0

/* Left pairs that are looked at, about. */
#define SAMPLED_PAIRS		(UINT64_C(1) << 22)

static double
RowsMs(const SetsJob *job, int level, double paths)
{
	return paths * (job->rule.counted ? COUNTED_PATH_MS : MARKED_PATH_MS) +
		(job->data->left.nvalues >> level) * ROW_MS + UNIT_MS;
}

static double
BitsMs(const SetsJob *job, FimWay way, int level)
{
	const FimSetsData *data = job->data;
	uint32_t	left = data->left.nvalues >> level;
	uint32_t	right = data->right.nvalues >> level;
	double		cells = (double) left * right / (data->one ? 2 : 1);
	double		keys = (double) FimSlabs(data->nkeys) * FIM_SLAB_BITS;
	double		packed = (double) FIM_SETS_STARTS(data, &data->left)[left] +
		(double) FIM_SETS_STARTS(data, &data->right)[right];

	if (!job->rule.counted && keys > LOOKED_AT_KEYS)
		keys = LOOKED_AT_KEYS;
	return cells * (keys * bits_ms[job->rule.counted ? way : FIM_POPC] + CELL_MS) + packed * KEY_MS + UNIT_MS;
}

/* paths[level] of what was looked at. */
static cudaError_t
SamplePaths(SetsJob *job, uint32_t *step, uint64_t *paths)
{
	SetsDevice *on = &job->on[0];
	const char *what = "counting paths of parts";
	void	   *sums;
	GpuTimer   *timer;

	*step = (uint32_t) (job->data->left.npairs / SAMPLED_PAIRS) + 1;
	GPU_TRY(GpuUse(on->device, what));
	GPU_TRY(GpuAlloc(on->device, PLAN_MEMORY, what, &sums));
	GPU_TRY(GpuBegin(on->device, GPU_COUNT, FIM_GPU_BUILD, (double) job->data->left.npairs / *step * sizeof(uint32_t), &timer));
	GPU_TRY(GpuCheck(on->device, cudaMemsetAsync(sums, 0, PLAN_MEMORY, on->device->streams[GPU_COUNT]), what));
	GPU_TRY(CountLevelPaths(on->device, &on->relations, *step, (unsigned long long *) sums));
	GPU_TRY(GpuEnd(on->device, GPU_COUNT, timer));
	GPU_TRY(GpuReceive(&job->team, on->device, GPU_COUNT, paths, sums, PLAN_MEMORY, what));
	return GpuFree(on->device, sums);
}

cudaError_t
PlanDensePart(SetsJob *job, DensePart *dense)
{
	uint64_t	paths[FIM_SETS_LEVELS];
	uint32_t	step;
	double		most = 0;
	FimWay		way;

	GPU_TRY(BitsWay(job, &way));
	GPU_TRY(SamplePaths(job, &step, paths));
	for (int level = 0; level < FIM_SETS_LEVELS; level++)
	{
		/* of pairs that stand for both orders about half of the paths are gone */
		double		of_part = (double) paths[level] * step / (job->data->one ? 2 : 1);
		double		saved = RowsMs(job, level, of_part) - BitsMs(job, way, level);

		if (level == 0)
			job->summary->rows_ms = RowsMs(job, level, of_part);
		if (saved <= most)
			continue;
		most = saved;
		dense->left = job->data->left.nvalues >> level;
		dense->right = job->data->right.nvalues >> level;
	}
	job->summary->split_ms = job->summary->rows_ms - most;
	return cudaSuccess;
}
