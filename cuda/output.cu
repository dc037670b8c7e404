/*-------------------------------------------------------------------------
 *
 * output.cu
 *	  From the GPU miners' itemsets to batches of results, or to counts.
 *
 * The same records and the same limits as the CPU engine's (src/engine/output.c).
 * Miners that know a class's itemsets set its prefix and then name the last items.
 *
 *-------------------------------------------------------------------------
 */
#include "device.h"

void
GpuOutputInit(GpuJob *job)
{
	GpuOutput  *out = &job->out;
	const FimJob *asked = job->job;
	uint32_t	prefix = asked->prefix_length;

	out->min_depth = asked->min_length > prefix ? asked->min_length - prefix : 0;
	out->max_depth = asked->max_length == FIM_NO_LIMIT ? FIM_NO_LIMIT : asked->max_length - prefix;
	/* the prefix is an itemset; the empty set is none */
	if (prefix == 0 && out->min_depth == 0)
		out->min_depth = 1;
	out->path = (uint32_t *) GpuHostAlloc(job, sizeof(uint32_t) * ((size_t) job->db->max_row + 1));
	if (!asked->count_only)
		/* one record more than a batch, and it may be as long as a row */
		out->batch = (uint32_t *) GpuHostAlloc(job, sizeof(uint32_t) *
											   (FIM_BATCH_WORDS + (size_t) job->db->max_row + 3));
}

static void
AddProgress(GpuJob *job, uint64_t n)
{
	__atomic_fetch_add(&job->shared->results, n, __ATOMIC_RELAXED);
}

/* Hand the batch over; the next record starts a new one, so it keeps nothing. */
static void
WriteBatch(GpuJob *job)
{
	GpuOutput  *out = &job->out;

	if (out->nitemsets == 0)
		return;
	AddProgress(job, out->nitemsets);
	if (!job->sink->write(job->sink, out->batch, out->used, out->nitemsets))
		GpuLeave(FIM_STOPPED);
	out->used = 0;
	out->nitemsets = 0;
	out->same = 0;
	GpuPoll(job);
}

void
GpuOutputFlush(GpuJob *job)
{
	if (!job->job->count_only)
		WriteBatch(job);
}

/* The path is now these items, in the engine's numbers. */
void
GpuOutputPrefix(GpuJob *job, const uint32_t *items, uint32_t nitems)
{
	GpuOutput  *out = &job->out;
	uint32_t	equal = 0;

	while (equal < nitems && equal < out->depth && out->path[equal] == job->name[items[equal]])
		equal++;
	if (out->same > equal)
		out->same = equal;
	for (uint32_t i = equal; i < nitems; i++)
		out->path[i] = job->name[items[i]];
	out->depth = nitems;
}

/* The path as a result. */
void
GpuOutputPath(GpuJob *job, uint32_t support)
{
	GpuOutput  *out = &job->out;
	uint32_t   *to;

	if (out->used + 3 + (out->depth - out->same) > FIM_BATCH_WORDS)
		WriteBatch(job);
	to = out->batch + out->used;
	*to++ = out->same;
	*to++ = out->depth - out->same;
	for (uint32_t i = out->same; i < out->depth; i++)
		*to++ = out->path[i];
	*to++ = support;
	out->used = (size_t) (to - out->batch);
	out->same = out->depth;
	out->nitemsets++;
}

/* The path with one more item as a result. */
void
GpuOutputLast(GpuJob *job, uint32_t item, uint32_t support)
{
	GpuOutput  *out = &job->out;

	if (out->same > out->depth)
		out->same = out->depth;
	out->path[out->depth++] = job->name[item];
	GpuOutputPath(job, support);
	out->depth--;
}

/* So many itemsets of this length, which are wanted. */
void
GpuOutputCount(GpuJob *job, uint32_t depth, uint64_t n)
{
	FimCount   *count = &job->tally->counts[job->job->prefix_length + depth];

	count->low += n;
	count->high += count->low < n;
	AddProgress(job, n);
}
