/*-------------------------------------------------------------------------
 *
 * tensor.h
 *	  Strategy "tensor", see tensor.cu.
 *
 * A job is mined by a team of devices.  Each has all transactions and makes the same
 * classes at the root; of what is in these it takes a share.  A device is one thread's
 * at a time, and so is its miner.
 *
 * The caller begins with each device, copies the transactions to where they are to
 * be, has the root's bitmaps built, and mines.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_TENSOR_H
#define FIM_TENSOR_H

#include <cuda_runtime_api.h>

#include "clock.h"

#ifdef __cplusplus
extern "C"
{
#endif

#include "engine/itemsets/miner.h"

/*
 * Where a job is mined: device memory that is its own, a stream, and how to leave.
 * Neither fault nor full returns; what is on the device is the caller's to give up.
 */
typedef struct TensorDevice
{
	void	   *memory;
	uint64_t	size;			/* bytes, see TensorMemory() */
	cudaStream_t stream;
	uint64_t	tests;			/* pairs of bits counted, added to */
	uint64_t	returned;		/* bytes of listed tables, added to */
	double		return_ms;		/* and how long that took */
	uint64_t	kept;			/* bytes of more memory that take no time */
	uint32_t   *taken;			/* the team's: the root's member whose class is next, atomic, from 0 */
	void		(*fault) (struct TensorDevice *device, cudaError_t error, const char *what);
	void		(*full) (struct TensorDevice *device, const char *what,
						 uint64_t needed, uint64_t free);
	/* of a launch just made and of a wait that has ended well, or injected ones */
	cudaError_t (*launch_error) (struct TensorDevice *device);
	cudaError_t (*wait_error) (struct TensorDevice *device);

	/* around what makes the root's bitmaps, reading and writing so many bytes */
	void		(*begin_build) (struct TensorDevice *device, uint64_t bytes);
	void		(*end_build) (struct TensorDevice *device);

	/* more memory: *bytes, or less but not less than least; NULL: there is none */
	void	   *(*more) (struct TensorDevice *device, uint64_t least, uint64_t *bytes);
} TensorDevice;

typedef struct Tensor Tensor;

/* Device memory for the transactions. */
typedef struct TensorSource
{
	FimRow	   *rows;			/* [db->nrows] */
	uint32_t   *items;			/* [db->entries] */
	uint64_t   *start;			/* [db->nrows] transactions before each row */
	uint64_t	top;			/* of the block, without them */
} TensorSource;

/*
 * Device memory in bytes that the job can do with, and with which it begins; if
 * that proves to be little it asks for more.
 */
extern void TensorMemory(const FimItemsetsJob *job, const FimDatabase *db,
						 uint64_t *least, uint64_t *wanted);

/*
 * Make the root on the current device.  The miner's output has been set up; host
 * memory is from its arena.  number counts the team's ndevices from 0.  NULL: there
 * is nothing to be done on a device.
 */
extern Tensor *TensorBegin(Miner *m, TensorDevice *device, uint32_t ndevices, uint32_t number);

/* Where the transactions are to be copied, in the device's stream. */
extern const TensorSource *TensorSourceOf(const Tensor *t);

/* The copies have been launched: make the root's bitmaps. */
extern void TensorBuild(Tensor *t);

/* Mine the device's part of the job.  Another thread than the one that began may. */
extern void TensorMine(Tensor *t);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_TENSOR_H */
