/*-------------------------------------------------------------------------
 *
 * encode.c
 *	  From relations that have been read to the data that the engine multiplies.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "figures.h"
#include "sets/encode.h"
#include "work/host.h"

/* The least time that each engine takes for a pair: to sort it by key and by value, or to copy it to a GPU. */
#define CPU_PAIR_MS		20e-6
#define GPU_PAIR_MS		2e-6
#define GPU_CALL_MS		0.8

EngineCost
SetsCost(uint64 npairs)
{
	EngineCost	cost;

	cost.cpu_ms = npairs * CPU_PAIR_MS;
	cost.gpu_ms = npairs * GPU_PAIR_MS + GPU_CALL_MS;
	return cost;
}

KeptValues
KeepValues(PairRelation *relation, uint32 least, bool listed)
{
	ItemFilter	filter = {.minsup = least,.with_values = listed};
	GpufimRows *rows = relation->rows;
	KeptValues	kept = {NULL, relation->nvalues, rows->transactions};

	if (!OidIsValid(relation->value_type))
		return kept;
	kept.items = PruneItems(rows, &filter);
	kept.n = kept.items->nitems;
	/* the dictionary's counts end at UINT32_MAX */
	if (rows->transactions < UINT32_MAX)
		kept.npairs = kept.items->entries;
	return kept;
}

/* Add the pairs of kept values to the engine's data.  Consumes the relation's pairs. */
static void
AddPairs(PairRelation *relation, const KeptValues *kept, FimSetsData *data, FimSetsSide *side)
{
	ChunkList	chunks = relation->rows->records;
	ChunkWalk	walk;
	const uint32 *pair;
	const uint32 *end;

	memset(&relation->rows->records, 0, sizeof(ChunkList));
	ChunkWalkBegin(&walk, relation->rows, &chunks, true);
	while (ChunkWalkNext(&walk, &pair, &end))
	{
		CurrentRun->done += (end - pair) / PAIR_WORDS;
		for (; pair < end; pair += PAIR_WORDS)
		{
			uint32		value = kept->items ? MappedItem(kept->items, pair[1]) : pair[1];

			if (value < kept->n)
				FimSetsAdd(data, side, pair[0], value);
		}
	}
	ChunkWalkEnd(&walk);
	RowsClose(relation->rows);
}

/* The most bytes that the data can take, including what the engine that begins will add to them. */
static Size
DataBound(const struct Job *job, const FimSetsSize *size)
{
	return JobBeginsOnCpu(job) ? FimSetsCpuBound(size) : FimSetsBound(size);
}

FimSetsData *
BuildSetsData(struct Job *job, Relations *relations, const KeptValues *left,
			  const KeptValues *right, MemoryLedger *ledger)
{
	FimSetsSize size = {
		.left_pairs = left->npairs,
		.left_values = left->n,
		.keys = relations->nkeys,
		.one = relations->one
	};
	FimSetsData *data;
	Size		bound;

	if (!relations->one)
	{
		size.right_pairs = right->npairs;
		size.right_values = right->n;
	}
	bound = DataBound(job, &size);
	LedgerMakeRoom(ledger, bound, "the pairs");
	data = (FimSetsData *) JobAllocateData(job, bound);
	FimSetsBegin(data, bound, &size);
	CurrentRun->done = 0;
	CurrentRun->total = CurrentRun->transactions;
	AddPairs(&relations->left, left, data, &data->left);
	if (!relations->one)
		AddPairs(&relations->right, right, data, &data->right);
	LedgerDestroy(ledger);
	if (FimSetsFinish(data, JobOpenHost(job)) == FIM_OUT_OF_MEMORY)
		JobOutOfMemory();
	JobCloseHost(job);
	return data;
}
