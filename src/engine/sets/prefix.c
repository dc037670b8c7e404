/*-------------------------------------------------------------------------
 *
 * prefix.c
 *	  Strategy "prefix": similar sets by their rarest keys.
 *
 * If two sets have at least o keys in common, they have one in common even if the o - 1 most
 * frequent keys of each are left out (Chaudhuri, Ganti and Kaushik, A Primitive Operator for
 * Similarity Joins in Data Cleaning, ICDE 2006; Bayardo, Ma and Srikant, Scaling Up All Pairs
 * Similarity Search, WWW 2007).  An index has the rarest keys of all sets.  A set looks its own
 * rarest keys up there, and so meets smaller sets.  How many keys of each set are rarer than
 * the first key that they share bounds how many they can have in common (Xiao, Wang, Lin and
 * Yu, Efficient Similarity Joins for Near Duplicate Detection, WWW 2008).  So do signatures,
 * which are 128 bits of each set (Sandes, Teodoro and Melo, Bitmap Filter: Speeding up Exact Set
 * Similarity Joins with Bitwise Operations, Information Systems 2020).  For the pairs that are
 * left, common keys are counted key by key.
 *
 * Keys are numbered by frequency, most frequent first, so the rarest keys of a set are its last
 * ones.
 *
 *-------------------------------------------------------------------------
 */
#include "joiner.h"

#include <string.h>

/* CountHeld() looks at this many keys of a set before it checks whether enough common keys are still possible. */
#define KEYS_AT_ONCE	16

/* The steps, as for JoinerWorked(), that CountHeld() waits for the memory of a set: measured with 8,000 sets of 2,000 keys. */
#define FETCH_STEPS		200

/*
 * The signature of a set: bit b tells whether the set has an odd number of the keys whose number is b
 * modulo 128.  Where the signatures of two sets differ, one set has a key that the other has not.
 */
typedef struct Signature
{
	uint64_t	word[2];
} Signature;

/*
 * An entry of the index: a set that has the key among its rarest ones.  Most entries that a set
 * meets are of sets that are not similar to it.  With what the entry says and the size of its set,
 * nearly all of these can be left out, and memory is read in its order.
 */
typedef struct Entry
{
	Signature	signature;
	uint32_t	rank;
	uint32_t	rarer;			/* keys of its set that are rarer than this one */
} Entry;

struct Prefix
{
	Joiner	   *j;
	Cells	   *cells;
	FimSetsSpec	needed;			/* the spec with a measure that has no direction */
	uint64_t   *start;			/* [nkeys + 1] where the entries of each key begin */
	Entry	   *entry;			/* those of a key are ascending by rank */
	uint64_t   *held;			/* a bit for each key: whether the set at hand has it */
	uint32_t   *larger;			/* [longest + 1] the number of sets that have more keys than this */
	uint8_t    *met;			/* [values] 1 if the set at hand has met this set */
	uint32_t   *found;			/* [values] the sets that it has met, nfound of them */
	uint32_t	nfound;
	uint32_t   *least;			/* by size of another set: the overlap that is needed, 0 if not known yet */
	uint32_t	size;			/* keys of the set at hand, for which least[] is */
};

static Signature
SignatureOf(const Side *side, uint32_t rank)
{
	Signature	signature = {{0, 0}};

	for (uint64_t k = side->start[rank]; k < side->start[rank + 1]; k++)
		signature.word[side->key[k] / 64 % 2] ^= UINT64_C(1) << (side->key[k] % 64);
	return signature;
}

/* The number of bits in which two signatures differ: at least so many keys are in only one of both sets. */
static inline uint32_t
Differences(Signature a, Signature b)
{
	return (uint32_t) (__builtin_popcountll(a.word[0] ^ b.word[0]) + __builtin_popcountll(a.word[1] ^ b.word[1]));
}

/* Count the entries of each key in start[key + 1], or write them from start[key] on. */
static void
PassOverSets(Prefix *prefix, bool write)
{
	const Side *side = &prefix->j->product.right;
	uint32_t	size = 0;
	uint32_t	indexed = 0;

	for (uint32_t r = 0; r < side->nvalues; r++)
	{
		uint64_t	end = side->start[r + 1];
		Signature	signature = write ? SignatureOf(side, r) : (Signature) {{0, 0}};

		if (SideLength(side, r) != size)
		{
			size = SideLength(side, r);
			indexed = PrefixOfIndex(prefix->j->spec, size);
		}
		for (uint32_t rarer = 0; rarer < indexed; rarer++)
		{
			uint32_t	key = side->key[end - 1 - rarer];

			if (write)
				prefix->entry[prefix->start[key]++] = (Entry) {signature, r, rarer};
			else
				prefix->start[key + 1]++;
		}
		JoinerWorked(prefix->j, 8 + (write ? 24 : 8) * (uint64_t) indexed + size);
	}
}

/* Make the index of all sets' rarest keys. */
static void
MakeIndex(Prefix *prefix)
{
	Joiner	   *j = prefix->j;
	uint64_t	nkeys = j->product.nkeys;

	prefix->start = ArenaAlloc(&j->arena, sizeof(uint64_t) * (nkeys + 1));
	memset(prefix->start, 0, sizeof(uint64_t) * (nkeys + 1));
	PassOverSets(prefix, false);
	for (uint64_t k = 0; k < nkeys; k++)
		prefix->start[k + 1] += prefix->start[k];
	prefix->entry = ArenaAlloc(&j->arena, sizeof(Entry) * prefix->start[nkeys]);
	PassOverSets(prefix, true);
	/* writing has moved each start to the next one's place */
	memmove(prefix->start + 1, prefix->start, sizeof(uint64_t) * nkeys);
	prefix->start[0] = 0;
}

/* Count the sets that have more keys than each size. */
static void
CountLarger(Prefix *prefix)
{
	const Side *side = &prefix->j->product.right;
	uint32_t	rank = 0;

	for (uint32_t size = side->longest + 1; size-- > 0;)
	{
		while (rank < side->nvalues && SideLength(side, rank) > size)
			rank++;
		prefix->larger[size] = rank;
	}
}

Prefix *
PrefixNew(Joiner *j, Cells *cells)
{
	Prefix	   *prefix = ArenaAlloc(&j->arena, sizeof(Prefix));
	size_t		n = j->product.right.nvalues;
	size_t		words = (size_t) j->product.nkeys / 64 + 1;

	prefix->j = j;
	prefix->cells = cells;
	prefix->needed = WithoutDirection(j->spec);
	prefix->held = ArenaAlloc(&j->arena, sizeof(uint64_t) * words);
	prefix->met = ArenaAlloc(&j->arena, n);
	prefix->found = ArenaAlloc(&j->arena, sizeof(uint32_t) * n);
	prefix->least = ArenaAlloc(&j->arena, sizeof(uint32_t) * ((size_t) j->product.right.longest + 1));
	prefix->larger = ArenaAlloc(&j->arena, sizeof(uint32_t) * ((size_t) j->product.right.longest + 1));
	prefix->size = 0;
	memset(prefix->held, 0, sizeof(uint64_t) * words);
	memset(prefix->met, 0, n);
	CountLarger(prefix);
	MakeIndex(prefix);
	return prefix;
}

/* The overlap that the set at hand needs with a set of "other" keys. */
static inline uint32_t
LeastWith(Prefix *prefix, uint32_t other)
{
	if (prefix->least[other] == 0)
		prefix->least[other] = LeastOverlap(&prefix->needed, prefix->size, other);
	return prefix->least[other];
}

/* Mark the keys of a set, or take the marks away. */
static void
Hold(Prefix *prefix, uint32_t rank, bool hold)
{
	const Side *side = &prefix->j->product.left;

	for (uint64_t k = side->start[rank]; k < side->start[rank + 1]; k++)
	{
		uint64_t	bit = UINT64_C(1) << (side->key[k] % 64);

		if (hold)
			prefix->held[side->key[k] / 64] |= bit;
		else
			prefix->held[side->key[k] / 64] = 0;
	}
}

/* The first of the entries up to "end", ascending by rank, whose rank is not below this one. */
static const Entry *
FirstEntry(const Entry *first, const Entry *end, uint32_t rank)
{
	while (first < end)
	{
		const Entry *middle = first + (end - first) / 2;

		if (middle->rank < rank)
			first = middle + 1;
		else
			end = middle;
	}
	return first;
}

/*
 * Of the entries from "at" on that are before "end" and of ranks below "stop", whose sets have
 * "other" keys, add the sets that may be similar to the set at hand to found[].  The key is common,
 * and "rarer" keys of the set at hand come after it.  Returns the first entry that is not such a one.
 */
static const Entry *
MeetSize(Prefix *prefix, Signature signature, uint32_t rarer, uint32_t other, const Entry *at,
		 const Entry *end, uint32_t stop)
{
	uint32_t	least = LeastWith(prefix, other);
	uint32_t	size = prefix->size;
	bool		possible = least <= other && least <= size - rarer;
	uint64_t	different = (uint64_t) other + size - 2 * (uint64_t) least; /* the most keys that only one has */

	for (; at < end && at->rank < stop; at++)
		if (possible && at->rarer <= other - least &&
			Differences(signature, at->signature) <= different &&
			!prefix->met[at->rank])
		{
			prefix->met[at->rank] = 1;
			prefix->found[prefix->nfound++] = at->rank;
		}
	return at;
}

/*
 * Find the sets of the range that may be similar to the set at hand.  They share one of the rarest
 * keys.  Keys are gone through from the rarest on, so at the first key that two sets share, no rarer
 * key of either is common, and all others may be.
 */
static void
Meet(Prefix *prefix, uint32_t rank, Range range)
{
	const Side *side = &prefix->j->product.left;
	uint64_t	last = side->start[rank + 1] - 1;
	uint32_t	probed = PrefixOfProbe(prefix->j->spec, prefix->size);
	Signature	signature = SignatureOf(side, rank);

	prefix->nfound = 0;
	for (uint32_t rarer = 0; rarer < probed; rarer++)
	{
		const uint64_t *start = prefix->start + side->key[last - rarer];
		const Entry *end = prefix->entry + start[1];
		const Entry *first = FirstEntry(prefix->entry + start[0], end, range.from);
		const Entry *at = first;

		while (at < end && at->rank < range.to)
		{
			uint32_t	other = SideLength(&prefix->j->product.right, at->rank);
			uint32_t	stop = prefix->larger[other - 1];

			at = MeetSize(prefix, signature, rarer, other, at, end, stop < range.to ? stop : range.to);
		}
		prefix->j->nodes += (uint64_t) (at - first);
		JoinerWorked(prefix->j, 8 + 4 * (uint64_t) (at - first));
	}
}

/* The number of keys that a set shares with the one at hand, or 0 if they are fewer than needed. */
static uint32_t
CountHeld(Prefix *prefix, uint32_t rank)
{
	const Side *side = &prefix->j->product.right;
	const uint32_t *key = side->key + side->start[rank];
	uint32_t	left = SideLength(side, rank);
	uint32_t	least = LeastWith(prefix, left);
	uint32_t	held = 0;

	while (left > 0 && held + left >= least)
	{
		uint32_t	stop = left > KEYS_AT_ONCE ? left - KEYS_AT_ONCE : 0;

		while (left > stop)
		{
			left--;
			held += (prefix->held[key[left] / 64] >> (key[left] % 64)) & 1;
		}
	}
	JoinerWorked(prefix->j, FETCH_STEPS + SideLength(side, rank) - left);
	return held >= least ? held : 0;
}

static void
JoinSet(Prefix *prefix, uint32_t rank)
{
	Joiner	   *j = prefix->j;
	Range		range = CellsOfRow(prefix->cells, rank);
	uint32_t	size = SideLength(&j->product.left, rank);

	if (range.from >= range.to)
		return;
	if (size != prefix->size)
		memset(prefix->least, 0, sizeof(uint32_t) * ((size_t) size + 1));
	prefix->size = size;
	CellsBegin(prefix->cells, rank);
	Hold(prefix, rank, true);
	Meet(prefix, rank, range);
	for (uint32_t i = 0; i < prefix->nfound; i++)
	{
		uint32_t	other = prefix->found[i];
		uint32_t	overlap = CountHeld(prefix, other);

		prefix->met[other] = 0;
		if (overlap > 0)
			CellsAdd(prefix->cells, other, overlap);
	}
	CellsFlush(prefix->cells);
	Hold(prefix, rank, false);
}

void
PrefixJoin(Prefix *prefix, uint32_t from, uint32_t to)
{
	for (uint32_t rank = from; rank < to; rank++)
	{
		JoinSet(prefix, rank);
		JoinerWorked(prefix->j, 8 + 2 * (uint64_t) SideLength(&prefix->j->product.left, rank));
	}
}
