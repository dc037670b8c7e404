/*-------------------------------------------------------------------------
 *
 * surrogate.c
 *	  Surrogates: moving the events of a stream, sorting them and finding windows.
 *
 *-------------------------------------------------------------------------
 */
#include "surrogate.h"

#include "lists.h"

#include <float.h>
#include <string.h>

/* Partitions share a block as long as they have no more wanted events than this together. */
#define MADE_TOGETHER	(1 << 20)

/* Loops call WorkerWorked() once for this many events. */
#define STEP_EVENTS		(1 << 14)

/* The number of events for which random numbers are drawn together. */
#define DRAWN_TOGETHER	64

/*
 * Moving events
 */

static Mover
MoverOf(const FimEpisodesJob *job, bool real)
{
	Mover		mover = {.seed = job->seed, .real = real};

	if (real)
		mover.dither = job->dither.real;
	else
	{
		mover.most = job->dither.integer;
		mover.range = 2 * (uint64_t) mover.most + 1;
		mover.excess = -mover.range % mover.range;
	}
	return mover;
}

/*
 * Move a time by a real number: the middle of one of 2^53 equal parts of the interval from
 * -1 to 1, times the dither.
 */
static inline FimTime
MoveReal(const Mover *m, FimTime time, uint64_t bits)
{
	/* volatile, so that it is rounded before it is added, also where one instruction could do both */
	volatile double move = ((double) (bits >> 11) - 4503599627370496.0 + 0.5) * 0x1p-52 * m->dither;

	time.real += move;
	if (time.real > DBL_MAX)
		time.real = DBL_MAX;
	if (time.real < -DBL_MAX)
		time.real = -DBL_MAX;
	return time;
}

/* The next 64 random bits of an event, if those of this counter cannot be used. */
static uint64_t
DrawAgain(const Mover *m, Philox *counter)
{
	Philox		random;

	counter->word[3]++;
	random = PhiloxOf(m->seed, *counter);
	return (uint64_t) random.word[1] << 32 | random.word[0];
}

/*
 * Move a time by a whole number from -most to most, each of which is equally likely.  The
 * product of 64 random bits and the number of moves has the move as its high half.  Bits
 * whose product has a low half below "excess" would make some moves likelier than others,
 * and are drawn again (D. Lemire, "Fast Random Integer Generation in an Interval", ACM
 * TOMACS 29, 2019).
 */
static inline FimTime
MoveInteger(const Mover *m, FimTime time, uint64_t bits, Philox counter)
{
	unsigned __int128 product = (unsigned __int128) bits * m->range;
	int64_t		move;

	while ((uint64_t) product < m->excess)
		product = (unsigned __int128) DrawAgain(m, &counter) * m->range;
	move = (int64_t) ((uint64_t) (product >> 64) - (uint64_t) m->most);
	if (__builtin_add_overflow(time.integer, move, &time.integer))
		time.integer = move < 0 ? INT64_MIN : INT64_MAX;
	return time;
}

static inline FimTime
Move(const Mover *m, FimTime time, uint64_t bits, Philox counter)
{
	return m->real ? MoveReal(m, time, bits) : MoveInteger(m, time, bits, counter);
}

FimTime
SurrogateTime(const FimEpisodesJob *job, bool real, FimTime time, Philox counter)
{
	Mover		mover = MoverOf(job, real);
	Philox		random = PhiloxOf(job->seed, counter);

	return Move(&mover, time, (uint64_t) random.word[1] << 32 | random.word[0], counter);
}

/* Write n wanted events to "to" with their new times, in the order of their old times. */
static void
MoveEvents(Surrogates *s, uint32_t surrogate, const uint32_t *wanted, uint32_t n, MovedEvent *to)
{
	const uint32_t *type = FIM_EPISODES_TYPES(s->data);
	const FimTime *time = FIM_EPISODES_TIMES(s->data);
	uint32_t	types[DRAWN_TOGETHER] = {0};
	uint32_t	ranks[DRAWN_TOGETHER] = {0};
	uint64_t	bits[DRAWN_TOGETHER];

	for (uint32_t done = 0; done < n; done += DRAWN_TOGETHER)
	{
		uint32_t	together = n - done < DRAWN_TOGETHER ? n - done : DRAWN_TOGETHER;

		for (uint32_t k = 0; k < together; k++)
		{
			types[k] = type[wanted[done + k]];
			ranks[k] = s->rank[types[k]]++;
		}
		PhiloxDraw(s->mover.seed, surrogate, types, ranks, together, bits);
		for (uint32_t k = 0; k < together; k++)
		{
			FimTime		moved = Move(&s->mover, time[wanted[done + k]], bits[k],
									 SurrogateCounter(surrogate, types[k], ranks[k]));

			*to++ = (MovedEvent) {KeyOfTime(s->mover.real, moved), types[k]};
		}
		WorkerWorked(s->w, 8 * DRAWN_TOGETHER);
	}
}

/*
 * What is wanted of the stream
 */

static void
ListWanted(Surrogates *s, const uint8_t *wanted_types)
{
	const uint32_t *type = FIM_EPISODES_TYPES(s->data);
	uint32_t	n = 0;

	for (uint32_t t = 0; t < s->data->ntypes; t++)
		s->nwanted += wanted_types[t] ? FIM_EPISODES_COUNTS(s->data)[t] : 0;
	/* one element more, since events that are not wanted are written, too, and overwritten by the next one */
	s->wanted = ArenaAllocApart(&s->w->arena, sizeof(uint32_t) * ((size_t) s->nwanted + 1));
	for (uint32_t i = 0; i < s->data->events; i++)
	{
		s->wanted[n] = i;
		n += wanted_types[type[i]];
		if (i % STEP_EVENTS == STEP_EVENTS - 1)
			WorkerWorked(s->w, STEP_EVENTS);
	}
}

/* The end of a partition's events in wanted[], where they begin at "begin"; polls. */
static uint32_t
EndOfPartition(const Surrogates *s, uint32_t partition, uint32_t begin)
{
	uint32_t	end = FIM_EPISODES_PARTITIONS(s->data)[partition + 1];

	WorkerWorked(s->w, 1);
	return begin + Gallop(s->wanted + begin, s->nwanted - begin, end);
}

/* Cut the stream into blocks.  Returns the most events of a block, and sets those of a partition. */
static uint32_t
CutIntoBlocks(Surrogates *s, uint32_t *most_in_partition)
{
	uint32_t	most = 0;
	uint32_t	begin = 0;

	s->block = ArenaAlloc(&s->w->arena, sizeof(SurrogateBlock) *
						  (2 * (size_t) (s->nwanted / MADE_TOGETHER) + 3));
	s->block[0] = (SurrogateBlock) {0, 0};
	*most_in_partition = 0;
	for (uint32_t p = 0; p < s->data->partitions; p++)
	{
		uint32_t	end = EndOfPartition(s, p, begin);

		if (begin > s->block[s->nblocks].wanted && end - s->block[s->nblocks].wanted > MADE_TOGETHER)
			s->block[++s->nblocks] = (SurrogateBlock) {p, begin};
		if (end - s->block[s->nblocks].wanted > most)
			most = end - s->block[s->nblocks].wanted;
		if (end - begin > *most_in_partition)
			*most_in_partition = end - begin;
		begin = end;
	}
	s->block[++s->nblocks] = (SurrogateBlock) {s->data->partitions, s->nwanted};
	return most;
}

/* The edges of the wanted gaps. */
static void
ListEdges(Surrogates *s, const uint8_t *wanted_gaps)
{
	const FimGapEdges *gap = FIM_EPISODES_GAPS(s->data);
	uint32_t	nedges = s->data->nedges;

	s->edge = ArenaAlloc(&s->w->arena, sizeof(uint32_t) * nedges);
	s->edge_at = ArenaAlloc(&s->w->arena, sizeof(uint32_t) * nedges);
	memset(s->edge_at, 0xff, sizeof(uint32_t) * nedges);
	for (uint32_t g = 0; g < s->data->ngaps; g++)
		if (wanted_gaps[g])
			s->edge_at[gap[g].low] = s->edge_at[gap[g].high] = 0;
	for (uint32_t e = 0; e < nedges; e++)
		if (s->edge_at[e] == 0)
		{
			s->edge_at[e] = s->nedges;
			s->edge[s->nedges++] = e;
		}
}

/* A bound of the events of a partition: one of each type at each time of the partition that has most times. */
static uint64_t
LargestPartition(const FimEpisodesData *data)
{
	uint64_t	most = (uint64_t) data->longest * data->ntypes;

	return most < data->events ? most : data->events;
}

uint64_t
LargestBlock(const FimEpisodesData *data)
{
	uint64_t	most = LargestPartition(data);

	if (most < MADE_TOGETHER)
		most = MADE_TOGETHER;
	return most < data->events ? most : data->events;
}

uint64_t
SurrogatesBytes(const FimEpisodesData *data)
{
	uint64_t	numbers_of_event = 4 + 2 * (uint64_t) data->nedges;

	return sizeof(uint32_t) * data->events +
		LargestBlock(data) * (sizeof(MovedEvent) + sizeof(uint32_t) * numbers_of_event) +
		LargestPartition(data) * (sizeof(MovedEvent) + 2 * sizeof(uint32_t)) +
		3 * sizeof(uint32_t) * (uint64_t) data->ntypes;
}

static uint32_t *
Numbers(const Surrogates *s, uint32_t n)
{
	return ArenaAllocApart(&s->w->arena, sizeof(uint32_t) * n);
}

void
SurrogatesInit(Surrogates *s, Worker *w, const uint8_t *wanted_types, const uint8_t *wanted_gaps)
{
	uint32_t	most_in_partition;
	uint32_t	most;

	*s = (Surrogates) {.w = w, .data = w->stream.data, .counted = UINT32_MAX};
	s->mover = MoverOf(w->job, s->data->real);
	ListWanted(s, wanted_types);
	most = s->most = CutIntoBlocks(s, &most_in_partition);
	ListEdges(s, wanted_gaps);
	s->rank = Numbers(s, s->data->ntypes);
	s->next = Numbers(s, s->data->ntypes);
	s->start = Numbers(s, s->data->ntypes + 1);
	s->event = ArenaAllocApart(&w->arena, sizeof(MovedEvent) * most);
	s->room.spare = ArenaAllocApart(&w->arena, sizeof(MovedEvent) * most_in_partition);
	s->room.bucket = Numbers(s, SortBuckets(most_in_partition));
	s->type = Numbers(s, most);
	s->place = Numbers(s, most);
	s->number = Numbers(s, most);
	s->same = Numbers(s, most);
	s->beyond = ArenaAlloc(&w->arena, sizeof(uint32_t *) * s->nedges);
	s->within = ArenaAlloc(&w->arena, sizeof(uint32_t *) * s->nedges);
	s->reach = ArenaAlloc(&w->arena, sizeof(uint64_t) * s->nedges);
	for (uint32_t e = 0; e < s->nedges; e++)
	{
		s->beyond[e] = Numbers(s, most);
		s->within[e] = Numbers(s, most);
	}
}

/*
 * Making a surrogate
 */

/* Where the places of each type begin in the block. */
static void
CountTypes(Surrogates *s, uint32_t block)
{
	const uint32_t *type = FIM_EPISODES_TYPES(s->data);
	const uint32_t *wanted = s->wanted + s->block[block].wanted;

	if (s->counted == block)
		return;
	s->counted = block;
	memset(s->start, 0, sizeof(uint32_t) * ((size_t) s->data->ntypes + 1));
	for (uint32_t i = 0; i < s->events; i++)
	{
		s->start[type[wanted[i]] + 1]++;
		if (i % STEP_EVENTS == STEP_EVENTS - 1)
			WorkerWorked(s->w, STEP_EVENTS);
	}
	for (uint32_t t = 0; t < s->data->ntypes; t++)
		s->start[t + 1] += s->start[t];
}

/* Give the events of a partition, which are in the order of times, their places. */
static inline void
FindPlaces(Surrogates *s, uint32_t begin, uint32_t end, const bool real)
{
	uint32_t	same = begin;

	for (uint32_t i = begin; i < end; i++)
	{
		uint32_t	place = s->next[s->event[i].type]++;

		if (LengthBetween(real, s->event[i].key, s->event[same].key) != 0)
			same = i;
		s->type[i] = s->event[i].type;
		s->place[i] = place;
		s->number[place] = i;
		s->same[place] = same;
		if (i % STEP_EVENTS == STEP_EVENTS - 1)
			WorkerWorked(s->w, STEP_EVENTS);
	}
}

/* Set beyond[] and within[] of a partition's events.  One pass does, since neither i nor j moves back. */
static inline void
FindEdge(Surrogates *s, uint32_t begin, uint32_t end, uint32_t e, const bool real)
{
	const MovedEvent *event = s->event;
	const uint32_t *place = s->place;
	uint64_t	edge = FIM_EPISODES_EDGES(s->data)[s->edge[e]];
	uint32_t   *beyond = s->beyond[e];
	uint32_t   *within = s->within[e];
	uint64_t	reach = 0;
	uint32_t	j = begin;

	for (uint32_t i = begin; i < end; i++)
	{
		/* polled here and below, since one event may reach over millions */
		while (j < end && !FimIsBeyond(LengthBetween(real, event[j].key, event[i].key), edge))
		{
			within[place[j]] = i;
			if (++j % STEP_EVENTS == 0)
				WorkerWorked(s->w, STEP_EVENTS);
		}
		beyond[place[i]] = j;
		reach += j - i;
		if (i % STEP_EVENTS == STEP_EVENTS - 1)
			WorkerWorked(s->w, STEP_EVENTS);
	}
	s->reach[e] += reach;
}

static void
FindWindows(Surrogates *s, uint32_t begin, uint32_t end)
{
	if (s->mover.real)
		FindPlaces(s, begin, end, true);
	else
		FindPlaces(s, begin, end, false);
	for (uint32_t e = 0; e < s->nedges; e++)
		if (s->mover.real)
			FindEdge(s, begin, end, e, true);
		else
			FindEdge(s, begin, end, e, false);
	WorkerWorked(s->w, (end - begin) * (uint64_t) s->nedges);
}

void
SurrogateMake(Surrogates *s, uint32_t surrogate, uint32_t block)
{
	uint32_t	first = s->block[block].wanted;
	uint32_t	begin = first;

	s->events = s->block[block + 1].wanted - first;
	if (block == 0)
		memset(s->rank, 0, sizeof(uint32_t) * s->data->ntypes);
	memset(s->reach, 0, sizeof(uint64_t) * s->nedges);
	CountTypes(s, block);
	memcpy(s->next, s->start, sizeof(uint32_t) * s->data->ntypes);
	for (uint32_t p = s->block[block].partition; p < s->block[block + 1].partition; p++)
	{
		uint32_t	end = EndOfPartition(s, p, begin);

		if (end == begin)
			continue;
		MoveEvents(s, surrogate, s->wanted + begin, end - begin, s->event + (begin - first));
		SortMovedEvents(s->w, &s->room, s->event + (begin - first), end - begin);
		FindWindows(s, begin - first, end - first);
		begin = end;
	}
}
