/*-------------------------------------------------------------------------
 *
 * pair_records.c
 *	  Writing results to the sink, see pair_records.h.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "engine/sets/measure.h"
#include "sets/pair_records.h"

cudaError_t
RecordsOpen(SetsJob *job, FimSetsStrategy strategy, Records *records)
{
	*records = (Records) {.strategy = strategy, .batch = {.sink = job->sink}};
	return GpuHostRoom(&job->team, (void **) &records->batch.words, 0, FIM_BATCH_WORDS, &records->batch.room,
					   sizeof(uint32_t));
}

void
RecordsCount(SetsJob *job, FimSetsStrategy strategy, uint64_t results)
{
	job->summary->pairs += results;
	job->summary->found[strategy] += results;
	__atomic_fetch_add(&job->team.shared->results, results, __ATOMIC_RELAXED);
}

/* How many pairs a record can have in what is left of the batch. */
static uint32_t
Room(const SetsJob *job, const Records *records)
{
	size_t		left = FIM_BATCH_WORDS - records->batch.nwords;
	size_t		head = FimSetsRecordWords(job->asked, 0);

	return left <= head ? 0 : (uint32_t) ((left - head) / (FimSetsRecordWords(job->asked, 1) - head));
}

/* How many results n cells of a row stand for: a cell that stands for both orders of a pair counts twice. */
static uint64_t
ResultsOf(const SetsJob *job, uint32_t row, const uint32_t *right, uint32_t n)
{
	uint32_t	same = 0;

	if (!job->data->one || job->asked->result != FIM_SETS_PRODUCT)
		return n;
	for (uint32_t i = 0; i < n; i++)
		same += right[i] == row;
	return 2 * (uint64_t) n - same;
}

/* Adds a record of n cells, for which the batch has room. */
static void
AddRecord(SetsJob *job, Records *records, uint32_t row, const uint32_t *right, const uint32_t *witnesses, uint32_t n)
{
	const FimSetsData *data = job->data;
	const uint32_t *value_of = FIM_SETS_VALUES(data, &data->right);
	uint32_t   *to = records->batch.words + records->batch.nwords;
	uint64_t	results = ResultsOf(job, row, right, n);

	*to++ = FIM_SETS_VALUES(data, &data->left)[row];
	*to++ = n;
	for (uint32_t i = 0; i < n; i++)
		*to++ = value_of[right[i]];
	if (job->asked->witnesses)
	{
		memcpy(to, witnesses, sizeof(uint32_t) * n);
		to += n;
	}
	for (uint32_t i = 0; i < n && job->asked->result == FIM_SETS_SIMILAR; i++, to += 2)
	{
		double		similarity = SimilarityOf(job->asked->measure, witnesses[i], FimSetsLength(data, &data->left, row),
											  FimSetsLength(data, &data->right, right[i]));

		memcpy(to, &similarity, sizeof(similarity));
	}
	records->batch.nwords += FimSetsRecordWords(job->asked, n);
	records->batch.n += results;
	RecordsCount(job, records->strategy, results);
}

static cudaError_t
AddCells(SetsJob *job, Records *records, uint32_t row, const uint32_t *right, const uint32_t *witnesses, uint32_t n)
{
	while (n > 0)
	{
		uint32_t	now = (uint32_t) GpuLesser(n, Room(job, records));

		if (now > 0)
			AddRecord(job, records, row, right, witnesses, now);
		else
			GPU_TRY(GpuWriteRecords(&records->batch));
		right += now;
		witnesses += witnesses != NULL ? now : 0;
		n -= now;
		GPU_TRY(HostWork(job, 4 * (uint64_t) now));
	}
	return cudaSuccess;
}

/*
 * For containment, where one order of a cell's pair may be a result, or both: writes the reverse orders that
 * are results, and keeps in the arrays those cells that are results in their own order.
 */
static cudaError_t
AddReverse(SetsJob *job, Records *records, uint32_t row, uint32_t *right, uint32_t *witnesses, uint32_t *n)
{
	const FimSetsData *data = job->data;
	uint32_t	size = FimSetsLength(data, &data->left, row);
	uint32_t	kept = 0;

	for (uint32_t i = 0; i < *n; i++)
	{
		uint32_t	cell = right[i];
		uint32_t	overlap = witnesses[i];

		if (SimilarityOf(FIM_CONTAINMENT, overlap, FimSetsLength(data, &data->right, cell), size) >= job->asked->threshold)
			GPU_TRY(AddCells(job, records, cell, &row, &overlap, 1));
		right[kept] = cell;
		witnesses[kept] = overlap;
		kept += SimilarityOf(FIM_CONTAINMENT, overlap, size, FimSetsLength(data, &data->right, cell)) >= job->asked->threshold;
	}
	*n = kept;
	return cudaSuccess;
}

cudaError_t
RecordsWrite(SetsJob *job, Records *records, uint32_t row, uint32_t *right, uint32_t *witnesses, uint32_t n)
{
	if (job->asked->result == FIM_SETS_SIMILAR && job->asked->measure == FIM_CONTAINMENT)
		GPU_TRY(AddReverse(job, records, row, right, witnesses, &n));
	return AddCells(job, records, row, right, witnesses, n);
}
