/*-------------------------------------------------------------------------
 *
 * copies.h
 *	  Copies between the host and the devices.
 *
 * Each copy is put into a stream of a device.  Sizes are in bytes; "to" and "from" are
 * device memory on the device's side.  What is sent from, and received into, is the
 * caller's again as soon as a function returns.  "what" names the purpose in a fault.
 *
 * Included by families, and by contexts.c for what lives as long as a context.
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

/* One of several arrays that come to lie one after the other on a device. */
typedef struct GpuPart
{
	const void *from;
	size_t		bytes;
} GpuPart;

/* Copies them as one, which is quicker. */
extern cudaError_t GpuSendParts(GpuTeam *team, GpuDevice *device, int stream, void *to, const GpuPart *parts,
								int nparts, const char *what);

/* Copies to the host, and waits until all has come. */
extern cudaError_t GpuReceive(GpuTeam *team, GpuDevice *device, int stream, void *to,
							  const void *from, size_t bytes, const char *what);

/* Copies the same to an array on each of the team's devices, to[ndevices]. */
extern cudaError_t GpuSendAll(GpuTeam *team, int stream, void *const *to, const void *from,
							  size_t bytes, const char *what);

/* The same for n numbers below 65536, which go to arrays of uint16_t. */
extern cudaError_t GpuSendNarrow(GpuTeam *team, int stream, void *const *to, const uint32_t *from,
								 uint64_t n, const char *what);

/* ---- the ring of a device ---- */

/*
 * For data that are written where they are copied from.  Sets *at to a piece of the
 * ring, of GPU_PIECE bytes, that no copy uses any more, and makes the device the
 * current one.  GpuSendPiece() then copies the piece's first bytes.
 */
extern cudaError_t GpuNextPiece(GpuTeam *team, GpuDevice *device, int *piece, char **at);
extern cudaError_t GpuSendPiece(GpuDevice *device, int stream, int piece, void *to, size_t bytes,
								const char *what);

/* ---- the buffer that devices share ---- */

#define GPU_SHARED		((size_t) 16 << 20) /* bytes of half of it */

/*
 * The same for data that several devices are to get.  Sets *at to a half of the
 * buffer that no copy uses any more.  GpuSendShared() copies the half's first bytes
 * to a device and makes this the current one.
 */
extern cudaError_t GpuNextHalf(GpuTeam *team, int *half, char **at);
extern cudaError_t GpuSendShared(GpuDevice *device, int stream, int half, void *to, size_t bytes,
								 const char *what);

/*
 * Copies into the half, to an address that is a multiple of 16, past the caches, which is how a
 * device reads it quickest.
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
