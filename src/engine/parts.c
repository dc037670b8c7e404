/*-------------------------------------------------------------------------
 *
 * parts.c
 *	  Which units of a task's work fall to which part.
 *
 *-------------------------------------------------------------------------
 */
#include "engine/parts.h"

#include <stdlib.h>
#include <string.h>

/* A part and the work that it has. */
typedef struct Load
{
	uint64_t	work;
	uint32_t	part;
} Load;

/* Which of two parts gets a unit first? */
static inline bool
HasLess(const Load *one, const Load *other)
{
	return one->work < other->work || (one->work == other->work && one->part < other->part);
}

/* The first part of a heap has got more work: let it sink to its place. */
static void
Sink(Load *heap, uint32_t n)
{
	Load		moved = heap[0];
	uint32_t	at = 0;

	for (;;)
	{
		uint32_t	child = 2 * at + 1;

		if (child + 1 < n && HasLess(&heap[child + 1], &heap[child]))
			child++;
		if (child >= n || HasLess(&moved, &heap[child]))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = moved;
}

static int
CompareWork(const void *a, const void *b)
{
	const FimWork *one = a;
	const FimWork *other = b;

	if (one->work != other->work)
		return one->work < other->work ? 1 : -1;
	return one->number < other->number ? -1 : one->number > other->number;
}

/* Deal n things, by their numbers below n. */
static void
Deal(FimWork *things, uint32_t n, uint32_t parts, uint16_t *part)
{
	Load		heap[FIM_MOST_PARTS];

	qsort(things, n, sizeof(FimWork), CompareWork);
	for (uint32_t p = 0; p < parts; p++)
		heap[p] = (Load) {0, p};
	for (uint32_t t = 0; t < n; t++)
	{
		part[things[t].number] = (uint16_t) heap[0].part;
		heap[0].work += things[t].work;
		Sink(heap, parts);
	}
}

/* The pieces of a unit are dealt in groups that are at least as small as one in so many parts of a part's share. */
#define GROUP_FROM		128

/* What is known of units before they are dealt. */
typedef struct Estimates
{
	uint64_t   *work;			/* [n] without the pieces of those that are divided */
	uint32_t   *npieces;		/* [n] 0 if a unit is not divided */
	uint64_t	all_pieces;		/* the sum of these */
	uint64_t	share;			/* the work of a part */
} Estimates;

/* Ask about all units, and choose those that are divided. */
static void
Estimate(Estimates *e, uint32_t n, uint32_t parts, bool divide, FimWorkOf work_of, void *context, FimWork *pieces)
{
	uint64_t	sum = 0;

	for (uint32_t u = 0; u < n; u++)
	{
		e->npieces[u] = 0;
		e->work[u] = work_of(context, u, pieces, &e->npieces[u]);
		for (uint32_t p = 0; p < e->npieces[u]; p++)
			e->work[u] += pieces[p].work;
		sum += e->work[u];
	}
	e->share = sum / parts;
	for (uint32_t u = 0; u < n; u++)
	{
		if (!divide || e->work[u] <= e->share / FIM_DIVIDED_OF_PART)
			e->npieces[u] = 0;
		e->all_pieces += e->npieces[u];
	}
}

/* Note the pieces of units that are divided.  A piece's part is the number of its group for now.  Returns how many groups there are. */
static uint32_t
GroupPieces(Estimates *e, FimDealt *dealt, FimWorkOf work_of, void *context, FimWork *pieces, FimWork *groups, uint32_t *group)
{
	uint64_t	at = 0;
	uint32_t	ngroups = 0;

	for (uint32_t u = 0; u < dealt->n; u++)
	{
		bool		open = false;
		uint32_t	npieces;

		dealt->pieces_at[u] = at;
		if (e->npieces[u] == 0)
			continue;
		e->work[u] = work_of(context, u, pieces, &npieces);
		for (uint32_t p = 0; p < npieces; p++)
		{
			if (!open)
			{
				groups[ngroups] = (FimWork) {0, dealt->n + ngroups};
				ngroups++;
			}
			groups[ngroups - 1].work += pieces[p].work;
			open = groups[ngroups - 1].work < e->share / GROUP_FROM;
			group[at] = ngroups - 1;
			dealt->pieces[at++].number = pieces[p].number;
		}
	}
	dealt->pieces_at[dealt->n] = at;
	return ngroups;
}

void
FimDeal(FimDealt *dealt, const FimPart *part, uint32_t n, uint32_t numbers, bool divide, FimWorkOf work_of,
		void *context, Arena *arena)
{
	Estimates	e = {0};
	FimWork    *pieces = ArenaAlloc(arena, sizeof(FimWork) * ((size_t) numbers + 1));
	FimWork    *things;
	uint16_t   *given;
	uint32_t   *group;
	uint32_t	ngroups;

	*dealt = (FimDealt) {.own = part->number,.n = n};
	e.work = ArenaAlloc(arena, sizeof(uint64_t) * ((size_t) n + 1));
	e.npieces = ArenaAlloc(arena, sizeof(uint32_t) * ((size_t) n + 1));
	Estimate(&e, n, part->of, divide, work_of, context, pieces);

	dealt->of_piece = ArenaAlloc(arena, sizeof(uint16_t) * ((size_t) numbers + 1));
	memset(dealt->of_piece, 0, sizeof(uint16_t) * ((size_t) numbers + 1));
	dealt->concerned = ArenaAlloc(arena, sizeof(bool) * ((size_t) n + 1));
	dealt->pieces_at = ArenaAlloc(arena, sizeof(uint64_t) * ((size_t) n + 1));
	dealt->pieces = ArenaAlloc(arena, sizeof(FimPiece) * (e.all_pieces + 1));
	group = ArenaAlloc(arena, sizeof(uint32_t) * (e.all_pieces + 1));
	things = ArenaAlloc(arena, sizeof(FimWork) * (n + e.all_pieces + 1));
	dealt->part = given = ArenaAlloc(arena, sizeof(uint16_t) * (n + e.all_pieces + 1));
	ngroups = GroupPieces(&e, dealt, work_of, context, pieces, things + n, group);
	for (uint32_t u = 0; u < n; u++)
		things[u] = (FimWork) {e.work[u], u};
	Deal(things, n + ngroups, part->of, given);

	for (uint32_t u = 0; u < n; u++)
	{
		dealt->concerned[u] = given[u] == dealt->own;
		for (uint64_t p = dealt->pieces_at[u]; p < dealt->pieces_at[u + 1]; p++)
		{
			dealt->pieces[p].part = given[n + group[p]];
			dealt->concerned[u] |= dealt->pieces[p].part == dealt->own;
		}
	}
}

uint32_t
FimLog2(uint64_t n)
{
	uint32_t	log = 63 - (uint32_t) __builtin_clzll(n);
	uint64_t	mantissa = log > 31 ? n >> (log - 31) : n << (31 - log);	/* from 1 to below 2, times 2^31 */

	for (int bit = 0; bit < FIM_LOG_BITS; bit++)
	{
		mantissa = mantissa * mantissa >> 31;
		log = log << 1 | (uint32_t) (mantissa >> 32);
		mantissa >>= mantissa >> 32;
	}
	return log;
}

uint64_t
FimFingerprint2(uint64_t first, uint64_t second)
{
	return FimHash64(FimHash64(first + UINT64_C(0x9e3779b97f4a7c15)) + second);
}

uint64_t
FimFingerprintOf(const void *bytes, size_t n)
{
	const unsigned char *from = bytes;
	uint64_t	print = FimFingerprint2(n, 0);

	for (size_t i = 0; i < n; i++)
		print = FimFingerprint2(print, from[i]);
	return print;
}

uint64_t
FimFingerprintOfNumber(double number)
{
	return FimFingerprintOf(&number, sizeof(number));
}
