/*-------------------------------------------------------------------------
 *
 * data.c
 *	  Two relations as flat memory: pairs as they are added, then sets of keys.
 *
 * Pairs are sorted by counting: first by key, then, key by key, by value.  So each value's
 * keys come in ascending order, and equal pairs come one after the other.
 *
 *-------------------------------------------------------------------------
 */
#include "joiner.h"

#include <string.h>

#define POLL_STEPS		(1 << 20)

/* What FimSetsFinish() takes from the host. */
typedef struct Building
{
	FimHost    *host;
	FimSetsData *data;
	uint32_t   *key_number;		/* [keys] the new number of a key, FIM_NO_NUMBER if it is not kept */
	uint64_t   *start;			/* [keys + 1] */
	uint32_t   *by_key;			/* [pairs of the larger side] values by key, then a side's sets of keys */
	FimResult	result;
} Building;

#define FIM_NO_NUMBER	UINT32_MAX

uint64_t
FimSetsLayoutSide(FimSetsSide *side, uint64_t at, uint64_t values, uint64_t pairs)
{
	side->start_at = at;
	side->value_at = side->start_at + sizeof(uint64_t) * (values + 1);
	side->key_at = side->value_at + sizeof(uint32_t) * values;
	return FimAlignUp(side->key_at + sizeof(uint32_t) * pairs);
}

/*
 * The same while pairs are added.  The pairs come after the room for starts and values, so there
 * is also room for the finished side, whose keys take less than the pairs.
 */
static uint64_t
LayoutAdded(FimSetsSide *side, uint64_t at, uint64_t values, uint64_t pairs)
{
	side->added_at = at + sizeof(uint64_t) * (values + 1) + FimAlignUp(sizeof(uint32_t) * values);
	return side->added_at + sizeof(FimSetsPair) * pairs;
}

static uint64_t
LayoutBoth(FimSetsData *data, const FimSetsSize *size)
{
	uint64_t	end = LayoutAdded(&data->left, FimAlignUp(sizeof(FimSetsData)), size->left_values,
								  size->left_pairs);

	end = LayoutAdded(&data->right, end, size->right_values, size->right_pairs);
	/* the left values that are kept get a side of their own, with their keys where pairs of 8 bytes were added before */
	if (size->part && size->one)
		end = FimAlignUp(end) + (sizeof(uint64_t) + 2 * sizeof(uint32_t)) * ((uint64_t) size->left_values + 3);
	return end;
}

size_t
FimSetsBound(const FimSetsSize *size)
{
	FimSetsData unused;

	if (size->left_pairs > UINT64_MAX / 64 || size->right_pairs > UINT64_MAX / 64 ||
		LayoutBoth(&unused, size) > SIZE_MAX)
		return SIZE_MAX;
	return LayoutBoth(&unused, size);
}

size_t
FimSetsCpuBound(const FimSetsSize *size)
{
	uint64_t	pairs = size->one ? size->left_pairs : size->right_pairs;
	size_t		bound = FimSetsBound(size);
	uint64_t	more = sizeof(uint64_t) * ((uint64_t) size->keys + 1) +
		sizeof(uint32_t) * ((uint64_t) FIM_SETS_MOST_BLOCKS + 1) + sizeof(uint32_t) * pairs + 3 * sizeof(uint64_t);

	return bound == SIZE_MAX || more > SIZE_MAX - bound ? SIZE_MAX : bound + (size_t) more;
}

void
FimSetsBegin(FimSetsData *data, size_t bytes, const FimSetsSize *size)
{
	memset(data, 0, sizeof(FimSetsData));
	LayoutBoth(data, size);
	data->head.size = bytes;
	data->keys = size->keys;
	data->one = size->one;
	data->whole = size->whole;
	data->left.values = size->left_values;
	data->right.values = size->right_values;
}

/* Poll the host every POLL_STEPS steps.  Returns true if it said stop, and sets the result. */
static inline bool
Stopped(Building *b, uint64_t step)
{
	if (step % POLL_STEPS != POLL_STEPS - 1 || !b->host->poll(b->host))
		return false;
	b->result = FIM_STOPPED;
	return true;
}

static void *
Take(Building *b, uint64_t bytes)
{
	void	   *block = bytes <= SIZE_MAX ? b->host->alloc(b->host, bytes > 0 ? bytes : 1) : NULL;

	if (block == NULL)
		b->result = FIM_OUT_OF_MEMORY;
	return block;
}

static void
GiveBack(Building *b, void *block)
{
	if (block != NULL)
		b->host->free(b->host, block);
}

/* Turn n counts of things into where the things of each begin, one after the other; start[n] becomes the sum. */
static void
StartsOfCounts(uint64_t *start, uint64_t n)
{
	uint64_t	sum = 0;

	for (uint64_t i = 0; i <= n; i++)
	{
		uint64_t	count = i < n ? start[i] : 0;

		start[i] = sum;
		sum += count;
	}
}

/* Move the starts back, after filling in has moved each start to the next one's place. */
static void
RestoreStarts(uint64_t *start, uint64_t n)
{
	memmove(start + 1, start, sizeof(uint64_t) * n);
	start[0] = 0;
}

/* Count the pairs of the side that each key has. */
static bool
CountKeys(Building *b, const FimSetsSide *side, uint64_t *count)
{
	const FimSetsPair *pair = FimSetsAdded(b->data, side);

	for (uint64_t p = 0; p < side->added; p++)
	{
		count[pair[p].key]++;
		if (Stopped(b, p))
			return false;
	}
	return true;
}

/*
 * Number the keys that are kept, which are on both sides, by the number of their pairs, most first.  This is a
 * counting sort, in which all counts above the number of keys are taken for equal; there
 * cannot be many of them.  The same counts give most_paths.
 */
static bool
NumberKeys(Building *b)
{
	FimSetsData *data = b->data;
	uint64_t	keys = data->keys;
	uint64_t   *count = Take(b, 2 * sizeof(uint64_t) * (keys + 1));
	uint64_t   *other = count + keys + 1;
	bool		good = count != NULL;

	if (good)
	{
		memset(count, 0, 2 * sizeof(uint64_t) * (keys + 1));
		good = CountKeys(b, &data->left, count) && (data->one || CountKeys(b, &data->right, other));
	}
	if (good)
	{
		uint64_t   *place = b->start;

		memset(place, 0, sizeof(uint64_t) * (keys + 1));
		for (uint64_t k = 0; k < keys && good; k++)
		{
			data->most_paths += (double) count[k] * (double) (data->one ? count[k] : other[k]);
			if (!data->one)
				count[k] = data->whole || (other[k] > 0 && count[k] > 0) ? count[k] + other[k] : 0;
			count[k] = count[k] < keys ? count[k] : keys;
			if (count[k] > 0)
				place[keys - count[k]]++;
			good = !Stopped(b, k);
		}
		StartsOfCounts(place, keys);
		data->nkeys = (uint32_t) place[keys];
		for (uint64_t k = 0; k < keys && good; k++)
		{
			b->key_number[k] = count[k] > 0 ? (uint32_t) place[keys - count[k]]++ : FIM_NO_NUMBER;
			good = !Stopped(b, k);
		}
	}
	GiveBack(b, count);
	return good;
}

/* Write the side's values to b->by_key, by the new numbers of their keys: those of key k begin at b->start[k]. */
static bool
SortByKey(Building *b, const FimSetsSide *side)
{
	const FimSetsPair *pair = FimSetsAdded(b->data, side);

	memset(b->start, 0, sizeof(uint64_t) * ((uint64_t) b->data->nkeys + 1));
	for (uint64_t p = 0; p < side->added; p++)
	{
		uint32_t	key = b->key_number[pair[p].key];

		if (key != FIM_NO_NUMBER)
			b->start[key]++;
		if (Stopped(b, p))
			return false;
	}
	StartsOfCounts(b->start, b->data->nkeys);
	for (uint64_t p = 0; p < side->added; p++)
	{
		uint32_t	key = b->key_number[pair[p].key];

		if (key != FIM_NO_NUMBER)
			b->by_key[b->start[key]++] = pair[p].value;
		if (Stopped(b, p))
			return false;
	}
	RestoreStarts(b->start, b->data->nkeys);
	return true;
}

/*
 * Write the keys of each value, ascending, to "to": start[value] says where they begin, and
 * length[value] how many there are.  A pair that was added twice is found by comparing its key
 * with the last key of its value.
 */
static bool
SortByValue(Building *b, const FimSetsSide *side, uint64_t *start, uint32_t *length, uint32_t *to)
{
	uint64_t	key_end = 0;

	memset(start, 0, sizeof(uint64_t) * ((uint64_t) side->values + 1));
	memset(length, 0, sizeof(uint32_t) * (uint64_t) side->values);
	for (uint64_t p = 0; p < b->start[b->data->nkeys]; p++)
	{
		start[b->by_key[p]]++;
		if (Stopped(b, p))
			return false;
	}
	StartsOfCounts(start, side->values);
	for (uint32_t key = 0; key < b->data->nkeys; key++)
	{
		uint64_t	p = key_end;

		for (key_end = b->start[key + 1]; p < key_end; p++)
		{
			uint32_t	value = b->by_key[p];
			uint32_t   *keys = to + start[value];

			if (length[value] == 0 || keys[length[value] - 1] != key)
				keys[length[value]++] = key;
			if (Stopped(b, p))
				return false;
		}
	}
	return true;
}

/* Rank the values that have keys by their number of keys, most first: value_of[rank] is the value. */
static bool
RankValues(Building *b, FimSetsSide *side, const uint32_t *length, uint32_t *value_of)
{
	uint64_t   *place = b->start;
	uint32_t	nkeys = b->data->nkeys;

	memset(place, 0, sizeof(uint64_t) * ((uint64_t) nkeys + 1));
	for (uint32_t v = 0; v < side->values; v++)
	{
		if (length[v] > 0)
			place[nkeys - length[v]]++;
		if (Stopped(b, v))
			return false;
	}
	StartsOfCounts(place, nkeys);
	side->nvalues = (uint32_t) place[nkeys];
	for (uint32_t v = 0; v < side->values; v++)
	{
		if (length[v] > 0)
			value_of[place[nkeys - length[v]]++] = v;
		if (Stopped(b, v))
			return false;
	}
	return true;
}

/*
 * Lay the side out from "at" on, by rank.  Returns where it ends, or 0 if the host said stop.  The
 * sets of keys are where the pairs were added, and may overlap the places that they get.  So they
 * are first copied to b->by_key.
 */
static uint64_t
WriteSide(Building *b, FimSetsSide *side, uint64_t at, const uint64_t *start, const uint32_t *length,
		  const uint32_t *keys, const uint32_t *value_of)
{
	uint64_t	n = 0;
	uint64_t	end;

	for (uint32_t r = 0; r < side->nvalues; r++)
	{
		uint32_t	v = value_of[r];

		memcpy(b->by_key + n, keys + start[v], sizeof(uint32_t) * length[v]);
		n += length[v];
		if (Stopped(b, r))
			return 0;
	}
	side->npairs = n;
	side->longest = side->nvalues > 0 ? length[value_of[0]] : 0;
	end = FimSetsLayoutSide(side, at, side->nvalues, n);
	memcpy(FIM_SETS_KEYS(b->data, side), b->by_key, sizeof(uint32_t) * n);
	FIM_SETS_STARTS(b->data, side)[0] = 0;
	for (uint32_t r = 0; r < side->nvalues; r++)
	{
		FIM_SETS_STARTS(b->data, side)[r + 1] = FIM_SETS_STARTS(b->data, side)[r] + length[value_of[r]];
		FIM_SETS_VALUES(b->data, side)[r] = value_of[r];
	}
	return end;
}

/* Turn the pairs of a side into its sets, from "at" on.  Returns where they end, or 0 if b->result says why not. */
static uint64_t
FinishSide(Building *b, FimSetsSide *side, uint64_t at)
{
	uint64_t	values = side->values;
	uint64_t   *start = Take(b, sizeof(uint64_t) * (values + 1));
	uint32_t   *length = Take(b, 2 * sizeof(uint32_t) * (values + 1));
	uint32_t   *keys = (uint32_t *) ((char *) b->data + side->added_at);
	uint64_t	end = 0;

	if (start != NULL && length != NULL && SortByKey(b, side) && SortByValue(b, side, start, length, keys))
	{
		uint32_t   *value_of = length + values + 1;

		if (RankValues(b, side, length, value_of))
			end = WriteSide(b, side, at, start, length, keys, value_of);
	}
	GiveBack(b, start);
	GiveBack(b, length);
	return end;
}

static uint64_t
Larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

FimResult
FimSetsFinish(FimSetsData *data, FimHost *host)
{
	Building	b = {.host = host, .data = data, .result = FIM_DONE};
	uint64_t	end = 0;

	b.key_number = Take(&b, sizeof(uint32_t) * (uint64_t) data->keys);
	b.start = Take(&b, sizeof(uint64_t) * ((uint64_t) data->keys + 1));
	b.by_key = Take(&b, sizeof(uint32_t) * Larger(data->left.added, data->right.added));
	if (b.result == FIM_DONE && NumberKeys(&b))
	{
		end = FinishSide(&b, &data->left, FimAlignUp(sizeof(FimSetsData)));
		if (data->one)
			data->right = data->left;
		else if (end > 0)
			end = FinishSide(&b, &data->right, end);
	}
	if (b.result == FIM_DONE)
		data->head.size = end;
	GiveBack(&b, b.key_number);
	GiveBack(&b, b.start);
	GiveBack(&b, b.by_key);
	return b.result;
}
