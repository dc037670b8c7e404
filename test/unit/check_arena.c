/*-------------------------------------------------------------------------
 *
 * check_arena.c
 *	  What arenas keep and free when blocks are given back.
 *
 *-------------------------------------------------------------------------
 */
#include <stdlib.h>

#include "engine/arena.h"
#include "harness.h"

#define LARGE	((size_t) 40 << 20)

/* Chunks of the first blocks are smaller. */
#define SMALL	((size_t) 2 << 20)

/* Does the arena hold this many chunks of memory, the current one and the spare one being small? */
static bool
Holds(const char *when, const Arena *arena, const TestHost *host, uint64_t chunks)
{
	const ArenaChunk *spare = arena->chunk->next;

	return (host->live == chunks && arena->chunk->size < SMALL && (spare == NULL || spare->size < SMALL)) ||
		Complain("%s: %u chunks, the current one of %zu bytes, the spare one of %zu", when,
				 (unsigned int) host->live, arena->chunk->size, spare != NULL ? spare->size : 0);
}

/* Blocks apart are freed by a return to a mark in an earlier chunk, and to one from before the first. */
static bool
CheckApart(void)
{
	TestHost	host;
	jmp_buf		leave;
	Arena		arena;
	ArenaMark	first;
	ArenaMark	second;
	bool		good;

	HostInit(&host);
	ArenaInit(&arena, &host.base, &leave);
	if (setjmp(leave) != 0)
		return Complain("no memory");
	first = ArenaGetMark(&arena);
	ArenaAllocApart(&arena, LARGE);
	ArenaRelease(&arena, first);
	good = Holds("a mark from before the first chunk", &arena, &host, 1);

	ArenaAlloc(&arena, 1);
	second = ArenaGetMark(&arena);
	ArenaAlloc(&arena, arena.chunk->size);
	ArenaAllocApart(&arena, LARGE);
	ArenaAlloc(&arena, arena.chunk->size);
	ArenaAllocApart(&arena, LARGE);
	ArenaRelease(&arena, second);
	good = Holds("a mark in the first chunk", &arena, &host, 2) && good;
	ArenaAlloc(&arena, arena.chunk->size);
	good = Holds("the spare chunk in use", &arena, &host, 2) && good;
	ArenaFree(&arena);
	return (host.live == 0 && !host.wrong_free && good) || Complain("chunks are left");
}

int
main(void)
{
	return !CheckApart();
}
