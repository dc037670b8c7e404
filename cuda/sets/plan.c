/*-------------------------------------------------------------------------
 *
 * plan.c
 *	  Strategy "auto" on devices, see sets.h.
 *
 *-------------------------------------------------------------------------
 */
#include "engine/sets/measure.h"
#include "sets/sets.h"
#include "sets/sets_device.h"
#include "team.h"

/*
 * Costs on one device, in milliseconds: measured on an H200 by test/gpu/check_sets -T, which prints what each
 * strategy takes.
 */
#define VISIT_MS			(1 / 5.5e6) /* a key of a row that is looked up, for each of the row's spans */
#define COUNTED_PATH_MS		(1 / 2e8)	/* a path of a row whose paths are counted */
#define MARKED_PATH_MS		(1 / 5e8)	/* a path of a row where only existence matters */
#define ROW_MS				(1 / 2e6)	/* a row beside its paths, for each of its spans */
#define SORTED_PAIR_MS		(1 / 4e7)	/* a pair of the right relation that is sorted by key */
#define LISTED_MS			(1 / 5e7)	/* right value of a looked-up key; the index has few of these */
#define START_MS			0.3		/* what rows and prefixes take before they find anything */
#define SAMPLE_MS			0.15	/* looking at a sample of paths */
#define SPLIT_MS			0.7		/* doing a part by bits and the rest by rows, rather than all by rows */

/* About so many left pairs are sampled. */
#define SAMPLED_PAIRS		(UINT64_C(1) << 17)

#define PATHS_MEMORY		(FIM_SETS_LEVELS * sizeof(uint64_t))

/* Most sets from which meetings are estimated, and most keys of each of them. */
#define SAMPLED_SETS		256
#define SAMPLED_KEYS		64
#define MOST_SAMPLED		((SAMPLED_SETS + 1) * SAMPLED_KEYS)

/*
 * The time that rows take for the cells of the first 1/2^level of the values of both sides, which have
 * "paths" paths.  Rows with few paths have no spans.
 */
static double
RowsMs(const SetsJob *job, int level, double paths)
{
	uint32_t	rows = job->data->left.nvalues >> level;
	double		keys = (double) FIM_SETS_STARTS(job->data, &job->data->left)[rows];
	double		spans = paths / rows > BLOCK_PATHS ?
		SpansOf(job->rule.counted ? ROW_OF_BYTES : ROW_OF_BITS, job->data->right.nvalues >> level) : 1;

	return paths * (job->rule.counted ? COUNTED_PATH_MS : MARKED_PATH_MS) + spans * (keys * VISIT_MS + rows * ROW_MS) +
		START_MS;
}

/* Counts paths[level] for one left pair in *step, which it chooses; see CountLevelPaths(). */
static cudaError_t
SamplePaths(SetsJob *job, uint64_t *step, uint64_t *paths)
{
	SetsDevice *on = &job->on[0];
	const char *what = "counting paths of parts";
	void	   *sums;
	GpuTimer   *timer;

	*step = job->data->left.npairs / SAMPLED_PAIRS + 1;
	GPU_TRY(GpuUse(on->device, what));
	GPU_TRY(GpuAlloc(on->device, PATHS_MEMORY, what, &sums));
	GPU_TRY(GpuBegin(on->device, GPU_COUNT, FIM_GPU_BUILD, (double) job->data->left.npairs / *step * sizeof(uint32_t), &timer));
	GPU_TRY(GpuCheck(on->device, cudaMemsetAsync(sums, 0, PATHS_MEMORY, on->device->streams[GPU_COUNT]), what));
	GPU_TRY(CountLevelPaths(on->device, &on->relations, *step, (unsigned long long *) sums));
	GPU_TRY(GpuEnd(on->device, GPU_COUNT, timer));
	GPU_TRY(GpuReceive(&job->team, on->device, paths, sums, PATHS_MEMORY, what));
	return GpuFree(on->device, sums);
}

/* ---- rarest keys ---- */

/* A sample of the keys that all sets would look up. */
typedef struct KeySample
{
	uint32_t	n;
	uint32_t	key[MOST_SAMPLED];
	double		weight[MOST_SAMPLED]; /* look-ups that the key stands for */
	uint64_t	length[MOST_SAMPLED]; /* right values that have the key */
} KeySample;

/*
 * Adds keys of a set, which stands for "weight" sets, to the sample.  A set's rarest keys are its last
 * ones.
 */
static void
SampleSet(const SetsJob *job, uint32_t rank, double weight, KeySample *sample)
{
	const uint64_t *start = FIM_SETS_STARTS(job->data, &job->data->left);
	const uint32_t *key = FIM_SETS_KEYS(job->data, &job->data->left);
	uint32_t	looked_up = PrefixOfProbe(job->spec, FimSetsLength(job->data, &job->data->left, rank));
	uint32_t	sampled = (uint32_t) GpuLesser(looked_up, SAMPLED_KEYS);

	for (uint32_t i = 0; i < sampled; i++)
	{
		sample->key[sample->n] = key[start[rank + 1] - 1 - (uint64_t) looked_up * i / sampled];
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
	GPU_TRY(GpuReceive(&job->team, on->device, sample->length, length, sizeof(uint64_t) * sample->n, what));
	GPU_TRY(GpuFree(on->device, key));
	return GpuFree(on->device, length);
}

/* Estimates the time that strategy "prefix" takes for similar sets. */
static cudaError_t
PrefixMs(SetsJob *job, double *ms)
{
	uint32_t	step = job->data->left.nvalues / SAMPLED_SETS + 1;
	KeySample  *sample;

	GPU_TRY(GpuHostTake(&job->team, sizeof(KeySample), (void **) &sample));
	sample->n = 0;
	for (uint64_t rank = step / 2; rank < job->data->left.nvalues; rank += step)
		SampleSet(job, (uint32_t) rank, step, sample);
	/* if no sets can reach the threshold, they look up no keys */
	if (sample->n > 0)
		GPU_TRY(LengthsOfSample(job, sample));
	*ms = START_MS;
	for (uint32_t i = 0; i < sample->n; i++)
		*ms += sample->weight[i] * (double) sample->length[i] * LISTED_MS;
	GpuHostFree(&job->team, sample);
	return cudaSuccess;
}

/* ---- all ---- */

/* The part of the first 1/2^level of the values of both sides. */
static DensePart
PartOf(const SetsJob *job, int level)
{
	return (DensePart) {job->data->left.nvalues >> level, job->data->right.nvalues >> level};
}

/*
 * Chooses the dense part: that of the level that saves most, or none if no level saves anything.  The
 * part of a level has paths[level] paths.
 */
static void
ChoosePart(SetsJob *job, FimWay way, const double *paths, DensePart *dense)
{
	double		most = 0;

	*dense = (DensePart) {0, 0};
	for (int level = 0; level < FIM_SETS_LEVELS; level++)
	{
		/* if a pair stands for both of its orders, about half of the paths are not walked */
		double		rows_ms = RowsMs(job, level, paths[level] / (job->rule.one ? 2 : 1));
		DensePart	part = PartOf(job, level);
		double		saved;

		if (part.left == 0 || part.right == 0)
			break;
		if (level == 0)
			job->summary->rows_ms = rows_ms;
		saved = rows_ms - BitsMs(job, way, &part) - (level > 0 ? SPLIT_MS : 0);
		if (saved <= most)
			continue;
		most = saved;
		*dense = part;
	}
	job->summary->split_ms = job->summary->rows_ms - most;
}

static cudaError_t
PlanParts(SetsJob *job, DensePart *dense)
{
	uint64_t	sampled[FIM_SETS_LEVELS];
	double		paths[FIM_SETS_LEVELS];
	uint64_t	step;
	FimWay		way;

	GPU_TRY(BitsWay(job, &way));
	GPU_TRY(SamplePaths(job, &step, sampled));
	for (int level = 0; level < FIM_SETS_LEVELS; level++)
		paths[level] = (double) sampled[level] * (double) step;
	ChoosePart(job, way, paths, dense);
	return cudaSuccess;
}

/* Do bits take less for all cells than rows would take at the least? */
static bool
BitsAtOnce(SetsJob *job, FimWay way, DensePart *dense)
{
	*dense = PartOf(job, 0);
	job->summary->rows_ms = RowsMs(job, 0, 0) + (double) job->data->right.npairs * SORTED_PAIR_MS + SAMPLE_MS;
	job->summary->split_ms = BitsMs(job, way, dense);
	return job->summary->split_ms < job->summary->rows_ms;
}

/* Would no part save anything, even if all paths were in it? */
static bool
RowsAtOnce(SetsJob *job, FimWay way, DensePart *dense)
{
	double		paths[FIM_SETS_LEVELS];

	for (int level = 0; level < FIM_SETS_LEVELS; level++)
		paths[level] = job->data->most_paths;
	ChoosePart(job, way, paths, dense);
	return dense->left == 0;
}

cudaError_t
PlanAtOnce(SetsJob *job, DensePart *dense, bool *planned)
{
	FimWay		way;

	GPU_TRY(BitsWay(job, &way));
	/* for similar sets, "prefix" may take less than both, which only a sample can tell */
	*planned = job->spec->result != FIM_SETS_SIMILAR && (BitsAtOnce(job, way, dense) || RowsAtOnce(job, way, dense));
	return cudaSuccess;
}

cudaError_t
PlanBySample(SetsJob *job, DensePart *dense, bool *by_prefix)
{
	*by_prefix = false;
	GPU_TRY(PlanParts(job, dense));
	if (job->spec->result != FIM_SETS_SIMILAR)
		return cudaSuccess;
	GPU_TRY(PrefixMs(job, &job->summary->prefix_ms));
	*by_prefix = job->summary->prefix_ms < job->summary->split_ms;
	return cudaSuccess;
}
