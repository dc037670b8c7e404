/*-------------------------------------------------------------------------
 *
 * arena.c
 *	  Stack-like memory for the miners: the chunks behind arena.h.
 *
 *-------------------------------------------------------------------------
 */
#include "arena.h"

#define ARENA_FIRST_CHUNK	((size_t) 256 * 1024)
#define ARENA_LARGEST_GROWTH ((size_t) 64 * 1024 * 1024)

void
ArenaInit(Arena *arena, FimHost *host, jmp_buf *out_of_memory)
{
	arena->host = host;
	arena->out_of_memory = out_of_memory;
	arena->chunk = NULL;
	arena->at = arena->end = NULL;
}

static void
UseChunk(Arena *arena, ArenaChunk *chunk)
{
	arena->chunk = chunk;
	arena->at = chunk->data;
	arena->end = chunk->data + chunk->size;
	ArenaHide(chunk->data, chunk->size);
}

static ArenaChunk *
NewChunk(Arena *arena, size_t size)
{
	ArenaChunk *chunk = NULL;

	if (size < SIZE_MAX - sizeof(ArenaChunk) - ARENA_ALIGN)
		chunk = arena->host->alloc(arena->host, sizeof(ArenaChunk) + ARENA_ALIGN + size);
	if (chunk == NULL)
		longjmp(*arena->out_of_memory, FIM_OUT_OF_MEMORY);
	chunk->previous = arena->chunk;
	chunk->next = NULL;
	chunk->apart = false;
	chunk->size = size;
	chunk->data = (char *) (((uintptr_t) (chunk + 1) + ARENA_ALIGN - 1) &
							~(uintptr_t) (ARENA_ALIGN - 1));
	return chunk;
}

/*
 * Go on to the next chunk, because the current one is full, and allocate the block there.  That
 * is the spare chunk if it is large enough, otherwise a new one.
 */
void *
ArenaGrow(Arena *arena, size_t bytes)
{
	ArenaChunk *chunk = arena->chunk ? arena->chunk->next : NULL;
	size_t		size = ARENA_FIRST_CHUNK;

	if (chunk == NULL || chunk->size < bytes)
	{
		if (chunk != NULL)
		{
			arena->chunk->next = NULL;
			arena->host->free(arena->host, chunk);
		}
		if (arena->chunk != NULL)
			size = arena->chunk->size < ARENA_LARGEST_GROWTH / 2 ?
				arena->chunk->size * 2 : ARENA_LARGEST_GROWTH;
		chunk = NewChunk(arena, size > bytes ? size : bytes);
		if (arena->chunk != NULL)
			arena->chunk->next = chunk;
	}
	UseChunk(arena, chunk);
	arena->at += bytes;
	return chunk->data;
}

void *
ArenaAllocApart(Arena *arena, size_t bytes)
{
	ArenaChunk *chunk;

	if (arena->chunk == NULL)
		(void) ArenaGrow(arena, 0);
	chunk = NewChunk(arena, ArenaRoom(bytes));

	chunk->apart = true;
	/* insert it before the current chunk, which stays the current one */
	chunk->previous = arena->chunk->previous;
	chunk->next = arena->chunk;
	if (chunk->previous != NULL)
		chunk->previous->next = chunk;
	arena->chunk->previous = chunk;
	ArenaHide(chunk->data, chunk->size);
	return ArenaShow(chunk->data, bytes);
}

/*
 * Give back what was allocated after the mark, when the mark is in an earlier chunk, or from before
 * the first one.  The first of the chunks after it is kept for later, as a spare or as the current
 * one.  The others are freed, and those of blocks apart in any case.
 */
void
ArenaReturn(Arena *arena, ArenaMark mark)
{
	ArenaChunk *kept = arena->chunk->next;
	ArenaChunk *previous;

	for (ArenaChunk *chunk = arena->chunk; chunk != mark.chunk; chunk = previous)
	{
		ArenaChunk *freed = chunk->apart ? chunk : kept;

		previous = chunk->previous;
		if (!chunk->apart)
			kept = chunk;
		if (freed != NULL)
			arena->host->free(arena->host, freed);
	}
	kept->previous = mark.chunk;
	kept->next = NULL;
	if (mark.chunk == NULL)
	{
		UseChunk(arena, kept);
		return;
	}
	arena->chunk = mark.chunk;
	arena->chunk->next = kept;
	arena->end = arena->chunk->data + arena->chunk->size;
	arena->at = mark.at;
	ArenaHide(arena->at, (size_t) (arena->end - arena->at));
}

void
ArenaFree(Arena *arena)
{
	ArenaChunk *chunk = arena->chunk;

	if (chunk != NULL && chunk->next != NULL)
		arena->host->free(arena->host, chunk->next);
	while (chunk != NULL)
	{
		ArenaChunk *previous = chunk->previous;

		arena->host->free(arena->host, chunk);
		chunk = previous;
	}
	arena->chunk = NULL;
	arena->at = arena->end = NULL;
}
