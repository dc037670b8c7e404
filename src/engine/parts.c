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

#include "engine/arena.h"

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
	return one->unit < other->unit ? -1 : one->unit > other->unit;
}

void
FimDeal(FimWork *units, uint32_t n, uint32_t parts, uint16_t *part)
{
	Load		heap[FIM_MOST_PARTS];

	qsort(units, n, sizeof(FimWork), CompareWork);
	for (uint32_t p = 0; p < parts; p++)
		heap[p] = (Load) {0, p};
	for (uint32_t u = 0; u < n; u++)
	{
		part[units[u].unit] = (uint16_t) heap[0].part;
		heap[0].work += units[u].work;
		Sink(heap, parts);
	}
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
