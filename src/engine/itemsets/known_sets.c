/*-------------------------------------------------------------------------
 *
 * known_sets.c
 *	  A search's known itemsets, as sets of its columns.
 *
 * Only known itemsets that hold the path and the item of the class can tell the search
 * of a class anything.  They are read from their blocks when the search begins.  Those
 * that are found or imported later are added.
 *
 *-------------------------------------------------------------------------
 */
#include "known_codec.h"
#include "known_sets.h"

#include <string.h>

/* Marks the items of the path while known itemsets are compared with it. */
#define ON_PATH		UINT32_MAX

/* Blocks lie scattered in memory, so each is prefetched this many blocks ahead. */
#define PLACES_AHEAD	8

/*
 * A known itemset as it is read, and how much it has of the path and of some columns.  While
 * a reader is open, known->column[] has the column + 1 of an item, or ON_PATH.
 */
typedef struct Reader
{
	uint32_t   *items;			/* [length] the itemset */
	uint32_t	length;
	uint32_t	on_path;		/* how many items of the path it has */
	uint32_t	columns;		/* how many of the columns it has */
	uint32_t	must;			/* the column + 1 that an itemset must have to be added, or 0 */
	const uint32_t *names;		/* [ncolumns] the columns' items */
	uint32_t	ncolumns;
} Reader;

/* Count an item of the itemset.  "one" is 1 if the item is added, and UINT32_MAX, as -1, if it is taken away. */
static inline void
AddItem(const Known *known, Reader *reader, uint32_t item, uint32_t one)
{
	uint32_t	column = known->column[item];

	reader->on_path += column == ON_PATH ? one : 0;
	reader->columns += column != 0 && column != ON_PATH ? one : 0;
}

/* Read the next itemset.  Only the items in which it differs from the one before are replaced. */
static inline const uint8_t *
ReadKnown(const Known *known, const uint8_t *at, Reader *reader)
{
	uint32_t	keep;
	uint32_t	added;

	at = KnownGetNumber(KnownGetNumber(at, &keep), &added);
	while (reader->length > keep)
		AddItem(known, reader, reader->items[--reader->length], UINT32_MAX);
	for (; added > 0; added--)
	{
		at = KnownGetNumber(at, &reader->items[reader->length]);
		AddItem(known, reader, reader->items[reader->length++], 1);
	}
	return at;
}

static void
OpenReader(Miner *m, Reader *reader, const uint32_t *names, uint32_t ncolumns)
{
	Known	   *known = m->known;

	memset(reader, 0, sizeof(Reader));
	reader->items = ArenaAlloc(&m->arena, sizeof(uint32_t) * ((size_t) m->db->nitems + 1));
	reader->names = names;
	reader->ncolumns = ncolumns;
	for (uint32_t c = 0; c < ncolumns; c++)
		known->column[names[c]] = c + 1;
	for (uint32_t i = 0; i < m->out.depth; i++)
		known->column[m->out.path[i]] = ON_PATH;
}

static void
CloseReader(Miner *m, const Reader *reader)
{
	for (uint32_t c = 0; c < reader->ncolumns; c++)
		m->known->column[reader->names[c]] = 0;
	for (uint32_t i = 0; i < m->out.depth; i++)
		m->known->column[m->out.path[i]] = 0;
}

/*
 * Number another set of the search, and return the words of known->held that have its bit, one
 * for each column.  The bit is 0 in all of them.
 */
static uint64_t *
AddSet(Miner *m)
{
	Known	   *known = m->known;
	size_t		at = (size_t) (known->nsets / 64) * known->ncolumns;

	if (known->nsets++ % 64 == 0)
	{
		known->held = KnownGrow(m, known->held, at, &known->held_room, at + known->ncolumns,
								sizeof(uint64_t));
		memset(known->held + at, 0, sizeof(uint64_t) * known->ncolumns);
	}
	return known->held + at;
}

/*
 * Add the itemsets of a block that hold the path to the search's sets.  Returns false as
 * soon as one of them has all columns.
 */
static bool
AddBlock(Miner *m, size_t block, Reader *reader)
{
	const Known *known = m->known;
	const uint8_t *at = known->bytes + KnownBlockStart(known, block);
	const uint8_t *end = known->bytes + KnownBlockStart(known, block + 1);

	while (at < end)
	{
		uint64_t   *words;
		uint64_t	bit;
		bool		must = reader->must == 0;

		at = ReadKnown(known, at, reader);
		MinerWork(m, 8);
		if (reader->on_path != m->out.depth ||
			(reader->columns == 0 && reader->ncolumns > 0))
			continue;
		for (uint32_t i = 0; !must && i < reader->length; i++)
			must = known->column[reader->items[i]] == reader->must;
		if (!must)
			continue;
		bit = UINT64_C(1) << (known->nsets % 64);
		words = AddSet(m);
		for (uint32_t i = 0; i < reader->length; i++)
		{
			uint32_t	column = known->column[reader->items[i]];

			if (column != 0 && column != ON_PATH)
				words[column - 1] |= bit;
		}
		if (reader->columns == reader->ncolumns)
			return false;
	}
	return true;
}

bool
KnownBeginSearch(Miner *m, uint32_t class_item, const uint32_t *items, uint32_t ncolumns)
{
	Known	   *known = m->known;
	uint32_t	nwords = (ncolumns + 63) / 64;
	ArenaMark	mark = ArenaGetMark(&m->arena);
	const KnownPlaces *places;
	const uint32_t *blocks;
	Reader		reader;
	bool		covered = false;

	known->ncolumns = ncolumns;
	known->class_words = nwords;
	known->path = KnownGrow(m, known->path, 0, &known->path_room, nwords, sizeof(uint64_t));
	memset(known->path, 0, sizeof(uint64_t) * nwords);
	known->nsets = 0;

	/* the sets have all of these items, so reading the blocks of the item with the fewest is enough */
	places = &known->places[class_item];
	for (uint32_t i = 0; i < m->out.depth; i++)
		if (known->places[m->out.path[i]].n < places->n)
			places = &known->places[m->out.path[i]];
	OpenReader(m, &reader, items, ncolumns);
	if (known->column[class_item] != ON_PATH)
		reader.must = known->column[class_item];
	blocks = KnownBlocks(places);
	for (uint32_t p = places->n; p-- > 0 && !covered;)
	{
		if (p >= PLACES_AHEAD)
			__builtin_prefetch(known->bytes + known->block[blocks[p - PLACES_AHEAD]]);
		covered = !AddBlock(m, blocks[p], &reader);
	}
	CloseReader(m, &reader);
	ArenaRelease(&m->arena, mark);
	return !covered;
}

void
KnownAddBlocks(Miner *m, size_t from, const uint32_t *names, const uint32_t *column, uint32_t n)
{
	ArenaMark	mark = ArenaGetMark(&m->arena);
	Reader		reader;

	OpenReader(m, &reader, names, n);
	/* only the node's columns matter of a set that others have found; they go by the search's numbers */
	for (uint32_t c = 0; c < n; c++)
		m->known->column[names[c]] = column[c] + 1;
	while (from < m->known->nblocks && AddBlock(m, from, &reader))
		from++;
	CloseReader(m, &reader);
	ArenaRelease(&m->arena, mark);
}

void
KnownAddPath(Miner *m)
{
	Known	   *known = m->known;
	uint64_t	bit = UINT64_C(1) << (known->nsets % 64);
	uint64_t   *words = AddSet(m);

	for (uint32_t w = 0; w < known->class_words; w++)
		for (uint64_t left = known->path[w]; left != 0; left &= left - 1)
			words[w * 64 + (uint32_t) __builtin_ctzll(left)] |= bit;
}
