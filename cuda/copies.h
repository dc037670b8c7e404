/*-------------------------------------------------------------------------
 *
 * copies.h
 *	  Copies between the host and the devices.
 *
 * Each copy is put into a stream of a device.  Sizes are in bytes; "to" and "from" are
 * device memory on the device's side.  What is sent from, and received into, is the
 * caller's again as soon as a function returns.  "what" names the purpose in a fault.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_COPIES_H
#define FIM_COPIES_H

#include "team_state.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* Copies to a device. */
extern cudaError_t GpuSend(GpuTeam *team, GpuDevice *device, int stream, void *to, const void *from,
						   size_t bytes, const char *what);

/* One of several arrays of the host that are to lie one after the other on a device. */
typedef struct GpuPart
{
	const void *from;
	size_t		bytes;
} GpuPart;

/* Copies several arrays like a single one, which is quicker than one call for each. */
extern cudaError_t GpuSendParts(GpuTeam *team, GpuDevice *device, int stream, void *to, const GpuPart *parts,
								int nparts, const char *what);

/* Copies to the host, and waits until the copy has ended. */
extern cudaError_t GpuReceive(GpuTeam *team, GpuDevice *device, int stream, void *to,
							  const void *from, size_t bytes, const char *what);

/*
 * Copies the same to an array on each of the team's devices, to[ndevices].  A device gets nothing if the
 * address of its array is NULL.
 */
extern cudaError_t GpuSendAll(GpuTeam *team, int stream, void *const *to, const void *from,
							  size_t bytes, const char *what);

/* Like GpuSendAll(), for n numbers below 65536.  The devices' arrays are of uint16_t. */
extern cudaError_t GpuSendNarrow(GpuTeam *team, int stream, void *const *to, const uint32_t *from,
								 uint64_t n, const char *what);

/*
 * Copies from one device to another, with the streams that count: the copy waits for what "from" has to do before, and
 * what "from" is given to do later waits for the copy.
 */
extern cudaError_t GpuCopyAcross(GpuTeam *team, GpuDevice *to_device, void *to, GpuDevice *from_device,
								 const void *from, size_t bytes, const char *what);

/* ---- the ring of a device ---- */

/*
 * For callers that write their data straight into pinned memory.  GpuNextPiece() waits until no
 * copy uses the next piece of the ring any more, makes the device the current one, and sets
 * *piece to the number and *at to the address of the piece, which has GPU_PIECE bytes.
 * GpuSendPiece() then copies the first "bytes" bytes of the piece.
 */
extern cudaError_t GpuNextPiece(GpuTeam *team, GpuDevice *device, int *piece, char **at);
extern cudaError_t GpuSendPiece(GpuDevice *device, int stream, int piece, void *to, size_t bytes,
								const char *what);

/* ---- the buffer that devices share ---- */

#define GPU_SHARED		((size_t) 16 << 20) /* bytes of each half */

/*
 * The same for data that several devices are to get.  GpuNextHalf() waits until no copy uses
 * the next half of the buffer any more, and sets *half to its number and *at to its address.
 * GpuSendShared() copies the first "bytes" bytes of the half to a device, and makes this device
 * the current one.
 */
extern cudaError_t GpuNextHalf(GpuTeam *team, int *half, char **at);
extern cudaError_t GpuSendShared(GpuDevice *device, int stream, int half, void *to, size_t bytes,
								 const char *what);

/*
 * Copies into a half, to an address that must be a multiple of 16.  The stores bypass the
 * caches, because a device reads the half quickest if it is in no cache of a processor.
 */
extern void GpuStreamOut(void *to, const void *from, size_t bytes);

/* ---- for contexts.c ---- */

extern cudaError_t GpuOpenRing(GpuDevice *device);
extern void GpuCloseRing(GpuDevice *device);

/* The buffer is for all devices.  The device given is the one that an error is ascribed to. */
extern cudaError_t GpuOpenShared(const GpuDevice *device);
extern void GpuCloseShared(void);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_COPIES_H */
