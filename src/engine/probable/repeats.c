/*-------------------------------------------------------------------------
 *
 * repeats.c
 *	  Lists of probabilities that have few different values.
 *
 *-------------------------------------------------------------------------
 */
#include "repeats.h"

#include <string.h>

/* Values between two polls. */
#define AT_ONCE			(UINT32_C(1) << 10)

#define TABLE_BITS		8
#define TABLE_SIZE		(1 << TABLE_BITS)

/* A hash table of the different values. */
typedef struct ValueTable
{
	Repeats    *repeats;
	uint32_t	most;			/* the most different values that are allowed */
	uint8_t		place[TABLE_SIZE];	/* by hash: the index into repeats + 1; 0 if the slot is free */
} ValueTable;

static inline uint32_t
HashOf(double value)
{
	uint64_t	bits;

	memcpy(&bits, &value, sizeof(bits));
	return (uint32_t) ((bits * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - TABLE_BITS));
}

/* The index of a value, which is added if it is new; table->most if it is one too many. */
static inline uint32_t
PlaceOf(ValueTable *table, double value)
{
	Repeats    *repeats = table->repeats;
	uint32_t	slot = HashOf(value);

	while (table->place[slot] != 0)
	{
		uint32_t	place = table->place[slot] - UINT32_C(1);

		if (repeats->value[place] == value)
			return place;
		slot = (slot + 1) % TABLE_SIZE;
	}
	if (repeats->n == table->most)
		return table->most;
	repeats->value[repeats->n] = value;
	repeats->times[repeats->n] = 0;
	table->place[slot] = (uint8_t) ++repeats->n;
	return repeats->n - 1;
}

/* Do all of them have the same value?  Compilers can vectorize this loop. */
static bool
AreEqual(const double *p, uint32_t n)
{
	uint32_t	equal = 0;

	for (uint32_t i = 0; i < n; i++)
		equal += p[i] == p[0];
	return equal == n;
}

/* Returns false if there are too many values. */
static bool
CountPart(ValueTable *table, const double *p, uint32_t n)
{
	uint32_t   *times = table->repeats->times;
	uint32_t	place;

	if (p[n - 1] == p[0] && AreEqual(p, n))
	{
		if ((place = PlaceOf(table, p[0])) == table->most)
			return false;
		times[place] += n;
		return true;
	}
	for (uint32_t i = 0; i < n; i++)
	{
		if ((place = PlaceOf(table, p[i])) == table->most)
			return false;
		times[place]++;
	}
	return true;
}

bool
CountRepeats(FimWorkspace *ws, const double *p, uint32_t n, uint32_t least, Repeats *repeats)
{
	ValueTable	table = {.repeats = repeats,.most = n / least};

	if (table.most > MOST_VALUES)
		table.most = MOST_VALUES;
	repeats->n = 0;
	for (uint32_t i = 0; i < n; i += AT_ONCE)
	{
		uint32_t	part = n - i < AT_ONCE ? n - i : AT_ONCE;

		if (table.most == 0 || !CountPart(&table, p + i, part))
		{
			repeats->n = 0;
			break;
		}
		if (WorkspaceStops(ws, part))
			return false;
	}
	return true;
}
