/*-------------------------------------------------------------------------
 *
 * library.cu
 *	  What gpufim_cuda.so offers: see gpu.h.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "itemsets/bitmaps.h"
#include "host_threads.h"
#include "itemsets/strategies.h"
#include "itemsets/tensor.h"

/* For an estimate: what jobs take besides bitmaps, if they can have it. */
#define WORKING_MEMORY	(UINT64_C(128) << 20)

static const char *const strategy_names[] = FIM_GPU_STRATEGY_NAMES;

static FimGpuOptions gpu_options;
static FimGpuReport gpu_report;
static GpuJob gpu_job;			/* there is one at a time */

static void
DescribeJob(GpuJob *job, const FimJob *asked, const FimDatabase *db)
{
	const char *base = (const char *) db;

	job->job = asked;
	job->db = db;
	job->support = (const uint32_t *) (base + db->support_at);
	job->name = (const uint32_t *) (base + db->name_at);
	job->rows = (const FimRow *) (base + db->row_at);
	job->items = (const uint32_t *) (base + db->items_at);
	job->nitems = MinerFrequentItems(asked, db, &job->skip);
	job->strategy = (FimGpuStrategy) asked->strategy;
}

static FimResult
MineStrategy(GpuJob *job)
{
	switch (job->strategy)
	{
		case FIM_GPU_DCI_TRANSACTION:
		case FIM_GPU_DCI_CANDIDATE:
			return DciMine(job);
		case FIM_GPU_TFL:
		case FIM_GPU_HIL:
			return GminerMine(job);
		default:
			return TensorMineJob(job);
	}
}

static void
MakeReport(const GpuJob *job)
{
	memset(&gpu_report, 0, sizeof(gpu_report));
	gpu_report.strategy = job->strategy;
	gpu_report.ndevices = job->ndevices;
	gpu_report.candidates = job->candidates;
	for (int d = 0; d < job->ndevices; d++)
	{
		const GpuDevice *device = job->devices[d];

		gpu_report.devices[d] = device->number;
		gpu_report.peak_memory = GpuGreater(gpu_report.peak_memory, device->peak);
		for (int p = 0; p < FIM_GPU_NPHASES; p++)
		{
			gpu_report.ms[p] += device->ms[p];
			gpu_report.amount[p] += device->amount[p];
		}
	}
}

/* The root's answer when no device is needed, or all of it. */
static void
RunJob(GpuJob *job)
{
	if (GpuIsDead())
		GpuLeave(FIM_DEVICE_FAULT);
	GpuClearFault();
	GpuStartJob(job, &gpu_options);
	OutputInit(&job->miner);
	MineStrategy(job);
	OutputFlush(&job->miner);
	if (job->job->count_only)
		OutputTally(&job->miner, job->tally);
	/* a canceled job is not done, although nothing may be left to do */
	GpuPoll(job);
}

/* Output and the arena leave by the miner's jump, all else by the library's. */
static FimResult
TryJob(GpuJob *job)
{
	FimResult	result = (FimResult) setjmp(gpu_leave);

	if (result == FIM_DONE)
		result = (FimResult) setjmp(job->miner.leave);
	if (result == FIM_DONE)
		RunJob(job);
	return result;
}

/* Whichever way it ended. */
static void
EndJob(GpuJob *job)
{
	HostThreadsEnd();
	OutputFree(&job->miner);
	ArenaFree(&job->miner.arena);
	TensorRelease();
	GpuEndJob(job);
}

static FimResult
Mine(const FimJob *asked, const FimDatabase *db, FimShared *shared,
	 FimHost *host, FimSink *sink, FimTally *tally)
{
	FimResult	result;

	if (asked->max_length < asked->prefix_length)
		return FIM_DONE;
	GpuRelease();
	memset(&gpu_job, 0, sizeof(gpu_job));
	gpu_job.shared = shared;
	gpu_job.host = host;
	gpu_job.sink = sink;
	gpu_job.tally = tally;
	DescribeJob(&gpu_job, asked, db);
	MinerInit(&gpu_job.miner, asked, db, shared, host, sink);
	result = TryJob(&gpu_job);
	EndJob(&gpu_job);
	MakeReport(&gpu_job);
	return result;
}

static void
ListDevices(FimGpuDevice *to, int room, int *n)
{
	*n = GpuCountDevices();
	for (int i = 0; i < *n && i < room; i++)
		GpuDescribe(i, &to[i]);
}

static int
Devices(FimGpuDevice *to, int room)
{
	int			n = 0;

	if (setjmp(gpu_leave) != 0)
		return -1;
	ListDevices(to, room, &n);
	return n < room ? n : room;
}

static bool
Open(const FimGpuOptions *options)
{
	if (GpuIsDead() || setjmp(gpu_leave) != 0)
		return false;
	GpuOpenAll(options);
	return true;
}

static void
SetOptions(const FimGpuOptions *options)
{
	gpu_options = *options;
	GpuInject(&options->inject);
}

/*
 * The most is what an ancestor's strategy holds when all of it fits.  The least is
 * what streaming takes with the narrowest blocks.
 */
static void
EstimateAncestor(const FimJob *asked, const FimDatabase *db, uint64_t *wanted, uint64_t *least)
{
	GpuJob		job;
	Transactions from;
	uint64_t	bits;
	uint64_t	row;
	uint64_t	nrows;

	memset(&job, 0, sizeof(job));
	DescribeJob(&job, asked, db);
	TransactionsOfDatabase(&job, &from);
	row = (BitmapsColumns(&from) / BITMAP_CHUNK + 1) * sizeof(uint4);
	nrows = job.nitems - job.skip;
	bits = row * nrows;
	/* 31 rows for each five items; a second copy for compacting */
	*wanted = WORKING_MEMORY + (job.strategy == FIM_GPU_HIL ? bits / 5 * 31 : 2 * bits);
	*least = sizeof(uint4) * BITMAP_SLOTS * nrows * (from.weighted ? 8 : 1) +
		4 * BitmapsLeastPiece(&from) + sizeof(uint32_t) * (uint64_t) job.nitems + 8192;
	*least = GpuLesser(*least * 2, *wanted);
}

/* With less than tensor needs, hil mines. */
static void
Estimate(const FimJob *asked, const FimDatabase *db, uint64_t *wanted, uint64_t *least)
{
	FimJob		hil = *asked;
	uint64_t	tensor_least;

	if (asked->strategy != FIM_GPU_AUTO && asked->strategy != FIM_GPU_TENSOR)
	{
		EstimateAncestor(asked, db, wanted, least);
		return;
	}
	hil.strategy = FIM_GPU_HIL;
	EstimateAncestor(&hil, db, wanted, least);
	TensorMemory(asked, db, &tensor_least, wanted);
	*least = GpuLesser(*least, tensor_least);
}

static const FimGpuReport *
Report(void)
{
	return &gpu_report;
}

static const FimGpuLibrary library = {
	FIM_GPU_VERSION,
	{"gpu", strategy_names, Mine},
	Devices,
	Open,
	SetOptions,
	Estimate,
	GpuFault,
	Report,
	GpuCloseAll
};

extern "C" const FimGpuLibrary *FimGpuOpenLibrary(void);

extern "C" const FimGpuLibrary *
FimGpuOpenLibrary(void)
{
	return &library;
}
