/*-------------------------------------------------------------------------
 *
 * tensor_crew.c
 *	  Strategy "tensor" as one of the GPU engine's.
 *
 * Each device of the job has a thread and a miner of its own, together a member of
 * the job's crew.  The caller's host and sink know one thread only, the one that
 * called: a member asks it for memory and hands it batches of itemsets, and
 * meanwhile that thread looks whether the job is to stop.  So members need no
 * more than their device, and none of them is left behind when the job ends.
 *
 * Where not even the root's bitmaps fit the devices, hil streams them; and where
 * memory runs out later, before anything was given out.
 *
 *-------------------------------------------------------------------------
 */
#include "copies.h"
#include "itemsets/strategies.h"
#include "itemsets/tensor.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#define POLL_NS		1000000

/* What a member waits for. */
typedef enum Wish
{
	WISH_NOTHING,
	WISH_ALLOC,
	WISH_FREE,
	WISH_DEVICE,
	WISH_WRITE
} Wish;

typedef struct Member Member;

typedef struct MemberHost
{
	FimHost		base;
	Member	   *member;
} MemberHost;

typedef struct MemberSink
{
	FimSink		base;
	Member	   *member;
} MemberSink;

struct Member
{
	TensorDevice device;		/* the first, so that callbacks find the rest */
	GpuDevice  *gpu;
	Miner		miner;
	Tensor	   *tensor;
	MemberHost	host;
	MemberSink	sink;
	GpuTimer   *build;
	pthread_t	thread;
	FimResult	result;

	/* why, if that is a fault */
	cudaError_t error;
	const char *what;
	uint64_t	needed;			/* bytes that were not free, or 0 */

	Wish		wish;
	size_t		bytes;			/* to allocate, on the host or the device */
	size_t		least;			/* that are of use */
	void	   *block;			/* allocated, or to free */
	const uint32_t *words;		/* to write */
	size_t		nwords;
	size_t		nitemsets;
};

typedef struct Crew
{
	ItemsetJob *job;
	FimSink		sink;			/* the job's, for the calling thread */
	Member		members[FIM_GPU_MAX_DEVICES];
	uint32_t	nmembers;		/* whose miners have been set up */
	uint32_t	running;
	uint32_t	taken;			/* atomic: see TensorDevice */
	bool		stop;			/* atomic: members are to leave */
	bool		written;		/* itemsets have left for the sink */
	pthread_mutex_t lock;		/* guards running and the members' wishes */
	pthread_cond_t asked;		/* a member has a wish, or has ended */
	pthread_cond_t granted;
} Crew;

/* The job under way. */
static Crew *tensor_crew;

/* ---- a member's side ---- */

static void
Ask(Member *member, Wish wish)
{
	Crew	   *crew = tensor_crew;

	pthread_mutex_lock(&crew->lock);
	member->wish = wish;
	pthread_cond_signal(&crew->asked);
	while (member->wish != WISH_NOTHING)
		pthread_cond_wait(&crew->granted, &crew->lock);
	pthread_mutex_unlock(&crew->lock);
}

static void *
MemberAlloc(FimHost *host, size_t bytes)
{
	Member	   *member = ((MemberHost *) host)->member;

	member->bytes = bytes;
	Ask(member, WISH_ALLOC);
	return member->block;
}

static void
MemberFree(FimHost *host, void *block)
{
	Member	   *member = ((MemberHost *) host)->member;

	member->block = block;
	Ask(member, WISH_FREE);
}

static bool
MustStop(void)
{
	return __atomic_load_n(&tensor_crew->stop, __ATOMIC_RELAXED);
}

static void
StopAll(void)
{
	__atomic_store_n(&tensor_crew->stop, true, __ATOMIC_RELAXED);
}

static bool
MemberPoll(FimHost *host)
{
	return MustStop();
}

static bool
MemberWrite(FimSink *sink, const uint32_t *words, size_t nwords, size_t nitemsets)
{
	Member	   *member = ((MemberSink *) sink)->member;

	member->words = words;
	member->nwords = nwords;
	member->nitemsets = nitemsets;
	Ask(member, WISH_WRITE);
	return !MustStop();
}

static void
Fault(TensorDevice *device, cudaError_t error, const char *what)
{
	Member	   *member = (Member *) device;

	member->error = error;
	member->what = what;
	longjmp(member->miner.leave, FIM_DEVICE_FAULT);
}

static void
Full(TensorDevice *device, const char *what, uint64_t needed, uint64_t free)
{
	((Member *) device)->needed = needed;
	Fault(device, cudaErrorMemoryAllocation, what);
}

static cudaError_t
LaunchError(TensorDevice *device)
{
	return GpuLaunchError();
}

static cudaError_t
WaitError(TensorDevice *device)
{
	return GpuLosesDevice() ? cudaErrorDevicesUnavailable : cudaSuccess;
}

static void *
More(TensorDevice *device, uint64_t least, uint64_t *bytes)
{
	Member	   *member = (Member *) device;

	member->bytes = *bytes;
	member->least = least;
	Ask(member, WISH_DEVICE);
	*bytes = member->bytes;
	return member->block;
}

static void
BeginBuild(TensorDevice *device, uint64_t bytes)
{
	Member	   *member = (Member *) device;

	member->build = JobBegin(member->gpu, GPU_COUNT, FIM_GPU_BUILD, (double) bytes);
}

static void
EndBuild(TensorDevice *device)
{
	Member	   *member = (Member *) device;

	OrLeave(GpuEnd(member->gpu, GPU_COUNT, member->build));
}

static FimResult
MineMember(Member *member)
{
	FimResult	result = (FimResult) setjmp(member->miner.leave);
	cudaError_t error;

	if (result != FIM_DONE)
		return result;
	error = cudaSetDevice(member->gpu->number);
	if (error != cudaSuccess)
		Fault(&member->device, error, "choosing a device");
	TensorMine(member->tensor);
	OutputFlush(&member->miner);
	return FIM_DONE;
}

static void *
MemberMain(void *argument)
{
	Member	   *member = (Member *) argument;
	Crew	   *crew = tensor_crew;

	member->result = MineMember(member);
	if (member->result != FIM_DONE)
		StopAll();
	pthread_mutex_lock(&crew->lock);
	crew->running--;
	pthread_cond_signal(&crew->asked);
	pthread_mutex_unlock(&crew->lock);
	return NULL;
}

/* ---- the job's side ---- */

static bool
CrewWrite(FimSink *own, const uint32_t *words, size_t nwords, size_t nitemsets)
{
	FimSink    *sink = tensor_crew->job->sink;

	tensor_crew->written = true;
	return sink->write(sink, words, nwords, nitemsets);
}

static void
UseHost(Member *member, FimHost *host, FimSink *sink)
{
	member->miner.host = host;
	member->miner.arena.host = host;
	member->miner.sink = sink;
}

/* Its miner asks the job's own host as long as there is no thread. */
static void
AddMember(Crew *crew, GpuDevice *gpu, uint64_t least, uint64_t wanted)
{
	const char *what = "allocating memory for the job";
	ItemsetJob *job = crew->job;
	Member	   *member = &crew->members[crew->nmembers];

	member->gpu = gpu;
	member->device.size = GpuLesser(wanted, GpuRoom(gpu)) / 512 * 512;
	member->device.memory = JobTryAlloc(gpu, member->device.size, what);
	if (member->device.memory == NULL)
	{
		/* somebody else has taken some */
		member->device.size = least / 512 * 512;
		OrLeave(GpuAlloc(gpu, member->device.size, what, &member->device.memory));
	}
	member->device.stream = gpu->streams[GPU_COUNT];
	member->device.fault = Fault;
	member->device.full = Full;
	member->device.begin_build = BeginBuild;
	member->device.end_build = EndBuild;
	member->device.launch_error = LaunchError;
	member->device.wait_error = WaitError;
	member->device.more = More;
	OrLeave(GpuKept(gpu, &member->device.kept));
	member->device.taken = &crew->taken;
	member->host.base = (FimHost) {MemberAlloc, MemberFree, MemberPoll};
	member->host.member = member;
	member->sink.base.write = MemberWrite;
	member->sink.member = member;
	MinerInit(&member->miner, job->asked, job->db, job->team.shared, job->team.host, &crew->sink);
	crew->nmembers++;
}

static FimResult
BeginMember(Crew *crew, uint32_t number)
{
	Member	   *member = &crew->members[number];
	FimResult	result = (FimResult) setjmp(member->miner.leave);

	if (result != FIM_DONE)
		return result;
	OrLeave(GpuUse(member->gpu, "choosing a device"));
	OutputInit(&member->miner);
	member->tensor = TensorBegin(&member->miner, &member->device, crew->nmembers, number);
	return FIM_DONE;
}

/* Copy the transactions to all members, which are those of the job's devices. */
static void
UploadAll(Crew *crew)
{
	const char *what = "copying transactions to the device";
	ItemsetJob *job = crew->job;
	uint32_t	nrows = job->db->nrows;
	uint64_t   *start = (uint64_t *) JobAlloc(job, sizeof(uint64_t) * ((size_t) nrows + 1));
	void	   *rows_at[FIM_GPU_MAX_DEVICES];
	void	   *items_at[FIM_GPU_MAX_DEVICES];
	void	   *start_at[FIM_GPU_MAX_DEVICES];

	for (uint32_t i = 0; i < crew->nmembers; i++)
	{
		const TensorSource *source = TensorSourceOf(crew->members[i].tensor);

		rows_at[i] = source->rows;
		items_at[i] = source->items;
		start_at[i] = source->start;
	}
	start[0] = 0;
	for (uint32_t r = 0; r < nrows; r++)
	{
		start[r + 1] = start[r] + job->rows[r].weight;
		JobWork(job, 1);
	}
	OrLeave(GpuSendAll(&job->team, GPU_COUNT, rows_at, job->rows, sizeof(FimRow) * (size_t) nrows, what));
	OrLeave(GpuSendAll(&job->team, GPU_COUNT, items_at, job->items, sizeof(uint32_t) * (size_t) job->db->entries, what));
	OrLeave(GpuSendAll(&job->team, GPU_COUNT, start_at, start, sizeof(uint64_t) * (size_t) nrows, what));
	JobFree(job, start);
}

static FimResult
BuildMember(Member *member)
{
	FimResult	result = (FimResult) setjmp(member->miner.leave);

	if (result != FIM_DONE)
		return result;
	OrLeave(GpuUse(member->gpu, "choosing a device"));
	TensorBuild(member->tensor);
	return FIM_DONE;
}

/* The caller's signal handlers are for the caller's thread. */
static bool
StartThread(Member *member)
{
	sigset_t	all;
	sigset_t	before;
	int			error;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&member->thread, NULL, MemberMain, member);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error == 0;
}

static void
Grant(Crew *crew, Member *member)
{
	FimHost    *host = crew->job->team.host;

	switch (member->wish)
	{
		case WISH_ALLOC:
			member->block = host->alloc(host, member->bytes);
			break;
		case WISH_FREE:
			host->free(host, member->block);
			break;
		case WISH_DEVICE:
			/* an error that is no lack of memory the member will meet, too */
			member->bytes = GpuLesser(member->bytes, GpuRoom(member->gpu) / 4 * 3) / 512 * 512;
			member->block = NULL;
			if (member->bytes >= member->least)
				(void) GpuTakeMemory(member->gpu, member->bytes, &member->block);
			break;
		case WISH_WRITE:
			if (!MustStop() &&
				!CrewWrite(&crew->sink, member->words, member->nwords, member->nitemsets))
				StopAll();
			break;
		case WISH_NOTHING:
			break;
	}
}

/* A member that waits; NULL: none does, or not yet. */
static Member *
NextAsking(Crew *crew)
{
	struct timespec until;

	for (uint32_t i = 0; i < crew->nmembers; i++)
		if (crew->members[i].wish != WISH_NOTHING)
			return &crew->members[i];
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += POLL_NS;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	(void) pthread_cond_timedwait(&crew->asked, &crew->lock, &until);
	return NULL;
}

/* Do what members wish until all have ended. */
static void
Serve(Crew *crew)
{
	pthread_mutex_lock(&crew->lock);
	while (crew->running > 0)
	{
		Member	   *member = NextAsking(crew);

		pthread_mutex_unlock(&crew->lock);
		if (member != NULL)
			Grant(crew, member);
		if (GpuPoll(&crew->job->team))
			StopAll();
		pthread_mutex_lock(&crew->lock);
		if (member != NULL)
		{
			member->wish = WISH_NOTHING;
			pthread_cond_broadcast(&crew->granted);
		}
	}
	pthread_mutex_unlock(&crew->lock);
}

/* Returns when no thread is left. */
static void
RunCrew(Crew *crew)
{
	uint32_t	started = 0;

	crew->running = crew->nmembers;
	for (; started < crew->nmembers; started++)
	{
		Member	   *member = &crew->members[started];

		UseHost(member, &member->host.base, &member->sink.base);
		if (!StartThread(member))
			break;
	}
	if (started < crew->nmembers)
	{
		crew->members[started].result = FIM_OUT_OF_MEMORY;
		StopAll();
		pthread_mutex_lock(&crew->lock);
		crew->running -= crew->nmembers - started;
		pthread_mutex_unlock(&crew->lock);
	}
	Serve(crew);
	for (uint32_t i = 0; i < crew->nmembers; i++)
	{
		if (i < started)
			pthread_join(crew->members[i].thread, NULL);
		UseHost(&crew->members[i], crew->job->team.host, &crew->sink);
	}
}

/* The first member that failed; else one that was stopped; NULL: all are done. */
static Member *
FindUndone(Crew *crew)
{
	Member	   *stopped = NULL;

	for (uint32_t i = 0; i < crew->nmembers; i++)
	{
		Member	   *member = &crew->members[i];

		if (member->result == FIM_STOPPED)
			stopped = member;
		else if (member->result != FIM_DONE)
			return member;
	}
	return stopped;
}

static void
LeaveFor(const Member *member)
{
	if (member->result != FIM_DEVICE_FAULT)
		JobLeave(member->result);
	if (member->needed > 0)
		OrLeave(GpuOutOfMemory(member->gpu, member->needed, member->what));
	OrLeave(GpuCheck(member->gpu, member->error, member->what));
}

/* What is left in the miner. */
static FimResult
CollectMember(Crew *crew, Member *member)
{
	FimResult	result = (FimResult) setjmp(member->miner.leave);

	if (result != FIM_DONE)
		return result;
	OutputFlush(&member->miner);
	if (crew->job->asked->head.count_only)
		OutputTally(&member->miner, crew->job->tally);
	return FIM_DONE;
}

/* Every member's part, up to the first that is not done. */
static void
MineCrew(Crew *crew)
{
	double		begin = Milliseconds();

	for (uint32_t i = 0; i < crew->nmembers && FindUndone(crew) == NULL; i++)
		crew->members[i].result = BeginMember(crew, i);
	if (FindUndone(crew) == NULL && crew->members[0].tensor != NULL)
	{
		UploadAll(crew);
		for (uint32_t i = 0; i < crew->nmembers && FindUndone(crew) == NULL; i++)
			crew->members[i].result = BuildMember(&crew->members[i]);
		if (FindUndone(crew) == NULL)
			RunCrew(crew);
	}
	for (uint32_t i = 0; i < crew->nmembers; i++)
	{
		GpuDevice  *gpu = crew->members[i].gpu;

		gpu->amount[FIM_GPU_COUNT] += (double) crew->members[i].device.tests;
		gpu->ms[FIM_GPU_COUNT] += Milliseconds() - begin;
		gpu->amount[FIM_GPU_RETURN] += (double) crew->members[i].device.returned;
		gpu->ms[FIM_GPU_RETURN] += crew->members[i].device.return_ms;
		if (FindUndone(crew) == NULL)
			crew->members[i].result = CollectMember(crew, &crew->members[i]);
	}
}

/* Give the members' memory back, however the job ended: no thread is left then. */
void
TensorRelease(void)
{
	Crew	   *crew = tensor_crew;

	if (crew == NULL)
		return;
	tensor_crew = NULL;
	for (uint32_t i = 0; i < crew->nmembers; i++)
	{
		Member	   *member = &crew->members[i];

		OutputFree(&member->miner);
		ArenaFree(&member->miner.arena);
	}
	pthread_cond_destroy(&crew->granted);
	pthread_cond_destroy(&crew->asked);
	pthread_mutex_destroy(&crew->lock);
	JobFree(crew->job, crew);
}

static Crew *
CallCrew(ItemsetJob *job, uint64_t least, uint64_t wanted)
{
	Crew	   *crew = (Crew *) JobAlloc(job, sizeof(Crew));
	pthread_condattr_t monotonic;

	memset(crew, 0, sizeof(*crew));
	crew->job = job;
	crew->sink.write = CrewWrite;
	pthread_mutex_init(&crew->lock, NULL);
	/* a clock that nobody sets: cancels must not wait for it */
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&crew->asked, &monotonic);
	pthread_condattr_destroy(&monotonic);
	pthread_cond_init(&crew->granted, NULL);
	tensor_crew = crew;
	for (int d = 0; d < job->team.ndevices; d++)
		AddMember(crew, job->team.devices[d], least, wanted);
	return crew;
}

/* So that another strategy can begin. */
static void
DismissCrew(Crew *crew)
{
	TensorRelease();
	GpuReleaseAll();
}

void
TensorMineJob(ItemsetJob *job)
{
	uint64_t	least;
	uint64_t	wanted;

	TensorMemory(job->asked, job->db, &least, &wanted);
	if (least <= GpuLeastRoom(&job->team))
	{
		Crew	   *crew = CallCrew(job, least, wanted);
		const Member *undone;

		job->team.strategy = FIM_GPU_TENSOR;
		MineCrew(crew);
		undone = FindUndone(crew);
		if (undone == NULL)
			return;
		if (undone->needed == 0 || crew->written)
			LeaveFor(undone);
		DismissCrew(crew);
	}
	job->team.strategy = FIM_GPU_HIL;
	GminerMine(job);
}
