/*-------------------------------------------------------------------------
 *
 * tensor_state.h
 *	  A device's share of a job of strategy "tensor": its memory, and how it leaves.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_TENSOR_STATE_H
#define FIM_TENSOR_STATE_H

#include <string.h>

#include "bits/product.h"
#include "clock.h"
#include "itemsets/tables.h"
#include "itemsets/tensor_device.h"
#include "itemsets/tensor_level.h"

#ifdef __cplusplus
extern "C"
{
#endif

#include "engine/itemsets/miner.h"

/* Threads of a thread block. */
#define TENSOR_THREADS	256

/*
 * A block of device memory.  Levels are allocated from its bottom up, and what a step needs is
 * allocated from its top down.  What lies between "bottom" and "top", in bytes from the base,
 * is free.
 */
typedef struct DeviceBlock
{
	char	   *base;
	uint64_t	bottom;
	uint64_t	top;
} DeviceBlock;

struct Tensor
{
	Miner	   *m;
	TensorDevice *device;
	uint32_t	ndevices;		/* of the team */
	uint32_t	number;			/* the number of this device in the team; device 0 gives out what all find
								 * at the root */
	TensorSource source;		/* valid until the root's rows are made */
	cudaStream_t stream;
	FimWay		way;
	DeviceBlock block;
	unsigned long long *counter;	/* device memory, used within a step */
	bool		tables;			/* small classes become tables */
	FimPatternCounts counts;	/* the device's counts of all itemsets; counts.counts is NULL if the host
								 * counts or lists them */
	ClassLevel	root;
	uint32_t	classes_before; /* classes below the root that have been gone through */

	DeviceBlock more;			/* the block that was got last, after the first one; see MineClasses() */
	uint64_t	cuts;			/* steps since memory last grew that had to be smaller for want of memory */
	double		begin;			/* when the job began, in ms of a clock */
};

/* ---- memory and errors ---- */

static inline void
Check(Tensor *t, cudaError_t error, const char *what)
{
	if (error != cudaSuccess)
		t->device->fault(t->device, error, what);
}

/* To be called after each launch. */
static inline void
Launched(Tensor *t, const char *what)
{
	Check(t, t->device->launch_error(t->device), what);
}

static inline uint64_t
Room(const Tensor *t)
{
	return t->block.top - t->block.bottom;
}

static inline uint64_t
Aligned(uint64_t size)
{
	return (size + 255) / 256 * 256;
}

static inline void
NeedRoom(Tensor *t, uint64_t size, const char *what)
{
	if (size > Room(t))
		t->device->full(t->device, what, size, Room(t));
}

/* Allocate memory that is needed as long as a level, or as the rows of some of its classes. */
static inline void *
AllocBottom(Tensor *t, uint64_t size, const char *what)
{
	void	   *memory = t->block.base + t->block.bottom;

	NeedRoom(t, Aligned(size), what);
	t->block.bottom += Aligned(size);
	return memory;
}

/* Allocate memory that is needed as long as a step. */
static inline void *
AllocTop(Tensor *t, uint64_t size, const char *what)
{
	NeedRoom(t, Aligned(size), what);
	t->block.top -= Aligned(size);
	return t->block.base + t->block.top;
}

static inline void
ToDevice(Tensor *t, void *to, const void *from, size_t size)
{
	Check(t, cudaMemcpyAsync(to, from, size, cudaMemcpyHostToDevice, t->stream),
		  "copying to the device");
}

static inline void
ToHost(Tensor *t, void *to, const void *from, size_t size)
{
	Check(t, cudaMemcpyAsync(to, from, size, cudaMemcpyDeviceToHost, t->stream),
		  "copying from the device");
}

static inline void
Wait(Tensor *t, const char *what)
{
	Check(t, cudaStreamSynchronize(t->stream), what);
	Check(t, t->device->wait_error(t->device), what);
	MinerPoll(t->m);
}

/*
 * Whether this device gives out the itemsets of the step's members.  All devices of a team have
 * the members of the root, so only device 0 gives these out, and only when the root is judged
 * for the first time.
 */
static inline bool
GivesOut(const Tensor *t, const ClassStep *step, Sharing below)
{
	return step->level->parent != NULL || (t->number == 0 && below != SHARE_CLASSES);
}

#ifdef __cplusplus
}
#endif

#endif							/* FIM_TENSOR_STATE_H */
