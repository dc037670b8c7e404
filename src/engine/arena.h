/*-------------------------------------------------------------------------
 *
 * arena.h
 *	  What all rooms of the engine use: memory of a worker, hashing, and searches among ascending
 *	  numbers.
 *
 * Miners go down and up a tree, and the memory that a node takes is needed until the miner leaves
 * the node.  So an arena is a stack: allocating moves a pointer forward, and leaving a node moves it
 * back.  If the host has no memory, the arena leaves by longjmp to the family's mine(), which frees
 * everything.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_ARENA_H
#define FIM_ARENA_H

#include <setjmp.h>
#include <stdint.h>

#include "engine.h"

#define ARENA_ALIGN		64

/*
 * The address sanitizer reports every access to memory of a chunk that is not allocated: to
 * memory that was given back, and to the gap behind each block, which is never empty in such a
 * build.
 */
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#define ARENA_GAP		ARENA_ALIGN
#define ArenaHide(from, bytes)	ASAN_POISON_MEMORY_REGION(from, bytes)

static inline void *
ArenaShow(void *block, size_t bytes)
{
	ASAN_UNPOISON_MEMORY_REGION(block, bytes);
	return block;
}
#else
#define ARENA_GAP		0
#define ArenaHide(from, bytes)	((void) 0)
#define ArenaShow(block, bytes)	(block)
#endif

typedef struct ArenaChunk
{
	struct ArenaChunk *previous;
	struct ArenaChunk *next;	/* of the current chunk: a spare one for the next descent, or NULL */
	size_t		size;			/* of the data, in bytes */
	char	   *data;			/* aligned */
	bool		apart;			/* it is one block's own, see ArenaAllocApart() */
} ArenaChunk;

typedef struct Arena
{
	FimHost    *host;
	jmp_buf    *out_of_memory;
	ArenaChunk *chunk;
	char	   *at;
	char	   *end;
} Arena;

typedef struct ArenaMark
{
	ArenaChunk *chunk;
	char	   *at;
} ArenaMark;

extern void ArenaInit(Arena *arena, FimHost *host, jmp_buf *out_of_memory);
extern void ArenaFree(Arena *arena);
extern __attribute__((returns_nonnull)) void *ArenaGrow(Arena *arena, size_t bytes);
extern void ArenaReturn(Arena *arena, ArenaMark mark);

/*
 * Allocate a block in a chunk of its own.  For large blocks that are kept for long: the chunk is
 * no larger than the block, and the size of later chunks does not grow with it.  The chunk is
 * given back together with the chunk that is the current one now.
 */
extern __attribute__((returns_nonnull)) void *ArenaAllocApart(Arena *arena, size_t bytes);

/* The bytes that a block takes in its chunk. */
static inline size_t
ArenaRoom(size_t bytes)
{
	return ((bytes + ARENA_ALIGN - 1) & ~(size_t) (ARENA_ALIGN - 1)) + ARENA_GAP;
}

static inline __attribute__((returns_nonnull)) void *
ArenaAlloc(Arena *arena, size_t bytes)
{
	char	   *block = arena->at;
	size_t		room = ArenaRoom(bytes);

	if (room > (size_t) (arena->end - block))
		return ArenaShow(ArenaGrow(arena, room), bytes);
	arena->at = block + room;
	return ArenaShow(block, bytes);
}

/* Shrink the block that was allocated last to "bytes" bytes. */
static inline void
ArenaTrim(Arena *arena, void *block, size_t bytes)
{
	ArenaHide((char *) block + bytes, (size_t) (arena->at - (char *) block) - bytes);
	arena->at = (char *) block + ArenaRoom(bytes);
}

static inline ArenaMark
ArenaGetMark(const Arena *arena)
{
	return (ArenaMark) {arena->chunk, arena->at};
}

/* Give back all that was allocated after the mark was taken. */
static inline void
ArenaRelease(Arena *arena, ArenaMark mark)
{
	if (arena->chunk == mark.chunk)
	{
		ArenaHide(mark.at, (size_t) (arena->at - mark.at));
		arena->at = mark.at;
	}
	else
		ArenaReturn(arena, mark);
}

/*
 * A hash function of 64 bits.
 */

/* A multiplicative mix of all bits (the finalizer of splitmix64). */
static inline uint64_t
FimHash64(uint64_t x)
{
	x ^= x >> 30;
	x *= UINT64_C(0xbf58476d1ce4e5b9);
	x ^= x >> 27;
	x *= UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

/*
 * Looking for a number among ascending ones.
 */

/*
 * Returns the first index from "low" to "high" - 1 at which the ascending numbers are not below a
 * bound; "high" if there is none.
 */
static inline uint64_t
FirstNotBelow(const uint32_t *number, uint64_t low, uint64_t high, uint64_t bound)
{
	while (low < high)
	{
		uint64_t	middle = low + (high - low) / 2;

		if (number[middle] < bound)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Of n lists that lie one after the other, list i from starts[i] to starts[i + 1] - 1, returns the first one of a part;
 * n for the part behind the last one.  Each part has about as many entries.
 */
static inline uint32_t
FirstListOfPart(const uint64_t *starts, uint32_t n, uint32_t part, uint32_t nparts)
{
	uint64_t	start = starts[n] / nparts * part;
	uint32_t	low = 0;
	uint32_t	high = n;

	if (part == nparts)
		return n;
	while (low < high)
	{
		uint32_t	middle = low + (high - low) / 2;

		if (starts[middle] < start)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

#endif							/* FIM_ARENA_H */
