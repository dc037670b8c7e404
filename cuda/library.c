/*-------------------------------------------------------------------------
 *
 * library.c
 *	  What gpufim_cuda.so offers: see engine/gpu.h.
 *
 *-------------------------------------------------------------------------
 */
#include "fault.h"
#include "itemsets/itemsets.h"
#include "team.h"

static const char *const strategy_names[] = FIM_GPU_STRATEGY_NAMES;

static int
Devices(FimGpuDevice *to, int room)
{
	int			n;

	if (GpuCountDevices(&n) != cudaSuccess)
		return -1;
	for (int i = 0; i < n && i < room; i++)
		if (GpuDescribe(i, &to[i]) != cudaSuccess)
			return -1;
	return n < room ? n : room;
}

static bool
Open(const FimGpuOptions *options)
{
	int			n;

	return !GpuIsDead() && GpuOpenAll(options, &n) == cudaSuccess;
}

static const FimGpuLibrary library = {
	FIM_GPU_VERSION,
	{"gpu", strategy_names, ItemsetsMine},
	Devices,
	Open,
	GpuSetOptions,
	ItemsetsEstimate,
	GpuFault,
	GpuReport,
	GpuCloseAll
};

extern const FimGpuLibrary *FimGpuOpenLibrary(void);

const FimGpuLibrary *
FimGpuOpenLibrary(void)
{
	return &library;
}
