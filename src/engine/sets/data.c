/*-------------------------------------------------------------------------
 *
 * data.c
 *	  Two relations as flat memory: pairs as they are added, then sets of keys.
 *
 * Pairs are sorted by counting: first by key, then, key by key, by value.  So each value's
 * keys come in ascending order, and equal pairs come one after the other.  The right side is also listed by key for the
 * CPU engine: here what is written is still in the cache, while looking all keys up later would take longer than all else.
 *
 * Where pairs come as records, which have all values of a key, they need not be sorted by key, and counts of how many
 * things come before others tell several processes where each of them writes.
 *
 *-------------------------------------------------------------------------
 */
#include "joiner.h"

#include <string.h>

#define POLL_STEPS		(1 << 16)

/* At least so many keys have their ranks listed at a time. */
#define RANGE_KEYS		(1 << 13)

/* Where records are added, about so many pairs are in a range of keys, which is a unit of work. */
#define RANGE_PAIRS		(1 << 19)

/* Rows of counts that different processes write begin in different lines of the cache. */
#define ROW_BYTES		64

/* What FimSetsFinish() takes from the host. */
typedef struct Building
{
	FimHost    *host;
	FimSetsData *data;
	uint64_t   *count[2];		/* [keys] the pairs that each key has on the left and on the right; NULL: none */
	uint32_t   *key_number;		/* [keys] the new number of a key, FIM_NO_NUMBER if it is not kept */
	uint64_t   *start;			/* [keys + 1] where the values of each key begin in by_key[] */
	uint32_t   *by_key;			/* [pairs of the larger side] values by key */
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
RowBytes(uint64_t columns)
{
	return (sizeof(uint32_t) * columns / ROW_BYTES + 1) * ROW_BYTES;
}

/* So many rows of counts as are wanted, but, unless it is one, not more than take as much room as the pairs' keys. */
static uint32_t
RowsInRoom(uint64_t wanted, uint64_t columns, uint64_t pairs)
{
	uint64_t	rows = sizeof(uint32_t) * pairs / RowBytes(columns);

	rows = rows < wanted ? rows : wanted;
	return rows > 0 ? (uint32_t) rows : 1;
}

/*
 * Room for the counts while records are added: first of the records of each number of values in each batch, then of each
 * rank in each range of keys, and in one more row for their sums.  Where the lists by key of records of each number of
 * values begin comes first.
 */
static uint64_t
LayoutCounts(FimSetsData *data, uint64_t at, const FimSetsSize *size)
{
	uint64_t	lengths = (uint64_t) size->longest + 1;
	uint64_t	batches;
	uint64_t	ranges;

	data->longest_record = size->longest;
	data->nbatches = RowsInRoom(size->batches, lengths, size->left_pairs);
	data->nranges = RowsInRoom(size->left_pairs / RANGE_PAIRS + 1, size->left_values, size->left_pairs);
	data->list_at = FimAlignUp(at);
	data->counts_at = data->list_at + sizeof(uint64_t) * lengths;
	data->counts_at = (data->counts_at + ROW_BYTES - 1) / ROW_BYTES * ROW_BYTES;
	batches = ((uint64_t) data->nbatches + 1) * RowBytes(lengths);
	ranges = ((uint64_t) data->nranges + 1) * RowBytes(size->left_values);
	return data->counts_at + (batches > ranges ? batches : ranges);
}

static uint64_t
LayoutBoth(FimSetsData *data, const FimSetsSize *size)
{
	uint64_t	end = LayoutAdded(&data->left, FimAlignUp(sizeof(FimSetsData)), size->left_values,
								  size->left_pairs);

	end = LayoutAdded(&data->right, end, size->right_values, size->right_pairs);
	/* keys and ranks take 8 bytes a pair together, as pairs did, and there is room for where the ranks of each key begin */
	end = FimAlignUp(end) + sizeof(uint64_t) * ((uint64_t) size->keys + 2);
	/* the left values that are kept get a side of their own */
	if (size->part && size->one)
		end += (sizeof(uint64_t) + 2 * sizeof(uint32_t)) * ((uint64_t) size->left_values + 3) +
			sizeof(uint32_t) * size->left_pairs;
	if (size->batches > 0)
		end = LayoutCounts(data, end, size);
	return end + sizeof(uint32_t) * ((uint64_t) FIM_SETS_MOST_BLOCKS + 2);
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

/* Poll the host every POLL_STEPS steps.  Returns true if it said stop. */
static inline bool
SaysStop(FimHost *host, uint64_t step)
{
	return step % POLL_STEPS == POLL_STEPS - 1 && host->poll(host);
}

/* The same, and set the result then. */
static inline bool
Stopped(Building *b, uint64_t step)
{
	if (!SaysStop(b->host, step))
		return false;
	b->result = FIM_STOPPED;
	return true;
}

static uint64_t
Larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
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

/* Count the pairs of the side that each key has. */
static bool
CountKeys(Building *b, const FimSetsSide *side, uint64_t *count)
{
	const FimSetsPair *pair = FimSetsAdded(b->data, side);

	memset(count, 0, sizeof(uint64_t) * (uint64_t) b->data->keys);
	for (uint64_t p = 0; p < side->added; p++)
	{
		count[pair[p].key]++;
		if (Stopped(b, p))
			return false;
	}
	return true;
}

/* The number of pairs by which a key is numbered, 0 if it is not kept. */
static inline uint64_t
PairsOfKey(const Building *b, uint32_t key)
{
	uint64_t	left = b->count[0][key];
	uint64_t	right = b->data->one ? 0 : b->count[1][key];
	uint64_t	pairs = b->data->one || b->data->whole || (left > 0 && right > 0) ? left + right : 0;

	return pairs < b->data->keys ? pairs : b->data->keys;
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
	uint32_t	keys = data->keys;
	uint64_t   *place = b->start;

	if (!CountKeys(b, &data->left, b->count[0]) || (!data->one && !CountKeys(b, &data->right, b->count[1])))
		return false;
	memset(place, 0, sizeof(uint64_t) * ((uint64_t) keys + 1));
	for (uint32_t k = 0; k < keys; k++)
	{
		uint64_t	pairs = PairsOfKey(b, k);

		data->most_paths += (double) b->count[0][k] * (double) b->count[data->one ? 0 : 1][k];
		if (pairs > 0)
			place[keys - pairs]++;
		if (Stopped(b, k))
			return false;
	}
	StartsOfCounts(place, keys);
	data->nkeys = (uint32_t) place[keys];
	for (uint32_t k = 0; k < keys; k++)
	{
		uint64_t	pairs = PairsOfKey(b, k);

		b->key_number[k] = pairs > 0 ? (uint32_t) place[keys - pairs]++ : FIM_NO_NUMBER;
		if (Stopped(b, k))
			return false;
	}
	return true;
}

/* Write the side's values to b->by_key, by the new numbers of their keys: those of key k begin at b->start[k]. */
static bool
SortByKey(Building *b, const FimSetsSide *side, const uint64_t *count)
{
	const FimSetsPair *pair = FimSetsAdded(b->data, side);

	for (uint32_t k = 0; k < b->data->keys; k++)
		if (b->key_number[k] != FIM_NO_NUMBER)
			b->start[b->key_number[k]] = count[k];
	StartsOfCounts(b->start, b->data->nkeys);
	for (uint64_t p = 0; p < side->added; p++)
	{
		uint32_t	key = b->key_number[pair[p].key];

		if (key != FIM_NO_NUMBER)
			b->by_key[b->start[key]++] = pair[p].value;
		if (Stopped(b, p))
			return false;
	}
	/* that has moved each start to the next one's place */
	memmove(b->start + 1, b->start, sizeof(uint64_t) * b->data->nkeys);
	b->start[0] = 0;
	return true;
}

/*
 * Count the keys of each value: length[value].  A pair that was added twice is found by comparing its key with the last
 * key of its value, which last[value] is; it is taken out of b->by_key.
 */
static bool
CountValues(Building *b, FimSetsSide *side, uint32_t *length, uint32_t *last)
{
	uint64_t	p = 0;
	uint64_t	n = 0;

	memset(length, 0, sizeof(uint32_t) * (uint64_t) side->values);
	memset(last, 0xff, sizeof(uint32_t) * (uint64_t) side->values);
	for (uint32_t key = 0; key < b->data->nkeys; key++)
	{
		uint64_t	end = b->start[key + 1];

		b->start[key] = n;
		for (; p < end; p++)
		{
			uint32_t	value = b->by_key[p];

			if (last[value] != key)
			{
				last[value] = key;
				length[value]++;
				b->by_key[n++] = value;
			}
			if (Stopped(b, p))
				return false;
		}
	}
	b->start[b->data->nkeys] = n;
	side->npairs = n;
	return true;
}

static uint32_t
Greatest(const uint32_t *number, uint32_t n)
{
	uint32_t	greatest = 0;

	for (uint32_t i = 0; i < n; i++)
		greatest = number[i] > greatest ? number[i] : greatest;
	return greatest;
}

/* Rank the values that have keys by their number of keys, most first: value_of[rank] is the value. */
static bool
RankValues(Building *b, FimSetsSide *side, const uint32_t *length, uint64_t *place, uint32_t *value_of)
{
	uint32_t	longest = side->longest = Greatest(length, side->values);

	memset(place, 0, sizeof(uint64_t) * ((uint64_t) longest + 1));
	for (uint32_t v = 0; v < side->values; v++)
	{
		if (length[v] > 0)
			place[longest - length[v]]++;
		if (Stopped(b, v))
			return false;
	}
	StartsOfCounts(place, longest);
	side->nvalues = (uint32_t) place[longest];
	for (uint32_t v = 0; v < side->values; v++)
	{
		if (length[v] > 0)
			value_of[place[longest - length[v]]++] = v;
		if (Stopped(b, v))
			return false;
	}
	return true;
}

/* Lay the side out from "at" on, where its pairs were added before.  Returns where it ends, or 0 if the host said stop. */
static uint64_t
LayOut(Building *b, FimSetsSide *side, uint64_t at, const uint32_t *length, const uint32_t *value_of)
{
	uint64_t	end = FimSetsLayoutSide(side, at, side->nvalues, side->npairs);
	uint64_t   *start = FIM_SETS_STARTS(b->data, side);

	start[0] = 0;
	for (uint32_t r = 0; r < side->nvalues; r++)
	{
		start[r + 1] = start[r] + length[value_of[r]];
		FIM_SETS_VALUES(b->data, side)[r] = value_of[r];
		if (Stopped(b, r))
			return 0;
	}
	return end;
}

static uint64_t *
KeyStarts(FimSetsData *data)
{
	return (uint64_t *) ((char *) data + data->key_start_at);
}

static uint32_t *
Ranks(FimSetsData *data)
{
	return (uint32_t *) ((char *) data + data->rank_at);
}

/* Lay the lists of the right side's ranks by key, "pairs" together, out from "at" on.  Returns where they end. */
static uint64_t
LayOutLists(FimSetsData *data, uint64_t at, uint64_t pairs)
{
	data->key_start_at = at;
	data->rank_at = at + sizeof(uint64_t) * ((uint64_t) data->nkeys + 1);
	return FimAlignUp(data->rank_at + sizeof(uint32_t) * pairs);
}

/* Say where the list of each key begins. */
static void
SetKeyStarts(const Building *b)
{
	FimSetsData *data = b->data;

	memcpy(KeyStarts(data), b->start, sizeof(uint64_t) * ((uint64_t) data->nkeys + 1));
	for (uint32_t k = 0; k < data->nkeys; k++)
		data->most_right = (uint32_t) Larger(data->most_right, b->start[k + 1] - b->start[k]);
}

/*
 * Write the keys of each rank, ascending, and if "listed" the ranks of each key, ascending, too.  That is done for a
 * range of keys at a time, as long as the cache has their places and what was written of them.  place[value] is where
 * the value's next key goes, and listed[value] where that is whose list is next.  Moves b->start.
 */
static bool
WriteKeys(Building *b, const FimSetsSide *side, uint64_t *place, uint64_t *listed)
{
	FimSetsData *data = b->data;
	const uint32_t *value = FIM_SETS_VALUES(data, side);
	uint32_t   *key_of = FIM_SETS_KEYS(data, side);
	uint32_t   *rank = Ranks(data);
	const uint32_t *by_key = b->by_key;
	uint64_t   *start = b->start;
	/* on average, a value has a key in each range */
	uint64_t	range = Larger(RANGE_KEYS, (uint64_t) data->nkeys * side->nvalues / Larger(side->npairs, 1));
	uint32_t	key = 0;
	uint64_t	p = 0;

	for (uint32_t r = 0; r < side->nvalues; r++)
	{
		place[value[r]] = FIM_SETS_STARTS(data, side)[r];
		if (Stopped(b, r))
			return false;
	}
	if (listed != NULL)
		memcpy(listed, place, sizeof(uint64_t) * side->values);
	while (key < data->nkeys)
	{
		uint32_t	end = range < data->nkeys - key ? key + (uint32_t) range : data->nkeys;

		for (; key < end; key++)
			for (uint64_t next = start[key + 1]; p < next; p++)
			{
				key_of[place[by_key[p]]++] = key;
				if (Stopped(b, p))
					return false;
			}
		for (uint32_t r = 0; r < side->nvalues && listed != NULL; r++)
		{
			uint64_t	at = listed[value[r]];

			for (listed[value[r]] = place[value[r]]; at < place[value[r]]; at++)
			{
				rank[start[key_of[at]]++] = r;
				if (Stopped(b, at))
					return false;
			}
			if (Stopped(b, r))
				return false;
		}
	}
	return true;
}

/*
 * Turn the pairs of a side into its sets, from "at" on; if it is the right one, its lists by key follow.  Returns where that
 * ends, or 0 if b->result says why not.
 */
static uint64_t
FinishSide(Building *b, FimSetsSide *side, uint64_t at, bool right, uint64_t *count)
{
	uint64_t	values = side->values;
	uint64_t   *place = Take(b, 2 * sizeof(uint64_t) * (values + 1));
	uint32_t   *length = Take(b, 2 * sizeof(uint32_t) * (values + 1));
	uint64_t	end = 0;

	if (place != NULL && length != NULL)
	{
		uint32_t   *value_of = length + values + 1;

		if (SortByKey(b, side, count) && CountValues(b, side, length, value_of) &&
			RankValues(b, side, length, count, value_of))
		{
			end = LayOut(b, side, at, length, value_of);
			if (end > 0 && right)
			{
				end = LayOutLists(b->data, end, side->npairs);
				SetKeyStarts(b);
			}
			if (end > 0 && !WriteKeys(b, side, place, right ? place + values + 1 : NULL))
				end = 0;
		}
	}
	GiveBack(b, place);
	GiveBack(b, length);
	return end;
}

FimResult
FimSetsFinish(FimSetsData *data, FimHost *host)
{
	Building	b = {.host = host, .data = data, .result = FIM_DONE};
	uint64_t	counts = sizeof(uint64_t) * ((uint64_t) data->keys + 1);
	uint64_t	end = 0;

	for (int side = 0; side < (data->one ? 1 : 2); side++)
		b.count[side] = Take(&b, counts);
	b.key_number = Take(&b, sizeof(uint32_t) * (uint64_t) data->keys);
	b.start = Take(&b, counts);
	b.by_key = Take(&b, sizeof(uint32_t) * Larger(data->left.added, data->right.added));
	if (b.result == FIM_DONE && NumberKeys(&b))
	{
		end = FinishSide(&b, &data->left, FimAlignUp(sizeof(FimSetsData)), data->one, b.count[0]);
		if (data->one)
			data->right = data->left;
		else if (end > 0)
			end = FinishSide(&b, &data->right, end, true, b.count[1]);
	}
	if (b.result == FIM_DONE)
		data->head.size = end;
	GiveBack(&b, b.count[0]);
	GiveBack(&b, b.count[1]);
	GiveBack(&b, b.key_number);
	GiveBack(&b, b.start);
	GiveBack(&b, b.by_key);
	return b.result;
}

/*
 * From records.
 */

/* A row of counts of this number of things. */
static uint32_t *
Row(FimSetsData *data, uint32_t row, uint64_t columns)
{
	return (uint32_t *) ((char *) data + data->counts_at + row * RowBytes(columns));
}

static uint64_t
Lengths(const FimSetsData *data)
{
	return (uint64_t) data->longest_record + 1;
}

/* In each column, turn the counts of n rows into the sums of those in earlier rows.  The next row becomes the sums of all. */
static uint32_t *
SumRows(FimSetsData *data, uint32_t n, uint64_t columns)
{
	uint32_t   *sum = Row(data, n, columns);

	memset(sum, 0, sizeof(uint32_t) * columns);
	for (uint32_t r = 0; r < n; r++)
	{
		uint32_t   *row = Row(data, r, columns);

		for (uint64_t c = 0; c < columns; c++)
		{
			uint32_t	count = row[c];

			row[c] = sum[c];
			sum[c] += count;
		}
	}
	return sum;
}

FimResult
FimSetsRankValues(FimSetsData *data, uint32_t *number, FimHost *host)
{
	Building	b = {.host = host, .data = data, .result = FIM_DONE};
	FimSetsSide *side = &data->left;
	uint64_t   *place = Take(&b, sizeof(uint64_t) * ((uint64_t) Greatest(number, side->values) + 1));
	uint32_t   *value_of = Take(&b, sizeof(uint32_t) * (uint64_t) side->values);

	for (uint32_t v = 0; v < side->values; v++)
		side->npairs += number[v];
	if (b.result == FIM_DONE && RankValues(&b, side, number, place, value_of) &&
		LayOut(&b, side, FimAlignUp(sizeof(FimSetsData)), number, value_of) > 0)
	{
		memset(number, 0xff, sizeof(uint32_t) * (uint64_t) side->values);
		for (uint32_t r = 0; r < side->nvalues && !Stopped(&b, r); r++)
			number[value_of[r]] = r;
	}
	GiveBack(&b, place);
	GiveBack(&b, value_of);
	return b.result;
}

uint32_t *
FimSetsCounts(FimSetsData *data, uint32_t batch)
{
	uint32_t   *count = Row(data, batch, Lengths(data));

	memset(count, 0, sizeof(uint32_t) * Lengths(data));
	return count;
}

bool
FimSetsNumberKeys(FimSetsData *data)
{
	FimSetsSide *side = &data->left;
	uint64_t   *list = (uint64_t *) ((char *) data + data->list_at);
	uint32_t   *first = SumRows(data, data->nbatches, Lengths(data));
	uint64_t	pairs = 0;

	for (uint32_t n = data->longest_record; n > 0; n--)
	{
		uint64_t	keys = first[n];

		first[n] = data->nkeys;
		list[n] = pairs;
		data->nkeys += (uint32_t) keys;
		pairs += keys * n;
		data->most_paths += (double) keys * n * n;
		if (keys > 0 && data->most_right == 0)
			data->most_right = n;
	}
	data->head.size = LayOutLists(data, FimAlignUp(side->key_at + sizeof(uint32_t) * side->npairs), side->npairs);
	data->right = *side;
	KeyStarts(data)[data->nkeys] = pairs;
	return pairs == side->npairs;
}

void
FimSetsWriteRecord(FimSetsData *data, uint32_t batch, const uint32_t *ranks, uint32_t n)
{
	const uint32_t *first = Row(data, data->nbatches, Lengths(data));
	const uint64_t *list = (const uint64_t *) ((char *) data + data->list_at);
	uint32_t	before;
	uint64_t	start;

	if (n == 0)
		return;
	before = Row(data, batch, Lengths(data))[n]++;
	start = list[n] + (uint64_t) before * n;
	KeyStarts(data)[first[n] + before] = start;
	memcpy(Ranks(data) + start, ranks, sizeof(uint32_t) * n);
}

/* The first key of a range.  Ranges have about the same number of pairs. */
static uint32_t
FirstKey(FimSetsData *data, uint32_t range)
{
	return FirstListOfPart(KeyStarts(data), data->nkeys, range, data->nranges);
}

FimResult
FimSetsCountRange(FimSetsData *data, uint32_t range, FimHost *host)
{
	const uint64_t *start = KeyStarts(data);
	const uint32_t *rank = Ranks(data);
	uint32_t   *count = Row(data, range, data->left.nvalues);
	uint64_t	end = start[FirstKey(data, range + 1)];

	memset(count, 0, sizeof(uint32_t) * (uint64_t) data->left.nvalues);
	for (uint64_t p = start[FirstKey(data, range)]; p < end; p++)
	{
		count[rank[p]]++;
		if (SaysStop(host, p))
			return FIM_STOPPED;
	}
	return FIM_DONE;
}

bool
FimSetsPlaceRanges(FimSetsData *data)
{
	const uint32_t *sum = SumRows(data, data->nranges, data->left.nvalues);

	for (uint32_t r = 0; r < data->left.nvalues; r++)
		if (sum[r] != FimSetsLength(data, &data->left, r))
			return false;
	return true;
}

FimResult
FimSetsWriteRange(FimSetsData *data, uint32_t range, FimHost *host)
{
	const uint64_t *start = KeyStarts(data);
	const uint32_t *rank = Ranks(data);
	const uint64_t *first = FIM_SETS_STARTS(data, &data->left);
	uint32_t   *key_of = FIM_SETS_KEYS(data, &data->left);
	uint32_t   *before = Row(data, range, data->left.nvalues);
	uint32_t	end = FirstKey(data, range + 1);

	for (uint32_t key = FirstKey(data, range); key < end; key++)
		for (uint64_t p = start[key]; p < start[key + 1]; p++)
		{
			key_of[first[rank[p]] + before[rank[p]]++] = key;
			if (SaysStop(host, p))
				return FIM_STOPPED;
		}
	return FIM_DONE;
}
