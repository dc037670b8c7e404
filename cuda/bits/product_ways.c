/*-------------------------------------------------------------------------
 *
 * product_ways.c
 *	  The ways to multiply bit matrices, see product_ways.h.
 *
 *-------------------------------------------------------------------------
 */
#include "bits/product_mma.h"
#include "bits/product_popc.h"
#include "bits/product_ways.h"
#include "bits/product_wgmma.h"

#define STREAM_ROWS		32		/* the most rows of matrices that even FIM_WGMMA streams through mma.sync */

static const FimProductKernel *
KernelsOf(FimWay way)
{
	switch (way)
	{
		case FIM_WGMMA:
			return FimWgmmaKernels;
		case FIM_MMA:
			return FimMmaKernels;
		default:
			return FimPopcKernels;
	}
}

cudaError_t
FimBestWay(FimWay *way)
{
	int			wgmma = 0;
	int			mma = 0;
	cudaError_t error = FimWgmmaCompiled(&wgmma);

	if (error == cudaSuccess)
		error = FimMmaCompiled(&mma);
	if (error == cudaSuccess)
		*way = wgmma ? FIM_WGMMA : mma ? FIM_MMA : FIM_POPC;
	return error;
}

/* Where wgmma multiplies larger matrices, mma.sync multiplies small ones, as a stream. */
const FimProductKernel *
FimKernelFor(FimWay way, uint32_t rows)
{
	const FimProductKernel *kernel = KernelsOf(way == FIM_WGMMA && rows <= STREAM_ROWS ? FIM_MMA : way);

	while (rows > kernel->limit)
		kernel++;
	return kernel;
}

bool
FimCanTally(FimWay way, uint32_t rows)
{
	return FimKernelFor(way, rows)->tally != NULL;
}

int
FimKernelsOf(FimWay way, const FimProductKernel **kernels)
{
	int			n = 0;
	uint32_t	limit = 0;

	do
	{
		kernels[n] = FimKernelFor(way, limit + 1);
		limit = kernels[n++]->limit;
	} while (limit < UINT32_MAX);
	return n;
}
