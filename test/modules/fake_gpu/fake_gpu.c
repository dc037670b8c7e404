/*-------------------------------------------------------------------------
 *
 * fake_gpu.c
 *	  A stand-in for gpufim_cuda.so: two devices of 1 GB that are not there.
 *
 * Tests load it through gpufim.cuda_library, to have everything that concerns
 * the GPU worker on machines without a GPU.  It knows no family: each has a fake
 * of its own, which calls FakeMine() to have the CPU engine mine.  What can go wrong
 * on a device is counted where that engine calls its host, and goes wrong when it is
 * the injected number's turn: a poll is a launch, a batch of results a wait, and
 * both that and an allocation an allocation on the device.
 *
 * Tests also tell it what to do by files in the data directory, which is the
 * worker's working directory.  So they need not guess how long anything takes:
 *
 *		fake_gpu.hold	while it exists, no job is mined; one that has begun waits
 *		fake_gpu.greed	while it exists, each job asks for more host memory than
 *						any setting of gpufim.memory_limit that a test has
 *		fake_gpu.pairs	while it exists, itemsets of two items are mined whatever
 *						lengths are asked for: what would take for ever is soon done
 *		fake_gpu.exit	while it exists, the worker's process ends when it looks for devices
 *
 *-------------------------------------------------------------------------
 */
#include "fake_gpu.h"

#include <setjmp.h>
#include <string.h>
#include <unistd.h>

#define DEVICES			2
#define DEVICE_MEMORY	((uint64_t) 1 << 30)

#define HOLD_FILE		"fake_gpu.hold"
#define GREED_FILE		"fake_gpu.greed"
#define EXIT_FILE		"fake_gpu.exit"
#define GREED_BYTES		((size_t) 1 << 40)

/* A job that is held looks this often whether it still is. */
#define HOLD_TURN_US	2000

/* The engine's host and sink: those that were given, and where to fail. */
typedef struct FakeHost
{
	FimHost		host;			/* must be first */
	FimHost    *real;
	jmp_buf		full;			/* where mining ends when the stack is nearly used up */
} FakeHost;

typedef struct FakeSink
{
	FimSink		sink;			/* must be first */
	FimSink    *real;
} FakeSink;

/* PostgreSQL's: ends the process into which the library has been loaded. */
extern void proc_exit(int code);

static FimGpuOptions options;
static FimGpuFault fault;
static FimGpuReport report;
static bool faulted;			/* in this job */
static bool lost;				/* nothing works any more */
static bool opened[DEVICES];

static void
Fail(const char *error, const char *what, bool sticky)
{
	memset(&fault, 0, sizeof(fault));
	strcpy(fault.error, error);
	strcpy(fault.what, what);
	fault.device = options.ndevices > 0 ? options.devices[0] : 0;
	fault.sticky = sticky;
	faulted = true;
	lost = lost || sticky;
}

/* Is it the injected one's turn?  A negative number's turn does not end. */
static bool
Injected(int *countdown)
{
	if (*countdown < -1)
		++*countdown;
	else if (*countdown != 0)
		return *countdown == -1 || --*countdown == 0;
	return false;
}

static bool
AllocationFails(size_t bytes)
{
	if (!Injected(&options.inject.allocation))
		return false;
	Fail("cudaErrorMemoryAllocation", "allocating what was injected", false);
	fault.out_of_memory = true;
	fault.needed = bytes;
	fault.free = bytes / 2;
	return true;
}

static void *
Alloc(FimHost *host, size_t bytes)
{
	if (AllocationFails(bytes))
		return NULL;
	return ((FakeHost *) host)->real->alloc(((FakeHost *) host)->real, bytes);
}

static void
Free(FimHost *host, void *block)
{
	((FakeHost *) host)->real->free(((FakeHost *) host)->real, block);
}

static bool
Poll(FimHost *host)
{
	if ((const char *) __builtin_frame_address(0) < host->stack_end)
		longjmp(((FakeHost *) host)->full, 1);
	if (Injected(&options.inject.launch))
		Fail("cudaErrorLaunchFailure", "counting", true);
	return faulted || ((FakeHost *) host)->real->poll(((FakeHost *) host)->real);
}

static bool
Write(FimSink *sink, const uint32_t *words, size_t nwords, size_t nitemsets)
{
	FimSink    *real = ((FakeSink *) sink)->real;

	if (!real->write(real, words, nwords, nitemsets))
		return false;
	if (Injected(&options.inject.device))
		Fail("cudaErrorDevicesUnavailable", "waiting for results", true);
	return !faulted && !AllocationFails(nwords * sizeof(uint32_t));
}

/* false: the job was given up meanwhile. */
static bool
WaitWhileHeld(FimHost *host)
{
	while (access(HOLD_FILE, F_OK) == 0)
	{
		if (host->poll(host))
			return false;
		usleep(HOLD_TURN_US);
	}
	return true;
}

/*
 * A copy of the data that the CPU engine can use: whoever asks a GPU at once has not
 * completed them, nor left room for that.  NULL if there is no memory.
 */
static FimData *
CopyData(const FimFamily *family, const FimData *data, FimHost *host)
{
	size_t		size = family->cpu_size ? family->cpu_size(data) : data->size;
	FimData    *copy = host->alloc(host, access(GREED_FILE, F_OK) == 0 ? GREED_BYTES : size);

	if (copy != NULL)
		memcpy(copy, data, data->size);
	return copy;
}

static void
MakeReport(const FimTask *task, int strategy)
{
	memset(&report, 0, sizeof(report));
	report.strategies = strategy == 0 ? task->shared->strategies : UINT32_C(1) << strategy;
	report.ndevices = options.ndevices;
	memcpy(report.devices, options.devices, sizeof(report.devices));
	report.candidates = task->shared->nodes;
	report.peak_memory = task->data->size;
}

/* If the stack is nearly used up, the real host gives back what the engine has not freed. */
static FimResult
MineOnCpu(const FimTask *task, FakeHost *host, FimSink *sink)
{
	if (setjmp(host->full) != 0)
		return FIM_OUT_OF_MEMORY;
	return FimMine(task, &host->host, sink);
}

FimResult
FakeMine(const FimTask *task, const FimFamily *family, const FimSpec *cpu_spec, int strategy,
		 FimHost *host, FimSink *sink)
{
	FakeHost	fake_host = {{Alloc, Free, Poll, host->stack_end}, host};
	FakeSink	fake_sink = {{Write}, sink};
	FimTask		cpu_task = *task;
	FimData    *data;
	FimResult	result = FIM_STOPPED;

	if (lost)
		return FIM_DEVICE_FAULT;
	faulted = false;
	if (!WaitWhileHeld(host))
		return FIM_STOPPED;
	data = CopyData(family, task->data, host);
	if (data == NULL)
		return FIM_OUT_OF_MEMORY;
	cpu_task.family = family;
	cpu_task.spec = cpu_spec;
	cpu_task.data = data;
	if (family->cpu_prepare == NULL || family->cpu_prepare(data, &fake_host.host))
	{
		/* they were counted for another strategy, and before the data were complete */
		task->shared->units = task->shared->total = family->units(&cpu_task);
		result = MineOnCpu(&cpu_task, &fake_host, &fake_sink.sink);
	}
	host->free(host, data);
	MakeReport(task, strategy);
	return faulted ? FIM_DEVICE_FAULT : result;
}

void
FakeEstimate(const FimTask *task, uint64_t *wanted, uint64_t *least)
{
	*wanted = task->data->size;
	*least = task->data->size / 4;
}

static int
Devices(FimGpuDevice *to, int room)
{
	int			n = room < DEVICES ? room : DEVICES;

	if (access(EXIT_FILE, F_OK) == 0)
		proc_exit(1);
	for (int i = 0; i < n; i++)
	{
		memset(&to[i], 0, sizeof(to[i]));
		strcpy(to[i].name, "Stand-in");
		to[i].device = i;
		to[i].major = 9;
		to[i].multiprocessors = 1;
		to[i].memory = DEVICE_MEMORY;
		to[i].free = opened[i] ? DEVICE_MEMORY / 2 : 0;
	}
	return n;
}

static bool
Open(const FimGpuOptions *with)
{
	for (int i = 0; i < with->ndevices; i++)
		opened[with->devices[i]] = true;
	return !lost;
}

static void
SetOptions(const FimGpuOptions *with)
{
	options = *with;
	memset(&report, 0, sizeof(report));
}

static const FimGpuFault *
Fault(void)
{
	return &fault;
}

static const FimGpuReport *
Report(void)
{
	return &report;
}

static void
Close(void)
{
	memset(opened, 0, sizeof(opened));
}

static const FimGpuFamily *const families[] = {
#define FIM_FAMILY(name)	&Fim##name##GpuFamily,
#include "engine/families.h"
#undef FIM_FAMILY
	NULL
};

static const FimGpuLibrary library = {
	.version = FIM_GPU_VERSION,
	.families = families,
	.devices = Devices,
	.open = Open,
	.set_options = SetOptions,
	.fault = Fault,
	.report = Report,
	.close = Close
};

/* From 16 on, PostgreSQL has extensions compiled with all symbols hidden. */
__attribute__((visibility("default")))
const FimGpuLibrary *FimGpuOpenLibrary(void);

const FimGpuLibrary *
FimGpuOpenLibrary(void)
{
	return &library;
}
