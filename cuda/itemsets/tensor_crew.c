/*-------------------------------------------------------------------------
 *
 * tensor_crew.c
 *	  Strategy "tensor" as one of the GPU engine's strategies.
 *
 * Each device of the job has a thread and a miner of its own, which together are a member of
 * the job's crew (tensor_crew_member.h).  The calling thread gives members the memory that they
 * ask for, and gives their batches of itemsets to the sink.  Meanwhile it looks whether the job
 * is to stop.  Nothing of a member is left behind when the job ends.
 *
 * The job is left to another strategy if not even the root's bitmaps fit the devices, or if
 * memory runs out later but before anything was given out.
 *
 *-------------------------------------------------------------------------
 */
#include "clock.h"
#include "contexts.h"
#include "copies.h"
#include "itemsets/tensor_crew.h"
#include "itemsets/tensor_crew_member.h"
#include "itemsets/tensor_root.h"

#include <string.h>
#include <time.h>

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
	ItemsetJob *job = crew->job;
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
	MinerInit(&member->miner, job->asked, job->db, job->team.shared, job->team.host, job->sink);
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
			member->block = host->alloc(host, member->bytes);
			break;
		case WISH_FREE:
			host->free(host, member->block);
			break;
		case WISH_DEVICE:
			/* if this fails for another reason than lack of memory, so will the member's next call */
			member->bytes = GpuLesser(member->bytes, GpuRoom(member->gpu) / 4 * 3) / 512 * 512;
			member->block = NULL;
			if (member->bytes >= member->least)
				(void) GpuTakeMemory(member->gpu, member->bytes, &member->block);
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
	if (crew->job->asked->head.count_only)
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
CallCrew(ItemsetJob *job, uint64_t least, uint64_t wanted)
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
DismissCrew(ItemsetJob *job)
{
	TensorRelease();
	GpuReleaseAll();
	job->team.shared->nodes = job->team.shared->results = 0;
}

bool
TensorMineJob(ItemsetJob *job)
{
	uint64_t	least;
	uint64_t	wanted;

	TensorMemory(job->asked, job->db, &least, &wanted);
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
