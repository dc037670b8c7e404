/*-------------------------------------------------------------------------
 *
 * tensor_place.cu
 *	  Where the classes and tables of members are placed: sums over the members before each
 *	  one, made by CUB.
 *
 * This is a file of its own because CUB's headers take longer to compile than all
 * kernels of tensor_judge.cu.
 *
 *-------------------------------------------------------------------------
 */
#include "itemsets/tensor_place.h"

#include <cub/device/device_scan.cuh>

struct PlacementSum
{
	__host__ __device__ Placement operator() (const Placement &a, const Placement &b) const
	{
		const ClassPlace &x = a.classes;
		const ClassPlace &y = b.classes;

		return {{x.line + y.line, x.count + y.count, x.number + y.number, x.member + y.member,
				 x.part + y.part, 0},
			a.tables + b.tables, a.table_members + b.table_members, a.fixed + b.fixed, 0};
	}
};

cudaError_t
TensorPlace(void *scratch, size_t *size, Placement *places, uint32_t n, cudaStream_t stream)
{
	return cub::DeviceScan::ExclusiveScan(scratch, *size, places, places, PlacementSum(), Placement(),
										  (int64_t) n + 1, stream);
}
