/*-------------------------------------------------------------------------
 *
 * arena.h
 *	  Stack-like memory for the miners.
 *
 * Mining goes down and up a tree, and what a node needs it needs until it is
 * left: allocation moves a pointer, leaving a node moves it back.  When the
 * host has no memory the arena leaves by longjmp to mine(), which frees all.
 *
 * Included by the miners, on processors and, for their output, on GPUs.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_ARENA_H
#define FIM_ARENA_H

#include "engine.h"

#include <setjmp.h>

#define ARENA_ALIGN		64

/*
 * Under the address sanitizer nobody may touch what has not been allocated: the places behind a
 * block, of which there are some in any case, and what was given back.
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
	struct ArenaChunk *next;	/* a spare one, kept for the next descent */
	size_t		size;			/* of the data */
	char	   *data;			/* aligned */
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
extern void *ArenaGrow(Arena *arena, size_t bytes);
extern void ArenaReturn(Arena *arena, ArenaMark mark);

/*
 * A block in a chunk of its own, for large ones that stay: it takes no more than it has to, and
 * chunks do not grow by it.  It is given back when the arena's current chunk is.
 */
extern void *ArenaAllocApart(Arena *arena, size_t bytes);

/* What a block takes. */
static inline size_t
ArenaRoom(size_t bytes)
{
	return ((bytes + ARENA_ALIGN - 1) & ~(size_t) (ARENA_ALIGN - 1)) + ARENA_GAP;
}

static inline void *
ArenaAlloc(Arena *arena, size_t bytes)
{
	char	   *block = arena->at;
	size_t		room = ArenaRoom(bytes);

	if (room > (size_t) (arena->end - block))
		return ArenaShow(ArenaGrow(arena, room), bytes);
	arena->at = block + room;
	return ArenaShow(block, bytes);
}

/* The block allocated last needs no more than so many bytes. */
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

#endif							/* FIM_ARENA_H */
