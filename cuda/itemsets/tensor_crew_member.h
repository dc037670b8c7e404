/*-------------------------------------------------------------------------
 *
 * tensor_crew_member.h
 *	  A member of the crew of strategy "tensor": a device, with a thread and a miner.
 *
 * A member's thread may not use the job's host and sink, which belong to the calling thread.
 * If it needs something of the host, it states a wish, and waits until the calling thread has
 * granted the wish.  It hands over batches of itemsets without waiting, and goes on while the
 * calling thread gives them to the sink.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_TENSOR_CREW_MEMBER_H
#define FIM_TENSOR_CREW_MEMBER_H

#include "itemsets/itemset_job.h"
#include "itemsets/tensor_device.h"

#include <pthread.h>

#ifdef __cplusplus
extern "C"
{
#endif

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
	void	   *block;			/* what was allocated, or is to be freed */

	CrewBatch	batches[CREW_BATCHES];	/* a ring */
	uint32_t	first;			/* the batch that has waited longest */
	uint32_t	nbatches;		/* the number of batches that wait */
};

struct Crew
{
	ItemsetJob *job;
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

/* Sets the functions by which the member's miner and device ask for what they need. */
extern void CrewMemberInit(CrewMember *member, Crew *crew);

/*
 * Allocates the member's batches from its miner's arena, if itemsets are listed.  Leaves by the
 * miner's jump if there is no memory.
 */
extern void CrewMemberAllocBatches(CrewMember *member);

/*
 * Starts the member's thread, which mines and stores the outcome in the member.  Returns false
 * if there cannot be another thread.
 */
extern bool CrewMemberStart(CrewMember *member);

/* CrewStop() has all members leave when they poll next; CrewMustStop() says whether they are to leave. */
extern void CrewStop(Crew *crew);
extern bool CrewMustStop(const Crew *crew);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_TENSOR_CREW_MEMBER_H */
