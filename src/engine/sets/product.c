/*-------------------------------------------------------------------------
 *
 * product.c
 *	  The units of work, and what strategies are chosen from.
 *
 *-------------------------------------------------------------------------
 */
#include "joiner.h"

#include <string.h>

#define POLL_STEPS		(1 << 16)

/* A block has more paths than this, if that many are left. */
#define FEW_PATHS		1000

/* A value has at most so many keys that are looked at to cut blocks. */
#define SAMPLED_KEYS	(1 << 8)

/* About how many pairs the sample has from which the paths of a level are estimated. */
#define SAMPLED_PAIRS	(1 << 13)

static uint32_t
MostBlocks(const FimSetsData *data)
{
	return data->left.nvalues < FIM_SETS_MOST_BLOCKS ? data->left.nvalues : FIM_SETS_MOST_BLOCKS;
}

size_t
ProductSize(const FimData *data)
{
	return data->size + sizeof(uint32_t) * ((uint64_t) MostBlocks((const FimSetsData *) data) + 1);
}

/* About how many paths the left value of a rank has. */
static uint64_t
Paths(const FimSetsData *data, uint32_t rank)
{
	const uint64_t *start = FIM_SETS_STARTS(data, &data->left);
	const uint32_t *key = FIM_SETS_KEYS(data, &data->left);
	const uint64_t *key_start = (const uint64_t *) ((const char *) data + data->key_start_at);
	uint64_t	step = (start[rank + 1] - start[rank]) / SAMPLED_KEYS + 1;
	uint64_t	paths = 0;

	/* a key stands for those around it, which have about as many right values */
	for (uint64_t p = start[rank] + step / 2; p < start[rank + 1]; p += step)
		paths += key_start[key[p] + 1] - key_start[key[p]];
	return paths * step;
}

/*
 * Cut the left ranks into blocks.  A block ends when it has its share of all paths, and more than
 * FEW_PATHS.  Returns false if the host says stop.
 */
static bool
CutBlocks(FimSetsData *data, FimHost *host)
{
	const uint64_t *start = FIM_SETS_STARTS(data, &data->left);
	uint32_t   *block = (uint32_t *) ((char *) data + data->block_at);
	uint64_t	so_far = 0;
	uint64_t	polled = 0;
	bool		ended = true;	/* the last block; values need not have any path */

	data->paths = 0;
	for (int pass = 0; pass < 2; pass++)
		for (uint32_t r = 0; r < data->left.nvalues; r++)
		{
			uint64_t	paths = Paths(data, r);

			if (pass == 0)
				data->paths += paths;
			else
			{
				if (ended)
					block[data->nblocks++] = r;
				so_far += paths;
				ended = so_far > FEW_PATHS && so_far > data->paths / MostBlocks(data);
				if (ended)
					so_far = 0;
			}
			if (start[r + 1] - polled >= POLL_STEPS || start[r + 1] < polled)
			{
				polled = start[r + 1];
				if (host->poll(host))
					return false;
			}
		}
	block[data->nblocks] = data->left.nvalues;
	return true;
}

/* How many right values of a key have ranks below the given one. */
static uint64_t
RightBelow(const FimSetsData *data, uint32_t key, uint32_t rank)
{
	const uint64_t *key_start = (const uint64_t *) ((const char *) data + data->key_start_at);
	const uint32_t *ranks = (const uint32_t *) ((const char *) data + data->rank_at);

	return FirstNotBelow(ranks, key_start[key], key_start[key + 1], rank) - key_start[key];
}

/*
 * Estimate the paths and keys of the left value of a rank with right ranks below "right", and add
 * them to groups[], "times" times.  The first SAMPLED_PAIRS keys are looked at one by one.  Groups of
 * later keys are larger, and there a key stands for ever more keys, being in their middle.
 */
static void
SampleValue(const FimSetsData *data, uint32_t rank, uint32_t right, uint64_t times, FimSetsGroup *groups)
{
	const uint32_t *key = FIM_SETS_KEYS(data, &data->left);
	uint64_t	start = FIM_SETS_STARTS(data, &data->left)[rank];
	uint64_t	end = FIM_SETS_STARTS(data, &data->left)[rank + 1];
	uint64_t	n;

	for (uint64_t p = start; p < end; p += n)
	{
		uint32_t	sampled;
		FimSetsGroup *group;

		n = (p - start) / SAMPLED_PAIRS + 1;
		if (n > end - p)
			n = end - p;
		sampled = key[p + n / 2];
		group = &groups[sampled == 0 ? 0 : 32 - __builtin_clz(sampled)];
		group->paths += times * n * RightBelow(data, sampled, right);
		group->keys += times * n;
	}
}

/* Estimate the paths and keys of a level from a sample of its left values. */
static void
SampleLevel(FimSetsData *data, int level)
{
	const uint64_t *start = FIM_SETS_STARTS(data, &data->left);
	uint32_t	left = data->left.nvalues >> level;
	uint32_t	right = data->right.nvalues >> level;
	uint64_t	step = start[left] / SAMPLED_PAIRS + 1;

	if (step > left)
		step = left;
	/* a value stands for the "step" values around it, being in their middle, since values get fewer keys by rank */
	for (uint64_t r = step / 2; r < left; r += step)
		SampleValue(data, (uint32_t) r, right, step, data->group[level]);
}

bool
ProductPrepare(FimData *head, FimHost *host)
{
	FimSetsData *data = (FimSetsData *) head;

	data->block_at = head->size;
	head->size = ProductSize(head);
	data->nblocks = 0;
	memset(data->group, 0, sizeof(data->group));
	if (!CutBlocks(data, host))
		return false;
	for (int level = 0; level < FIM_SETS_LEVELS; level++)
		SampleLevel(data, level);
	return true;
}

static void
SideInit(Side *side, const FimSetsData *data, const FimSetsSide *from)
{
	side->start = FIM_SETS_STARTS(data, from);
	side->value = FIM_SETS_VALUES(data, from);
	side->key = FIM_SETS_KEYS(data, from);
	side->nvalues = from->nvalues;
	side->longest = from->longest;
}

void
ProductInit(Product *product, const FimSetsData *data, const FimSetsSpec *spec)
{
	const char *base = (const char *) data;

	product->data = data;
	SideInit(&product->left, data, &data->left);
	SideInit(&product->right, data, &data->right);
	product->key_start = (const uint64_t *) (base + data->key_start_at);
	product->rank = (const uint32_t *) (base + data->rank_at);
	product->block = (const uint32_t *) (base + data->block_at);
	product->nkeys = data->nkeys;
	product->self = data->self_at > 0 ? (const uint32_t *) (base + data->self_at) : NULL;
	product->one = FimSetsUnordered(spec, data);
}
