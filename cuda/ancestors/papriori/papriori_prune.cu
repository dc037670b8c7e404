/*-------------------------------------------------------------------------
 *
 * papriori_prune.cu
 *	  Pruning candidates before their distributions are computed, see papriori_device.h.
 *
 *-------------------------------------------------------------------------
 */
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

#include "ancestors/papriori/papriori_device.h"
#include "probable/probable.h"

/* Bounds are rounded so that more survive. */
#define ROUNDED_UP	(1 + 1e-9)

struct Survives
{
	const uint32_t *counts;
	const double *sums;
	uint32_t	minsup;
	double		minprob;

	/*
	 * Lemma 3 of the paper: with d = (minsup - mean - 1) / mean, P(S >= minsup) is below
	 * 2^(-d mean) where d is above 2e - 1, and otherwise below exp(-d^2 mean / 4).
	 */
	__device__ __forceinline__ bool
	operator() (uint32_t candidate) const
	{
		double		mean = sums[(uint64_t) candidate * MOMENT_SUMS] * ROUNDED_UP;
		double		beyond = minsup - mean - 1;
		double		exponent;

		if (counts[candidate] < minsup)
			return false;
		if (beyond <= 0)
			return true;
		exponent = beyond > (2 * 2.71828182845904524 - 1) * ROUNDED_UP * mean ?
			-beyond * 0.69314718055994530 : -beyond * beyond / (4 * mean);
		return exp(exponent / ROUNDED_UP) * ROUNDED_UP >= minprob;
	}
};

static cudaError_t
Select(void *scratch, size_t *bytes, const Pruning *pruning, cudaStream_t stream)
{
	Survives	survives = {pruning->counts, pruning->sums, pruning->minsup, pruning->minprob};

	return cub::DeviceSelect::If(scratch, *bytes, thrust::counting_iterator<uint32_t>(0), pruning->survivors,
								 pruning->nsurvivors, (int64_t) pruning->n, survives, stream);
}

cudaError_t
PruningScratch(uint32_t n, size_t *bytes)
{
	Pruning		pruning = {n, nullptr, nullptr, 0, 0, nullptr, nullptr, nullptr, 0};

	return Select(nullptr, bytes, &pruning, 0);
}

cudaError_t
PruneCandidates(GpuDevice *device, const Pruning *pruning)
{
	size_t		bytes = pruning->scratch_bytes;

	return GpuCheck(device, Select(pruning->scratch, &bytes, pruning, device->streams[GPU_COUNT]),
					"pruning candidates");
}
