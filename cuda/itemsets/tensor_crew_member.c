/*-------------------------------------------------------------------------
 *
 * tensor_crew_member.c
 *	  A member of the crew of strategy "tensor", see tensor_crew_member.h.
 *
 *-------------------------------------------------------------------------
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE				/* for pthread_getattr_np() */
#endif

#include "contexts.h"
#include "engine/itemsets/output.h"
#include "itemsets/tensor.h"
#include "itemsets/tensor_crew_member.h"

#include <signal.h>
#include <string.h>

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
	return member->block;
}

static void
MemberFree(FimHost *host, void *block)
{
	CrewMember *member = ((CrewHost *) host)->member;

	member->block = block;
	Ask(member, WISH_FREE);
}

bool
CrewMustStop(const Crew *crew)
{
	return __atomic_load_n(&crew->stop, __ATOMIC_RELAXED);
}

void
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
	return member->block;
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

void
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

void
CrewMemberAllocBatches(CrewMember *member)
{
	Miner	   *m = &member->miner;

	if (m->job->head.count_only)
		return;
	for (uint32_t i = 0; i < CREW_BATCHES; i++)
		member->batches[i].words = (uint32_t *) ArenaAlloc(&m->arena, sizeof(uint32_t) * OutputBatchRoom(m));
}

/* Signals must reach the calling thread, which has handlers for them. */
bool
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
