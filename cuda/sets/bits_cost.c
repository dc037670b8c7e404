/*-------------------------------------------------------------------------
 *
 * bits_cost.c
 *	  The time that strategy "bits" is expected to take on a device, see bits.h.
 *
 * Products count all bits that two rows have in common.  Where only existence matters, pairs can
 * also be looked at in tiles, and a tile can be left as soon as all of its pairs have a common bit.
 * But the CUDA cores do that, which look at far fewer bits in the same time than tensor cores.  For
 * 8,000 sets over 25,000 keys, the product takes an H200 0.2 ms.  Looking for a common key takes it
 * 0.5 ms if sets hold 5 percent of the keys, and 3.1 ms if they hold 0.1 percent.  So where a GPU has
 * tensor cores, cells are looked at in tiles if they are few, since that needs no plan of a
 * product, or if there are very many keys and the sets are large.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>

#include "bits/bit_matrix.h"
#include "sets/bits.h"

/*
 * Milliseconds for each pair of bits, on an H200, by test/gpu/check_sets -T.  The other ways, which an H200
 * does not take, are in proportion to what their instructions can do.
 */
static const double product_ms[] = {[FIM_POPC] = 1 / 1.5e11, [FIM_MMA] = 1 / 3e12, [FIM_WGMMA] = 1 / 5e12};
#define ANY_MS			(1 / 2.7e11)	/* a pair of bits that is looked at for existence */
#define CELL_MS			(1 / 1.7e8) /* a cell that is zeroed, written and read */
#define TALLIED_CELL_MS (1 / 2e9)	/* a cell that is only added to a tally */
#define KEY_MS			(1 / 1.6e8) /* a key of a set that becomes a bit */
#define START_MS		0.1		/* taking the memory for the bits */
#define PLAN_MS			0.1		/* making the plan of a product */

/* A tile is expected to be left when its pairs have this many common keys on average: few have none then. */
#define KEYS_TO_LEAVE	9.0

static double
Keys(const SetsJob *job)
{
	return (double) FimSlabs(job->data->nkeys) * FIM_SLAB_BITS;
}

static double
PairsOf(const SetsJob *job, const FimSetsSide *side, uint32_t values)
{
	return (double) FIM_SETS_STARTS(job->data, side)[values];
}

/*
 * How many keys are looked at until all pairs of a tile have a common one, if all sets are of average
 * size.
 */
static double
KeysLookedAt(const SetsJob *job, const DensePart *dense)
{
	double		in_common = PairsOf(job, &job->data->left, dense->left) / dense->left *
		(PairsOf(job, &job->data->right, dense->right) / dense->right) / job->data->nkeys;

	return fmin(Keys(job), FIM_SLAB_BITS + Keys(job) * KEYS_TO_LEAVE / fmax(in_common, 1e-9));
}

static double
AnyMs(const SetsJob *job, const DensePart *dense, double cells)
{
	return cells * (KeysLookedAt(job, dense) * ANY_MS + CELL_MS) + START_MS;
}

static double
ProductMs(const SetsJob *job, FimWay way, double cells)
{
	return cells * (Keys(job) * product_ms[way] + (BitsMayTally(job) ? TALLIED_CELL_MS : CELL_MS)) + START_MS + PLAN_MS;
}

static double
CellsOf(const SetsJob *job, const DensePart *dense)
{
	return (double) dense->left * dense->right / (job->data->one ? 2 : 1);
}

bool
BitsLookForAny(const SetsJob *job, FimWay way, const DensePart *dense)
{
	double		cells = CellsOf(job, dense);

	return !job->rule.counted && AnyMs(job, dense, cells) < ProductMs(job, way, cells);
}

double
BitsMs(const SetsJob *job, FimWay way, const DensePart *dense)
{
	double		cells = CellsOf(job, dense);
	double		packed = PairsOf(job, &job->data->left, dense->left) +
		(job->data->one ? 0 : PairsOf(job, &job->data->right, dense->right));

	return packed * KEY_MS +
		(BitsLookForAny(job, way, dense) ? AnyMs(job, dense, cells) : ProductMs(job, way, cells));
}
