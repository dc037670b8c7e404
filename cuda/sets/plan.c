/*-------------------------------------------------------------------------
 *
 * plan.c
 *	  Strategy "auto" on devices, see plan.h.
 *
 *-------------------------------------------------------------------------
 */
#include "copies.h"
#include "engine/sets/measure.h"
#include "sets/bits.h"
#include "sets/plan.h"

/*
 * What things cost on one device, in milliseconds: measured on an H200 by test/gpu/check_sets -T, which prints what each
 * strategy takes.  Of bits, those of the ways that an H200 has not are in proportion to what the instructions can do.
 */
#define COUNTED_PATH_MS		(1 / 1.6e8) /* a path of a row whose paths are counted, ... */
#define MARKED_PATH_MS		(1 / 3e8)	/* ... and of one where only existence matters */
#define ROW_MS				(1 / 2e6)	/* a row beside its paths */
#define CELL_MS				(1 / 1.7e8) /* a cell of a matrix: zeroed, written and read */
#define TALLIED_CELL_MS		(1 / 2e9)	/* a cell that is only told to a tally */
#define KEY_MS				(1 / 1.6e8) /* a key of a set that becomes a bit */
#define LISTED_MS			(1 / 5e7)	/* a value of a set's rarest keys, of which the index has few */
#define UNIT_MS				0.1		/* what a strategy takes before it finds anything */
static const double bits_ms[] = {[FIM_POPC] = 1 / 1.5e11, [FIM_MMA] = 1 / 3e12, [FIM_WGMMA] = 1 / 5e12};

/* Where only existence matters, keys of a pair that are looked at until one is common, at most. */
#define LOOKED_AT_KEYS		16384.0

/* Left pairs that are looked at, about. */
#define SAMPLED_PAIRS		(UINT64_C(1) << 20)

#define PATHS_MEMORY		(FIM_SETS_LEVELS * sizeof(uint64_t))

/* Sets from which meetings are estimated, and keys of each, at most. */
#define SAMPLED_SETS		256
#define SAMPLED_KEYS		64
#define MOST_SAMPLED		((SAMPLED_SETS + 1) * SAMPLED_KEYS)

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
	return cells * (keys * bits_ms[job->rule.counted ? way : FIM_POPC] + (BitsMayTally(job) ? TALLIED_CELL_MS : CELL_MS)) +
		packed * KEY_MS + UNIT_MS;
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
	GPU_TRY(GpuAlloc(on->device, PATHS_MEMORY, what, &sums));
	GPU_TRY(GpuBegin(on->device, GPU_COUNT, FIM_GPU_BUILD, (double) job->data->left.npairs / *step * sizeof(uint32_t), &timer));
	GPU_TRY(GpuCheck(on->device, cudaMemsetAsync(sums, 0, PATHS_MEMORY, on->device->streams[GPU_COUNT]), what));
	GPU_TRY(CountLevelPaths(on->device, &on->relations, *step, (unsigned long long *) sums));
	GPU_TRY(GpuEnd(on->device, GPU_COUNT, timer));
	GPU_TRY(GpuReceive(&job->team, on->device, GPU_COUNT, paths, sums, PATHS_MEMORY, what));
	return GpuFree(on->device, sums);
}

/* ---- rarest keys ---- */

/* Keys that stand for all those that sets would look up. */
typedef struct KeySample
{
	uint32_t	n;
	uint32_t	key[MOST_SAMPLED];
	double		weight[MOST_SAMPLED];
	uint64_t	length[MOST_SAMPLED];
} KeySample;

/* The rarest keys of a set are its last ones; "weight" sets are like it. */
static void
SampleSet(const SetsJob *job, uint32_t rank, double weight, KeySample *sample)
{
	const uint64_t *start = FIM_SETS_STARTS(job->data, &job->data->left);
	const uint32_t *key = FIM_SETS_KEYS(job->data, &job->data->left);
	uint32_t	size = (uint32_t) (start[rank + 1] - start[rank]);
	uint32_t	needed = LeastOverlap(job->asked, size, LeastPartner(job->asked, size));
	uint32_t	looked_up = size - (uint32_t) GpuLesser(needed, size) + 1;
	uint32_t	sampled = (uint32_t) GpuLesser(GpuLesser(looked_up, size), SAMPLED_KEYS);

	for (uint32_t i = 0; i < sampled; i++)
	{
		sample->key[sample->n] = key[start[rank + 1] - 1 - (uint64_t) looked_up * i / (sampled + 1)];
		sample->weight[sample->n++] = weight * looked_up / sampled;
	}
}

static cudaError_t
LengthsOfSample(SetsJob *job, KeySample *sample)
{
	SetsDevice *on = &job->on[0];
	const char *what = "counting values of keys";
	void	   *key;
	void	   *length;

	GPU_TRY(GpuUse(on->device, what));
	GPU_TRY(GpuAlloc(on->device, sizeof(uint32_t) * sample->n, what, &key));
	GPU_TRY(GpuAlloc(on->device, sizeof(uint64_t) * sample->n, what, &length));
	GPU_TRY(GpuSend(&job->team, on->device, GPU_COUNT, key, sample->key, sizeof(uint32_t) * sample->n, what));
	GPU_TRY(FindKeyLengths(on->device, &on->relations, (const uint32_t *) key, sample->n, (uint64_t *) length));
	GPU_TRY(GpuReceive(&job->team, on->device, GPU_COUNT, sample->length, length, sizeof(uint64_t) * sample->n, what));
	GPU_TRY(GpuFree(on->device, key));
	return GpuFree(on->device, length);
}

/* What similar sets take by their rarest keys. */
static cudaError_t
PrefixMs(SetsJob *job, double *ms)
{
	uint32_t	step = job->data->left.nvalues / SAMPLED_SETS + 1;
	KeySample  *sample;

	GPU_TRY(GpuHostTake(&job->team, sizeof(KeySample), (void **) &sample));
	sample->n = 0;
	for (uint64_t rank = step / 2; rank < job->data->left.nvalues; rank += step)
		SampleSet(job, (uint32_t) rank, step, sample);
	GPU_TRY(LengthsOfSample(job, sample));
	*ms = UNIT_MS;
	for (uint32_t i = 0; i < sample->n; i++)
		*ms += sample->weight[i] * (double) sample->length[i] * LISTED_MS;
	GpuHostFree(&job->team, sample);
	return cudaSuccess;
}

/* ---- all ---- */

static cudaError_t
PlanParts(SetsJob *job, DensePart *dense)
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

cudaError_t
PlanTask(SetsJob *job, DensePart *dense, bool *by_prefix)
{
	*by_prefix = false;
	GPU_TRY(PlanParts(job, dense));
	if (job->asked->result != FIM_SETS_SIMILAR)
		return cudaSuccess;
	GPU_TRY(PrefixMs(job, &job->summary->prefix_ms));
	*by_prefix = job->summary->prefix_ms < job->summary->split_ms;
	return cudaSuccess;
}
