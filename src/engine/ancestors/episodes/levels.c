/*-------------------------------------------------------------------------
 *
 * levels.c
 *	  Mining level by level.
 *
 * A candidate is joined from two frequent episodes that are one event shorter: the first
 * one without its first event has the same types and gaps as the second one without its
 * last event.  Both have at least the candidate's support.  The episode that is left when
 * an inner event is taken out may have less, since its gaps are other ones, so a candidate
 * must not be ruled out because that episode is not frequent.
 *
 *-------------------------------------------------------------------------
 */
#include "episodes.h"

#include <string.h>

/* Bytes that are copied between two polls when a level grows, and bytes that take as long as a step of work. */
#define COPIED_AT_ONCE	((size_t) 4 << 20)
#define BYTES_A_STEP	4

/* The frequent episodes of one length, ascending by type, gap, type, ... type. */
typedef struct Level
{
	uint32_t	length;
	size_t		n;
	size_t		room;
	uint32_t   *words;			/* [room][2 * length - 1] */
	uint32_t   *support;		/* [room] */
	uint8_t    *subsumed;		/* [room] a longer one tells that it is not closed or maximal */
	void	   *growing;		/* what is to take the place of one of these; NULL at other times */
} Level;

typedef struct Levels
{
	Worker	   *w;
	CountCandidates count;
	Level		level;			/* of the length at hand */
	Level		next;			/* of those one event longer */
	Candidates	candidates;
	size_t	   *prefix;			/* [MAX_CANDIDATES] the episodes that were joined */
	size_t	   *suffix;
} Levels;

static inline size_t
LevelWords(const Level *level)
{
	return 2 * (size_t) level->length - 1;
}

static void
FreeBlock(Worker *w, void *block)
{
	if (block != NULL)
		w->host->free(w->host, block);
}

static void
FreeLevel(Worker *w, Level *level)
{
	FreeBlock(w, level->words);
	FreeBlock(w, level->support);
	FreeBlock(w, level->subsumed);
	FreeBlock(w, level->growing);
	memset(level, 0, sizeof(Level));
}

/* A larger block, of "room" elements of the level, with the used ones of the old block, which is freed. */
static void *
Grow(Worker *w, Level *level, void *block, size_t room, size_t unit)
{
	char	   *grown = WorkerAlloc(w, room * unit);
	size_t		used = level->n;

	if (block == NULL)
		return grown;
	level->growing = grown;
	for (size_t done = 0; done < used * unit; done += COPIED_AT_ONCE)
	{
		size_t		n = used * unit - done < COPIED_AT_ONCE ? used * unit - done : COPIED_AT_ONCE;

		memcpy(grown + done, (const char *) block + done, n);
		WorkerWorked(w, n / BYTES_A_STEP);
	}
	w->host->free(w->host, block);
	level->growing = NULL;
	return grown;
}

/* Add an episode to the level; returns where the caller has to write its words. */
static uint32_t *
AddToLevel(Worker *w, Level *level, uint32_t support)
{
	size_t		words = LevelWords(level);

	if (level->n == level->room)
	{
		size_t		room = level->room == 0 ? 64 : 2 * level->room;

		level->words = Grow(w, level, level->words, room, sizeof(uint32_t) * words);
		level->support = Grow(w, level, level->support, room, sizeof(uint32_t));
		level->subsumed = Grow(w, level, level->subsumed, room, 1);
		level->room = room;
	}
	level->support[level->n] = support;
	level->subsumed[level->n] = false;
	return level->words + words * level->n++;
}

static void
FirstLevel(Levels *l)
{
	const Stream *s = &l->w->stream;

	l->level.length = 1;
	for (uint32_t type = 0; type < s->ntypes; type++)
		if (s->start[type + 1] - s->start[type] >= l->w->spec->minsup)
			*AddToLevel(l->w, &l->level, s->start[type + 1] - s->start[type]) = type;
}

static int
CompareWords(const uint32_t *a, const uint32_t *b, size_t n)
{
	for (size_t k = 0; k < n; k++)
		if (a[k] != b[k])
			return a[k] < b[k] ? -1 : 1;
	return 0;
}

/* The first episode of the level whose first words are not less than these. */
static size_t
FirstWithBeginning(const Level *level, const uint32_t *words, size_t nwords)
{
	size_t		low = 0;
	size_t		high = level->n;

	while (low < high)
	{
		size_t		middle = low + (high - low) / 2;

		if (CompareWords(level->words + middle * LevelWords(level), words, nwords) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Count the candidates at hand, add the frequent ones to the next level, and note what they subsume. */
static void
CountWaiting(Levels *l)
{
	Candidates *candidates = &l->candidates;
	Worker	   *w = l->w;

	if (candidates->n == 0)
		return;
	l->count(w, candidates);
	w->nodes += candidates->n;
	for (uint32_t c = 0; c < candidates->n; c++)
	{
		Episode		episode = CandidateAt(candidates, c);
		uint32_t	support = candidates->support[c];
		bool		always = w->spec->kind == FIM_MAXIMAL;
		uint32_t   *words;

		if (support < w->spec->minsup)
			continue;
		words = AddToLevel(w, &l->next, support);
		for (uint32_t k = 0; k < episode.length; k++)
		{
			words[2 * (size_t) k] = episode.type[k];
			if (k + 1 < episode.length)
				words[2 * (size_t) k + 1] = episode.gap[k];
		}
		l->level.subsumed[l->prefix[c]] |= always || l->level.support[l->prefix[c]] == support;
		l->level.subsumed[l->suffix[c]] |= always || l->level.support[l->suffix[c]] == support;
	}
	candidates->n = 0;
	WorkerPoll(w);
}

/* Add the candidate that consists of the first episode, the gap and the second episode's last type. */
static void
Join(Levels *l, size_t first, size_t second, uint32_t gap)
{
	Candidates *candidates = &l->candidates;
	size_t		nwords = LevelWords(&l->level);
	const uint32_t *words = l->level.words + first * nwords;
	Episode		episode;

	if (candidates->n == MAX_CANDIDATES)
		CountWaiting(l);
	episode = CandidateAt(candidates, candidates->n);
	for (uint32_t k = 0; k + 1 < episode.length; k++)
	{
		episode.type[k] = words[2 * (size_t) k];
		if (k + 2 < episode.length)
			episode.gap[k] = words[2 * (size_t) k + 1];
	}
	episode.gap[episode.length - 2] = gap;
	episode.type[episode.length - 1] = l->level.words[(second + 1) * nwords - 1];
	l->prefix[candidates->n] = first;
	l->suffix[candidates->n++] = second;
	WorkerWorked(l->w, episode.length);
}

/* Make and count all candidates, in an order that leaves the next level sorted. */
static void
JoinAll(Levels *l)
{
	const Level *level = &l->level;
	size_t		nwords = LevelWords(level);

	for (size_t first = 0; first < level->n; first++)
	{
		const uint32_t *end = level->words + first * nwords + 2;

		if (level->length == 1)
			for (uint32_t gap = 0; gap < l->w->stream.ngaps; gap++)
				for (size_t second = 0; second < level->n; second++)
					Join(l, first, second, gap);
		else
			for (size_t second = FirstWithBeginning(level, end, nwords - 2);
				 second < level->n &&
				 CompareWords(level->words + second * nwords, end, nwords - 2) == 0; second++)
				Join(l, first, second, level->words[(second + 1) * nwords - 2]);
	}
	CountWaiting(l);
}

static void
EmitLevel(Levels *l)
{
	Worker	   *w = l->w;
	const Level *level = &l->level;
	ArenaMark	mark = ArenaGetMark(&w->arena);
	Episode		episode = {ArenaAlloc(&w->arena, sizeof(uint32_t) * level->length),
	ArenaAlloc(&w->arena, sizeof(uint32_t) * level->length), level->length};

	for (size_t e = 0; e < level->n; e++)
	{
		const uint32_t *words = level->words + e * LevelWords(level);

		if (w->spec->kind != FIM_ALL && level->subsumed[e])
			continue;
		for (uint32_t k = 0; k < level->length; k++)
		{
			episode.type[k] = words[2 * (size_t) k];
			if (k + 1 < level->length)
				episode.gap[k] = words[2 * (size_t) k + 1];
		}
		WorkerEmit(w, &episode, level->support[e]);
		WorkerWorked(w, level->length);
	}
	ArenaRelease(&w->arena, mark);
}

/* Room for the candidates that are one event longer than the level. */
static void
MakeRoom(Levels *l)
{
	Worker	   *w = l->w;
	uint32_t	length = l->level.length + 1;
	Candidates *candidates = &l->candidates;

	candidates->length = length;
	candidates->n = 0;
	candidates->type = ArenaAlloc(&w->arena, sizeof(uint32_t) * MAX_CANDIDATES * length);
	candidates->gap = ArenaAlloc(&w->arena, sizeof(uint32_t) * MAX_CANDIDATES * (length - 1));
	candidates->support = ArenaAlloc(&w->arena, sizeof(uint32_t) * MAX_CANDIDATES);
	l->prefix = ArenaAlloc(&w->arena, sizeof(size_t) * MAX_CANDIDATES);
	l->suffix = ArenaAlloc(&w->arena, sizeof(size_t) * MAX_CANDIDATES);
}

/* A level is written when the next one has told which of its episodes are subsumed. */
static void
MineLevels(Levels *l)
{
	Worker	   *w = l->w;

	FirstLevel(l);
	while (l->level.n > 0)
	{
		l->next.length = l->level.length + 1;
		if (l->level.length < w->deepest)
		{
			ArenaMark	mark = ArenaGetMark(&w->arena);

			MakeRoom(l);
			JoinAll(l);
			ArenaRelease(&w->arena, mark);
		}
		EmitLevel(l);
		FreeLevel(w, &l->level);
		l->level = l->next;
		memset(&l->next, 0, sizeof(Level));
	}
}

FimResult
MineByLevels(Worker *w, CountCandidates count)
{
	Levels		l = {.w = w, .count = count};
	FimResult	result = (FimResult) setjmp(w->leave);

	if (result == FIM_DONE)
	{
		uint64_t	taken;

		WorkerBegin(w);
		if (FimTakeUnit(w->shared, w->sink, &taken))
		{
			MineLevels(&l);
			FimUnitDone(w->shared);
		}
		WorkerFlush(w);
		WorkerPoll(w);
	}
	FreeLevel(w, &l.level);
	FreeLevel(w, &l.next);
	return result;
}
