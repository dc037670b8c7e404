/*-------------------------------------------------------------------------
 *
 * library.c
 *	  What gpufim_cuda.so offers: see engine/gpu.h.
 *
 *-------------------------------------------------------------------------
 */
#include "device.h"
#include "engine/gpu.h"
#include "team.h"

#define FIM_FAMILY(name)	extern const FimGpuFamily Fim##name##GpuFamily;
#include "engine/families.h"
#undef FIM_FAMILY

/* The index of a family is its number, as in gpufim.so. */
static const FimGpuFamily *const families[] = {
#define FIM_FAMILY(name)	&Fim##name##GpuFamily,
#include "engine/families.h"
#undef FIM_FAMILY
	NULL
};

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
	families,
	Devices,
	Open,
	GpuSetOptions,
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
