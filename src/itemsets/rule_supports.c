/*-------------------------------------------------------------------------
 *
 * rule_supports.c
 *	  The frequent itemsets that rules are made of, kept with their supports while they are mined.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "gpufim.h"
#include "itemsets/itemsets.h"
#include "itemsets/rules.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "work/work.h"

#define WHAT	"the itemsets that rules are made of"

typedef struct SupportsSink
{
	FimSink		sink;			/* must be first */
	FimHost		host;			/* whose memory the job counts */
	struct Job *job;
	MemoryContext context;
	FimSupportsBuilder builder;
} SupportsSink;

static SupportsSink *
SinkOf(FimHost *host)
{
	return (SupportsSink *) ((char *) host - offsetof(SupportsSink, host));
}

static void *
HostAlloc(FimHost *host, size_t bytes)
{
	SupportsSink *sink = SinkOf(host);
	void	   *block;

	JobTakeMemory(sink->job, bytes, WHAT);
	block = MemoryContextAllocExtended(sink->context, bytes, MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);
	if (block == NULL)
		JobOutOfMemory();
	JobTakeMemory(sink->job, GetMemoryChunkSpace(block) - bytes, WHAT);
	return block;
}

static void
HostFree(FimHost *host, void *block)
{
	JobGiveBackMemory(SinkOf(host)->job, GetMemoryChunkSpace(block));
	pfree(block);
}

static bool
AddBatch(FimSink *sink, const uint32_t *words, size_t nwords, size_t nresults)
{
	CHECK_FOR_INTERRUPTS();
	if (FimSupportsAdd(&((SupportsSink *) sink)->builder, words, nresults) == FIM_SUPPORTS_TOO_MANY)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many itemsets to make rules of"),
				 errdetail("All frequent itemsets are kept while rules are made, and there are 2^31 or more."),
				 errhint("Raise \"minsup\" or lower \"max_length\" to get fewer.")));
	return true;
}

static void
ForgetBatches(FimSink *sink)
{
	FimSupportsRestart(&((SupportsSink *) sink)->builder);
}

FimSupports *
MineSupports(struct Job *job, const GpufimItems *items)
{
	SupportsSink *sink = palloc0(sizeof(SupportsSink));
	Size		size = ((Size) items->nitems + 1) * sizeof(uint32);
	uint32	   *support;
	FimSupports *supports;

	sink->sink.write = AddBatch;
	sink->sink.restart = ForgetBatches;
	sink->host = (FimHost) {.alloc = HostAlloc,.free = HostFree,.poll = PollInterrupts};
	sink->job = job;
	sink->context = CurrentMemoryContext;
	support = HostAlloc(&sink->host, size);
	for (uint32 i = 0; i < items->nitems; i++)
		support[i] = items->items[i].support;
	(void) FimSupportsBegin(&sink->builder, &sink->host, items->nitems, support, items->rows);
	HostFree(&sink->host, support);

	(void) JobRun(job, &sink->sink);
	supports = (FimSupports *) JobReplaceData(job, FimSupportsSize(&sink->builder), WHAT);
	(void) FimSupportsFinish(&sink->builder, supports);
	FimSupportsEnd(&sink->builder);
	return supports;
}
