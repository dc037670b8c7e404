/*-------------------------------------------------------------------------
 *
 * value_parts.c
 *	  Which left values fall to which part of a task, and data that have no others.
 *
 * The units that are dealt are blocks of left values of successive ranks.  Ranks are the same wherever the data are, since they
 * follow from the numbers of the values and of their keys; so are the works, which follow from how many right values the keys have.
 * A part gets many blocks, of values with many keys and with few.  So it takes its share of the time whatever the strategy, although
 * strategies differ in what they take for which values.
 *
 * Once the other left values are gone, both engines find the results of the part without knowing of it.  Only if one relation is both
 * sides, they must know which right value a left one is.
 *
 *-------------------------------------------------------------------------
 */
#include "joiner.h"

#include "engine/parts.h"

#include <string.h>

#define POLL_STEPS		(1 << 20)

/* About how many blocks a part gets. */
#define BLOCKS_A_PART	64

/* In nanoseconds, about; a path takes one. */
#define VALUE_WORK		100
#define KEY_WORK		20

typedef struct Dealer
{
	FimSetsData *data;
	FimHost    *host;
	Arena		arena;
	jmp_buf		leave;			/* with a FimResult */
	uint64_t	steps;			/* since the last poll */
	uint32_t	nblocks;
	uint32_t   *block;			/* [nblocks + 1] block b has the left ranks block[b] .. block[b + 1] - 1 */
	uint64_t   *work;			/* [nblocks] */
} Dealer;

static inline void
Worked(Dealer *d, uint64_t steps)
{
	d->steps += steps;
	if (d->steps < POLL_STEPS)
		return;
	d->steps = 0;
	if (d->host->poll(d->host))
		longjmp(d->leave, FIM_STOPPED);
}

static void *
AllocZero(Dealer *d, uint64_t bytes)
{
	void	   *block = ArenaAlloc(&d->arena, bytes + 1);

	memset(block, 0, bytes);
	return block;
}

/* Add up a number of each value of a side, in each of its keys. */
static void
AddToKeys(Dealer *d, const FimSetsSide *side, uint64_t side_number, uint64_t *of_key)
{
	const uint64_t *start = FIM_SETS_STARTS(d->data, side);
	const uint32_t *value = FIM_SETS_VALUES(d->data, side);
	const uint32_t *key = FIM_SETS_KEYS(d->data, side);

	for (uint32_t r = 0; r < side->nvalues; r++)
	{
		uint64_t	print = FimFingerprint2(value[r], side_number);

		for (uint64_t p = start[r]; p < start[r + 1]; p++)
			of_key[key[p]] += print;
		Worked(d, 8 + start[r + 1] - start[r]);
	}
}

/* Which numbers keys have depends on the order in which pairs were read.  So a key is known by its values, and all keys by their sum. */
static uint64_t
FingerprintOf(Dealer *d)
{
	const FimSetsData *data = d->data;
	ArenaMark	mark = ArenaGetMark(&d->arena);
	uint64_t   *of_key = AllocZero(d, sizeof(uint64_t) * data->nkeys);
	uint64_t	sum = 0;

	AddToKeys(d, &data->left, 0, of_key);
	if (!data->one)
		AddToKeys(d, &data->right, 1, of_key);
	for (uint32_t k = 0; k < data->nkeys; k++)
		sum += FimHash64(of_key[k]);
	ArenaRelease(&d->arena, mark);
	return FimFingerprint2(FimFingerprint2(data->nkeys, data->one), sum);
}

/* Cut the left ranks into blocks, by the works of their values, which are "sum" together. */
static void
CutBlocks(Dealer *d, const uint64_t *work, uint64_t sum, uint32_t parts)
{
	uint32_t	n = d->data->left.nvalues;
	uint64_t	enough = sum / ((uint64_t) parts * BLOCKS_A_PART);

	for (uint32_t r = 0; r < n; r++)
	{
		if (d->nblocks == 0 || d->work[d->nblocks - 1] > enough)
		{
			d->work[d->nblocks] = 0;
			d->block[d->nblocks++] = r;
		}
		d->work[d->nblocks - 1] += work[r];
	}
	d->block[d->nblocks] = n;
}

static void
MakeBlocks(Dealer *d, const FimSetsSpec *spec)
{
	const FimSetsData *data = d->data;
	const uint64_t *start = FIM_SETS_STARTS(data, &data->left);
	const uint32_t *key = FIM_SETS_KEYS(data, &data->left);
	const uint32_t *right_key = FIM_SETS_KEYS(data, &data->right);
	bool		unordered = FimSetsUnordered(spec, data);
	uint64_t	most = (uint64_t) spec->head.part.of * BLOCKS_A_PART + 1;
	uint64_t   *work = ArenaAlloc(&d->arena, sizeof(uint64_t) * ((uint64_t) data->left.nvalues + 1));
	uint32_t   *paths = AllocZero(d, sizeof(uint32_t) * (uint64_t) data->nkeys);	/* of each key, to ranks above that at hand if unordered */
	uint64_t	sum = 0;

	for (uint64_t p = 0; p < data->right.npairs; p++)
	{
		paths[right_key[p]]++;
		Worked(d, 1);
	}
	for (uint32_t r = 0; r < data->left.nvalues; r++)
	{
		work[r] = VALUE_WORK;
		for (uint64_t p = start[r]; p < start[r + 1]; p++)
		{
			paths[key[p]] -= unordered;
			work[r] += KEY_WORK + paths[key[p]];
		}
		sum += work[r];
		Worked(d, 8 + start[r + 1] - start[r]);
	}
	d->block = ArenaAlloc(&d->arena, sizeof(uint32_t) * (most + 1));
	d->work = ArenaAlloc(&d->arena, sizeof(uint64_t) * most);
	CutBlocks(d, work, sum, spec->head.part.of);
}

/* A FimWorkOf. */
static uint64_t
WorkOfBlock(void *context, uint32_t block, FimWork *pieces, uint32_t *npieces)
{
	return ((const Dealer *) context)->work[block];
}

/* Where one relation is both sides, its right side stays, and the left one becomes a copy.  Otherwise the values that are kept move up. */
static void
KeepBlocks(Dealer *d, const FimDealt *dealt)
{
	FimSetsData *data = d->data;
	FimSetsSide from = data->left;
	const uint64_t *start = FIM_SETS_STARTS(data, &from);
	FimSetsSide *side = &data->left;
	uint32_t   *self = NULL;

	side->nvalues = 0;
	side->npairs = 0;
	for (uint32_t b = 0; b < d->nblocks; b++)
		if (FimHasUnit(dealt, b))
		{
			side->nvalues += d->block[b + 1] - d->block[b];
			side->npairs += start[d->block[b + 1]] - start[d->block[b]];
		}
	if (data->one)
	{
		data->self_at = FimSetsLayoutSide(side, data->head.size, side->nvalues, side->npairs);
		data->head.size = FimAlignUp(data->self_at + sizeof(uint32_t) * (uint64_t) side->nvalues);
		self = (uint32_t *) ((char *) data + data->self_at);
	}
	side->nvalues = 0;
	side->npairs = 0;
	side->longest = 0;
	FIM_SETS_STARTS(data, side)[0] = 0;
	for (uint32_t b = 0; b < d->nblocks; b++)
		for (uint32_t r = d->block[b]; r < d->block[b + 1] && FimHasUnit(dealt, b); r++)
		{
			uint32_t	length = FimSetsLength(data, &from, r);

			if (side->nvalues == 0)
				side->longest = length;
			memmove(FIM_SETS_KEYS(data, side) + side->npairs, FIM_SETS_KEYS(data, &from) + start[r], sizeof(uint32_t) * length);
			FIM_SETS_VALUES(data, side)[side->nvalues] = FIM_SETS_VALUES(data, &from)[r];
			if (self != NULL)
				self[side->nvalues] = r;
			side->npairs += length;
			FIM_SETS_STARTS(data, side)[++side->nvalues] = side->npairs;
			Worked(d, 8 + length / 8);
		}
}

FimResult
FimSetsKeepPart(FimSetsData *data, const FimSetsSpec *spec, FimHost *host, uint64_t *fingerprint)
{
	Dealer		d = {.data = data,.host = host};
	FimDealt	dealt;
	FimResult	result;

	ArenaInit(&d.arena, host, &d.leave);
	result = (FimResult) setjmp(d.leave);
	if (result == FIM_DONE)
	{
		*fingerprint = FingerprintOf(&d);
		MakeBlocks(&d, spec);
		FimDeal(&dealt, &spec->head.part, d.nblocks, 0, false, WorkOfBlock, &d, &d.arena);
		KeepBlocks(&d, &dealt);
	}
	ArenaFree(&d.arena);
	return result;
}
