/*-------------------------------------------------------------------------
 *
 * tensor_crew.c
 *	  Strategy "tensor" as one of the GPU engine's strategies.
 *
 * Each device of the job has a thread and a miner of its own, which together are a member of
 * the job's crew.  The calling thread gives members the memory that they
 * ask for, and gives their batches of itemsets to the sink.  Meanwhile it looks whether the job
 * is to stop.  Nothing of a member is left behind when the job ends.
 *
 * The job is left to another strategy if not even the root's bitmaps fit the devices, or if
 * memory runs out later but before anything was given out.
 *
 *-------------------------------------------------------------------------
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE				/* for pthread_getattr_np() */
#endif

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "device.h"
#include "engine/itemsets/miner.h"
#include "itemsets/itemsets.h"
#include "itemsets/tensor.h"
#include "team.h"

/*
 * A member of the crew of strategy "tensor": a device, with a thread and a miner.
 *
 * A member's thread may not use the job's host and sink, which belong to the calling thread.
 * If it needs something of the host, it states a wish, and waits until the calling thread has
 * granted the wish.  It hands over batches of itemsets without waiting, and goes on while the
 * calling thread gives them to the sink.
 */

/* What a member asks the calling thread for. */
typedef enum Wish
{
	WISH_NOTHING,
	WISH_ALLOC,
	WISH_FREE,
	WISH_DEVICE
} Wish;

/* The most batches of a member that wait to be written. */
#define CREW_BATCHES	8

typedef struct CrewBatch
{
	uint32_t   *words;			/* [OutputBatchRoom()]; NULL if itemsets are only counted */
	size_t		nwords;
	size_t		nitemsets;
} CrewBatch;

typedef struct Crew Crew;

typedef struct CrewMember CrewMember;

typedef struct CrewHost
{
	FimHost		base;
	CrewMember *member;
} CrewHost;

typedef struct CrewSink
{
	FimSink		base;
	CrewMember *member;
} CrewSink;

struct CrewMember
{
	TensorDevice device;		/* the first field, so that callbacks find the member */
	Crew	   *crew;
	GpuDevice  *gpu;
	Miner		miner;
	Tensor	   *tensor;
	CrewHost	host;
	CrewSink	sink;
	GpuTimer   *build;
	pthread_t	thread;
	FimResult	result;

	/* what went wrong, if the result is a fault */
	cudaError_t error;
	const char *what;
	uint64_t	needed;			/* bytes that were wanted and not free; 0 if there was another reason */

	Wish		wish;
	size_t		bytes;			/* to allocate, on the host or the device */
	size_t		least;			/* on the device: fewer bytes are of no use */
	void	   *memory;			/* what was allocated, or is to be freed */

	CrewBatch	batches[CREW_BATCHES]; /* a ring */
	uint32_t	first;			/* the batch that has waited longest */
	uint32_t	nbatches;		/* the number of batches that wait */
};

struct Crew
{
	ItemsetsJob *job;
	CrewMember	members[FIM_GPU_MAX_DEVICES];
	uint32_t	nmembers;		/* the number of members that have been set up */
	uint32_t	running;		/* the number of threads that have not ended */
	uint32_t	served;			/* the member for which something was done last */
	uint32_t	taken;			/* atomic: see TensorDevice */
	bool		stop;			/* atomic: all members are to leave */
	bool		written;		/* itemsets have been handed over */
	pthread_mutex_t lock;		/* guards running, written, and the members' wishes and batches */
	pthread_cond_t asked;		/* a member has a wish or a batch, or has ended */
	pthread_cond_t granted;		/* a wish has been granted, or a batch written */
};

/* State a wish, and wait until the calling thread has granted it. */
static void
Ask(CrewMember *member, Wish wish)
{
	Crew	   *crew = member->crew;

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
	CrewMember *member = ((CrewHost *) host)->member;

	member->bytes = bytes;
	Ask(member, WISH_ALLOC);
	return member->memory;
}

static void
MemberFree(FimHost *host, void *memory)
{
	CrewMember *member = ((CrewHost *) host)->member;

	member->memory = memory;
	Ask(member, WISH_FREE);
}

static bool
CrewMustStop(const Crew *crew)
{
	return __atomic_load_n(&crew->stop, __ATOMIC_RELAXED);
}

/* CrewStop() has all members leave when they poll next; CrewMustStop() says whether they are to leave. */
static void
CrewStop(Crew *crew)
{
	__atomic_store_n(&crew->stop, true, __ATOMIC_RELAXED);
}

/* If the stack is nearly used up, that is a lack of memory. */
static bool
MemberPoll(FimHost *host)
{
	CrewMember *member = ((CrewHost *) host)->member;

	if ((const char *) __builtin_frame_address(0) < host->stack_end)
		longjmp(member->miner.leave, FIM_OUT_OF_MEMORY);
	return CrewMustStop(member->crew);
}

/* Wait until there is room for another batch, and return where it goes. */
static CrewBatch *
NextBatch(CrewMember *member)
{
	Crew	   *crew = member->crew;
	CrewBatch  *batch;

	pthread_mutex_lock(&crew->lock);
	while (member->nbatches == CREW_BATCHES)
		pthread_cond_wait(&crew->granted, &crew->lock);
	batch = &member->batches[(member->first + member->nbatches) % CREW_BATCHES];
	pthread_mutex_unlock(&crew->lock);
	return batch;
}

/* Hand a batch over.  If the sink wants no more, the member only learns that from a later call. */
static bool
MemberWrite(FimSink *sink, const uint32_t *words, size_t nwords, size_t nitemsets)
{
	CrewMember *member = ((CrewSink *) sink)->member;
	Crew	   *crew = member->crew;
	CrewBatch  *batch = NextBatch(member);

	memcpy(batch->words, words, sizeof(uint32_t) * nwords);
	batch->nwords = nwords;
	batch->nitemsets = nitemsets;
	pthread_mutex_lock(&crew->lock);
	member->nbatches++;
	crew->written = true;
	pthread_cond_signal(&crew->asked);
	pthread_mutex_unlock(&crew->lock);
	return !CrewMustStop(crew);
}

static void
Fault(TensorDevice *device, cudaError_t error, const char *what)
{
	CrewMember *member = (CrewMember *) device;

	member->error = error;
	member->what = what;
	longjmp(member->miner.leave, FIM_DEVICE_FAULT);
}

static void
Full(TensorDevice *device, const char *what, uint64_t needed, uint64_t free)
{
	((CrewMember *) device)->needed = needed;
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
	CrewMember *member = (CrewMember *) device;

	member->bytes = *bytes;
	member->least = least;
	Ask(member, WISH_DEVICE);
	*bytes = member->bytes;
	return member->memory;
}

static void
BeginBuild(TensorDevice *device, uint64_t bytes)
{
	CrewMember *member = (CrewMember *) device;

	member->build = JobBegin(member->gpu, GPU_COUNT, FIM_GPU_BUILD, (double) bytes);
}

static void
EndBuild(TensorDevice *device)
{
	CrewMember *member = (CrewMember *) device;

	OrLeave(GpuEnd(member->gpu, GPU_COUNT, member->build));
}

/* Bytes of a member's stack that are set aside for what runs between two checks of the stack. */
#define STACK_RESERVE	(256 * 1024)

/* The lowest address that the calling thread's stack may reach; NULL if it is not known. */
static const char *
StackEnd(void)
{
	pthread_attr_t attributes;
	void	   *lowest;
	size_t		size;
	int			error;

	if (pthread_getattr_np(pthread_self(), &attributes) != 0)
		return NULL;
	error = pthread_attr_getstack(&attributes, &lowest, &size);
	pthread_attr_destroy(&attributes);
	return error == 0 ? (const char *) lowest + STACK_RESERVE : NULL;
}

static FimResult
MineMember(CrewMember *member)
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
	CrewMember *member = (CrewMember *) argument;
	Crew	   *crew = member->crew;

	member->host.base.stack_end = StackEnd();
	member->result = MineMember(member);
	if (member->result != FIM_DONE)
		CrewStop(crew);
	pthread_mutex_lock(&crew->lock);
	crew->running--;
	pthread_cond_signal(&crew->asked);
	pthread_mutex_unlock(&crew->lock);
	return NULL;
}

/* Sets the functions by which the member's miner and device ask for what they need. */
static void
CrewMemberInit(CrewMember *member, Crew *crew)
{
	member->crew = crew;
	member->device.fault = Fault;
	member->device.full = Full;
	member->device.begin_build = BeginBuild;
	member->device.end_build = EndBuild;
	member->device.launch_error = LaunchError;
	member->device.wait_error = WaitError;
	member->device.more = More;
	member->host.base = (FimHost) {MemberAlloc, MemberFree, MemberPoll, NULL};
	member->host.member = member;
	member->sink.base.write = MemberWrite;
	member->sink.member = member;
}

/*
 * Allocates the member's batches from its miner's arena, if itemsets are listed.  Leaves by the
 * miner's jump if there is no memory.
 */
static void
CrewMemberAllocBatches(CrewMember *member)
{
	Miner	   *m = &member->miner;

	if (m->spec->head.count_only)
		return;
	for (uint32_t i = 0; i < CREW_BATCHES; i++)
		member->batches[i].words = (uint32_t *) ArenaAlloc(&m->arena, sizeof(uint32_t) * OutputBatchRoom(m));
}

/*
 * Starts the member's thread, which mines and stores the outcome in the member.  Returns false
 * if there cannot be another thread.
 *
 * Signals must reach the calling thread, which has handlers for them.
 */
static bool
CrewMemberStart(CrewMember *member)
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

#define POLL_NS		1000000

/* The crew of the job under way, or NULL. */
static Crew *tensor_crew;

static void
UseHost(CrewMember *member, FimHost *host, FimSink *sink)
{
	member->miner.host = host;
	member->miner.arena.host = host;
	member->miner.sink = sink;
}

/* Set up a member for a device.  As long as the member has no thread, its miner uses the job's own host. */
static void
AddMember(Crew *crew, GpuDevice *gpu, uint64_t least, uint64_t wanted)
{
	const char *what = "allocating memory for the job";
	ItemsetsJob *job = crew->job;
	CrewMember *member = &crew->members[crew->nmembers];

	CrewMemberInit(member, crew);
	member->gpu = gpu;
	member->device.size = GpuLesser(wanted, GpuRoom(gpu)) / 512 * 512;
	member->device.memory = JobTryAlloc(gpu, member->device.size, what);
	if (member->device.memory == NULL)
	{
		/* another process has taken some */
		member->device.size = least / 512 * 512;
		OrLeave(GpuAlloc(gpu, member->device.size, what, &member->device.memory));
	}
	member->device.stream = gpu->streams[GPU_COUNT];
	OrLeave(GpuKept(gpu, &member->device.kept));
	member->device.taken = &crew->taken;
	member->device.part = job->part;
	MinerInit(&member->miner, job->spec, job->db, job->team.shared, job->team.host, job->sink);
	crew->nmembers++;
}

static FimResult
BeginMember(Crew *crew, uint32_t number)
{
	CrewMember *member = &crew->members[number];
	FimResult	result = (FimResult) setjmp(member->miner.leave);

	if (result != FIM_DONE)
		return result;
	OrLeave(GpuUse(member->gpu, "choosing a device"));
	OutputInit(&member->miner);
	CrewMemberAllocBatches(member);
	member->tensor = TensorBegin(&member->miner, &member->device, crew->nmembers, number);
	return FIM_DONE;
}

/* Copy the transactions to the devices of all members, which are those of the team, in the same order. */
static void
UploadAll(Crew *crew)
{
	const char *what = "copying transactions to the device";
	ItemsetsJob *job = crew->job;
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
	OrLeave(GpuSendAll(&job->team, GPU_COUNT, items_at, job->items,
					   sizeof(uint32_t) * (size_t) job->db->entries, what));
	OrLeave(GpuSendAll(&job->team, GPU_COUNT, start_at, start, sizeof(uint64_t) * (size_t) nrows, what));
	JobFree(job, start);
}

static FimResult
BuildMember(CrewMember *member)
{
	FimResult	result = (FimResult) setjmp(member->miner.leave);

	if (result != FIM_DONE)
		return result;
	OrLeave(GpuUse(member->gpu, "choosing a device"));
	TensorBuild(member->tensor);
	return FIM_DONE;
}

static void
GrantWish(Crew *crew, CrewMember *member)
{
	FimHost    *host = crew->job->team.host;

	switch (member->wish)
	{
		case WISH_ALLOC:
			member->memory = host->alloc(host, member->bytes);
			break;
		case WISH_FREE:
			host->free(host, member->memory);
			break;
		case WISH_DEVICE:
			/* if this fails for another reason than lack of memory, so will the member's next call */
			member->bytes = GpuLesser(member->bytes, GpuRoom(member->gpu) / 4 * 3) / 512 * 512;
			member->memory = NULL;
			if (member->bytes >= member->least)
				(void) GpuTakeMemory(member->gpu, member->bytes, &member->memory);
			break;
		case WISH_NOTHING:
			break;
	}
}

/* Give the member's next batch to the sink, unless the job is to stop. */
static void
WriteBatch(Crew *crew, const CrewMember *member)
{
	const CrewBatch *batch = &member->batches[member->first];
	FimSink    *sink = crew->job->sink;

	if (!CrewMustStop(crew) && !sink->write(sink, batch->words, batch->nwords, batch->nitemsets))
		CrewStop(crew);
}

/* Find a member that has a wish or a batch; NULL if there is none.  Members take turns. */
static CrewMember *
FindAsking(Crew *crew)
{
	for (uint32_t i = 1; i <= crew->nmembers; i++)
	{
		uint32_t	number = (crew->served + i) % crew->nmembers;
		CrewMember *member = &crew->members[number];

		if (member->wish != WISH_NOTHING || member->nbatches > 0)
		{
			crew->served = number;
			return member;
		}
	}
	return NULL;
}

static void
WaitForMembers(Crew *crew)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += POLL_NS;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	(void) pthread_cond_timedwait(&crew->asked, &crew->lock, &until);
}

/*
 * Do what a member asks for.  A wish comes before batches, because the member waits for it.
 * The lock is held, but released while something is done.
 */
static void
ServeMember(Crew *crew, CrewMember *member)
{
	bool		wishes = member->wish != WISH_NOTHING;

	pthread_mutex_unlock(&crew->lock);
	if (wishes)
		GrantWish(crew, member);
	else
		WriteBatch(crew, member);
	pthread_mutex_lock(&crew->lock);
	if (wishes)
		member->wish = WISH_NOTHING;
	else
	{
		member->first = (member->first + 1) % CREW_BATCHES;
		member->nbatches--;
	}
	pthread_cond_broadcast(&crew->granted);
}

/* Do what members ask for until all of them have ended and all of their batches have been written. */
static void
Serve(Crew *crew)
{
	CrewMember *member;

	pthread_mutex_lock(&crew->lock);
	while ((member = FindAsking(crew)) != NULL || crew->running > 0)
	{
		if (member != NULL)
			ServeMember(crew, member);
		else
			WaitForMembers(crew);
		pthread_mutex_unlock(&crew->lock);
		if (GpuPoll(&crew->job->team))
			CrewStop(crew);
		pthread_mutex_lock(&crew->lock);
	}
	pthread_mutex_unlock(&crew->lock);
}

/* Start all members' threads and serve them.  Returns when no thread is left. */
static void
RunCrew(Crew *crew)
{
	uint32_t	started = 0;

	crew->running = crew->nmembers;
	for (; started < crew->nmembers; started++)
	{
		CrewMember *member = &crew->members[started];

		UseHost(member, &member->host.base, &member->sink.base);
		if (!CrewMemberStart(member))
			break;
	}
	if (started < crew->nmembers)
	{
		crew->members[started].result = FIM_OUT_OF_MEMORY;
		CrewStop(crew);
		pthread_mutex_lock(&crew->lock);
		crew->running -= crew->nmembers - started;
		pthread_mutex_unlock(&crew->lock);
	}
	Serve(crew);
	for (uint32_t i = 0; i < crew->nmembers; i++)
	{
		CrewMember *member = &crew->members[i];

		if (i < started)
			pthread_join(member->thread, NULL);
		UseHost(member, crew->job->team.host, crew->job->sink);
		/* the member's last batches may not have been written */
		if (member->result == FIM_DONE && CrewMustStop(crew))
			member->result = FIM_STOPPED;
	}
}

/* Returns the first member that failed, else one that was stopped, or NULL if all are done. */
static CrewMember *
FindUndone(Crew *crew)
{
	CrewMember *stopped = NULL;

	for (uint32_t i = 0; i < crew->nmembers; i++)
	{
		CrewMember *member = &crew->members[i];

		if (member->result == FIM_STOPPED)
			stopped = member;
		else if (member->result != FIM_DONE)
			return member;
	}
	return stopped;
}

static void
LeaveFor(const CrewMember *member)
{
	if (member->result != FIM_DEVICE_FAULT)
		JobLeave(member->result);
	if (member->needed > 0)
		OrLeave(GpuOutOfMemory(member->gpu, member->needed, member->what));
	OrLeave(GpuCheck(member->gpu, member->error, member->what));
}

/* Give out what is left in a member's miner. */
static FimResult
CollectMember(Crew *crew, CrewMember *member)
{
	FimResult	result = (FimResult) setjmp(member->miner.leave);

	if (result != FIM_DONE)
		return result;
	OutputFlush(&member->miner);
	if (crew->job->spec->head.count_only)
		OutputTally(&member->miner, crew->job->tally);
	return FIM_DONE;
}

/* Have all members begin, bring them the transactions, and mine.  End early if a member fails. */
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

/* No thread is left when this is called. */
void
TensorRelease(void)
{
	Crew	   *crew = tensor_crew;

	if (crew == NULL)
		return;
	tensor_crew = NULL;
	for (uint32_t i = 0; i < crew->nmembers; i++)
	{
		CrewMember *member = &crew->members[i];

		OutputFree(&member->miner);
		ArenaFree(&member->miner.arena);
	}
	pthread_cond_destroy(&crew->granted);
	pthread_cond_destroy(&crew->asked);
	pthread_mutex_destroy(&crew->lock);
	JobFree(crew->job, crew);
}

static Crew *
CallCrew(ItemsetsJob *job, uint64_t least, uint64_t wanted)
{
	Crew	   *crew = (Crew *) JobAlloc(job, sizeof(Crew));
	pthread_condattr_t monotonic;

	memset(crew, 0, sizeof(*crew));
	crew->job = job;
	pthread_mutex_init(&crew->lock, NULL);
	/* a clock that nobody sets: if the clock were set back, a cancel would have to wait */
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

/* Free everything that the crew has, and forget what it has counted, so that another strategy can begin. */
static void
DismissCrew(ItemsetsJob *job)
{
	TensorRelease();
	GpuReleaseAll();
	job->team.shared->nodes = job->team.shared->results = 0;
}

bool
TensorMineJob(ItemsetsJob *job)
{
	uint64_t	least;
	uint64_t	wanted;

	TensorMemory(job->spec, job->db, &least, &wanted);
	if (least <= GpuLeastRoom(&job->team))
	{
		Crew	   *crew = CallCrew(job, least, wanted);
		const CrewMember *undone;

		MineCrew(crew);
		undone = FindUndone(crew);
		if (undone == NULL)
		{
			FimStrategyUsed(job->team.shared, FIM_GPU_TENSOR);
			return true;
		}
		if (undone->needed == 0 || crew->written)
			LeaveFor(undone);
		DismissCrew(job);
	}
	return false;
}
