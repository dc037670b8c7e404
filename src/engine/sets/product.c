/*-------------------------------------------------------------------------
 *
 * product.c
 *	  The right relation by key, and the units of work.
 *
 *-------------------------------------------------------------------------
 */
#include "joiner.h"

#include <string.h>

#define POLL_STEPS		(1 << 20)

/* A block has more paths than this, if that many are left. */
#define FEW_PATHS		1000

/* About how many pairs the sample has from which the paths of a level are estimated. */
#define SAMPLED_PAIRS	(1 << 13)

/* Where the data end without what cpu_prepare() adds. */
static uint64_t
SidesEnd(const FimSetsData *data)
{
	if (data->self_at > 0)
		return FimAlignUp(data->self_at + sizeof(uint32_t) * (uint64_t) data->left.nvalues);
	return FimAlignUp(data->right.key_at + sizeof(uint32_t) * data->right.npairs);
}

static uint32_t
MostBlocks(const FimSetsData *data)
{
	return data->left.nvalues < FIM_SETS_MOST_BLOCKS ? data->left.nvalues : FIM_SETS_MOST_BLOCKS;
}

/* Set in *layout where the arrays that cpu_prepare() adds are.  Returns the bytes up to their end. */
static uint64_t
Layout(FimSetsData *layout, const FimSetsData *data)
{
	layout->key_start_at = SidesEnd(data);
	layout->block_at = layout->key_start_at + sizeof(uint64_t) * ((uint64_t) data->nkeys + 1);
	layout->rank_at = FimAlignUp(layout->block_at + sizeof(uint32_t) * ((uint64_t) MostBlocks(data) + 1));
	return FimAlignUp(layout->rank_at + sizeof(uint32_t) * data->right.npairs);
}

size_t
ProductSize(const FimData *head)
{
	FimSetsData unused;

	return Layout(&unused, (const FimSetsData *) head);
}

static bool
Stopped(FimHost *host, uint64_t step)
{
	return step % POLL_STEPS == POLL_STEPS - 1 && host->poll(host);
}

/* List the right ranks of each key.  Returns false if the host says stop. */
static bool
SortByKey(FimSetsData *data, FimHost *host)
{
	const FimSetsSide *side = &data->right;
	const uint64_t *start = FIM_SETS_STARTS(data, side);
	const uint32_t *key = FIM_SETS_KEYS(data, side);
	uint64_t   *key_start = (uint64_t *) ((char *) data + data->key_start_at);
	uint32_t   *rank = (uint32_t *) ((char *) data + data->rank_at);

	memset(key_start, 0, sizeof(uint64_t) * ((uint64_t) data->nkeys + 1));
	for (uint64_t p = 0; p < side->npairs; p++)
	{
		key_start[key[p] + 1]++;
		if (Stopped(host, p))
			return false;
	}
	data->most_right = 0;
	for (uint32_t k = 0; k < data->nkeys; k++)
	{
		if (key_start[k + 1] > data->most_right)
			data->most_right = (uint32_t) key_start[k + 1];
		key_start[k + 1] += key_start[k];
	}
	for (uint32_t r = 0; r < side->nvalues; r++)
		for (uint64_t p = start[r]; p < start[r + 1]; p++)
		{
			rank[key_start[key[p]]++] = r;
			if (Stopped(host, p))
				return false;
		}
	/* filling in has moved each start to the next one's place */
	memmove(key_start + 1, key_start, sizeof(uint64_t) * (uint64_t) data->nkeys);
	key_start[0] = 0;
	return true;
}

/* The number of paths of the left value of a rank. */
static uint64_t
Paths(const FimSetsData *data, uint32_t rank)
{
	const uint64_t *start = FIM_SETS_STARTS(data, &data->left);
	const uint32_t *key = FIM_SETS_KEYS(data, &data->left);
	const uint64_t *key_start = (const uint64_t *) ((const char *) data + data->key_start_at);
	uint64_t	paths = 0;

	for (uint64_t p = start[rank]; p < start[rank + 1]; p++)
		paths += key_start[key[p] + 1] - key_start[key[p]];
	return paths;
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

	head->size = Layout(data, data);
	data->nblocks = 0;
	memset(data->group, 0, sizeof(data->group));
	if (!SortByKey(data, host) || !CutBlocks(data, host))
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
	product->nblocks = data->nblocks;
	product->self = data->self_at > 0 ? (const uint32_t *) (base + data->self_at) : NULL;
	product->one = FimSetsUnordered(spec, data);
}
