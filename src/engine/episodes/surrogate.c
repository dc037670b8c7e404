/*-------------------------------------------------------------------------
 *
 * surrogate.c
 *	  Surrogates: moving the events of a stream, sorting them and finding windows.
 *
 * First comes the sorting of events that have been moved, then the moving, then what is wanted of
 * the stream and made of it once, and then the making of a surrogate.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "worker.h"

/* ---- putting moved events in order ---- */

/*
 * Moved events are nearly in order, since each moves by a small part of the stream's length.
 * So one pass puts them into buckets of time, with about one event in each, and does not move
 * them far in memory either.  Within a bucket they are sorted by insertion.  Buckets of
 * bursts, which hold many events, are sorted by the digits in which their times differ.
 */

#define FIM_TIME_SIGN	(UINT64_C(1) << 63)

static inline uint64_t
KeyOfTime(bool real, FimTime time)
{
	uint64_t	bits = (uint64_t) time.integer;

	return real && (bits & FIM_TIME_SIGN) != 0 ? ~bits : bits ^ FIM_TIME_SIGN;
}

/* The real time that a key stands for. */
static inline FimTime
TimeOfKey(uint64_t key)
{
	return (FimTime) {.integer = (int64_t) ((key & FIM_TIME_SIGN) == 0 ? ~key : key ^ FIM_TIME_SIGN)};
}

/* FimTimeKey() of the times that two keys stand for. */
static inline uint64_t
LengthBetween(bool real, uint64_t later, uint64_t earlier)
{
	return real ? FimTimeKey(true, TimeOfKey(later), TimeOfKey(earlier)) : later - earlier;
}

/* Loops call WorkerWorked() once for this many events. */
#define STEP_EVENTS		(1 << 14)

/* Up to this many events are sorted by insertion. */
#define FEW_EVENTS		32

#define DIGIT_BITS		8
#define DIGITS			(1 << DIGIT_BITS)

static inline void
Insert(MovedEvent *event, uint32_t at, MovedEvent moved)
{
	for (; at > 0 && event[at - 1].key > moved.key; at--)
		event[at] = event[at - 1];
	event[at] = moved;
}

static inline void
AfterStep(Worker *w, uint32_t i)
{
	if (i % STEP_EVENTS == STEP_EVENTS - 1)
		WorkerWorked(w, 2 * STEP_EVENTS);
}

/* Sort events from one array into the other by one digit, keeping the order of equal ones. */
static void
SortByDigit(Worker *w, const MovedEvent *from, MovedEvent *to, uint32_t n, int shift)
{
	uint32_t	at[DIGITS] = {0};
	uint32_t	sum = 0;

	for (uint32_t i = 0; i < n; i++)
	{
		at[from[i].key >> shift & (DIGITS - 1)]++;
		AfterStep(w, i);
	}
	for (uint32_t digit = 0; digit < DIGITS; digit++)
	{
		uint32_t	count = at[digit];

		at[digit] = sum;
		sum += count;
	}
	for (uint32_t i = 0; i < n; i++)
	{
		to[at[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
		AfterStep(w, i);
	}
}

/* Sort by the digits that are not the same in all keys; "other" is room for n events. */
static void
SortByDigits(Worker *w, MovedEvent *event, MovedEvent *other, uint32_t n)
{
	MovedEvent *sorted = event;
	uint64_t	differ = 0;

	for (uint32_t i = 1; i < n; i++)
	{
		differ |= event[i].key ^ event[0].key;
		AfterStep(w, i);
	}
	for (int shift = 0; shift < 64; shift += DIGIT_BITS)
		if ((differ >> shift & (DIGITS - 1)) != 0)
		{
			MovedEvent *to = sorted == event ? other : event;

			SortByDigit(w, sorted, to, n, shift);
			sorted = to;
		}
	if (sorted != event)
		memcpy(event, sorted, sizeof(MovedEvent) * n);
}

/* One more than a power of two that is at least n. */
static uint32_t
SortBuckets(uint32_t n)
{
	uint32_t	buckets = 1;

	while (buckets < n && buckets < UINT32_C(1) << 31)
		buckets *= 2;
	return buckets + 1;
}

/* How many low bits of the difference between a key and the least key do not matter for its bucket. */
static int
BucketShift(uint64_t range, uint32_t buckets)
{
	int			shift = 0;

	while (range >> shift >= buckets)
		shift++;
	return shift;
}

/* Distribute the events to buckets, in room->spare; sets room->bucket[] to the ends of the buckets. */
static uint32_t
FillBuckets(Worker *w, SortRoom *room, const MovedEvent *event, uint32_t n)
{
	uint32_t	buckets = SortBuckets(n) - 1;
	uint32_t   *at = room->bucket;
	uint64_t	least = UINT64_MAX;
	uint64_t	most = 0;
	uint32_t	sum = 0;
	int			shift;

	for (uint32_t i = 0; i < n; i++)
	{
		least = event[i].key < least ? event[i].key : least;
		most = event[i].key > most ? event[i].key : most;
		AfterStep(w, i);
	}
	shift = BucketShift(most - least, buckets);
	memset(at, 0, sizeof(uint32_t) * buckets);
	for (uint32_t i = 0; i < n; i++)
	{
		at[(event[i].key - least) >> shift]++;
		AfterStep(w, i);
	}
	for (uint32_t bucket = 0; bucket < buckets; bucket++)
	{
		uint32_t	count = at[bucket];

		at[bucket] = sum;
		sum += count;
		AfterStep(w, bucket);
	}
	for (uint32_t i = 0; i < n; i++)
	{
		room->spare[at[(event[i].key - least) >> shift]++] = event[i];
		AfterStep(w, i);
	}
	return buckets;
}

/* Sort n events by their keys; polls. */
static void
SortMovedEvents(Worker *w, SortRoom *room, MovedEvent *event, uint32_t n)
{
	uint32_t	buckets;
	uint32_t	begin = 0;

	if (n <= FEW_EVENTS)
	{
		for (uint32_t i = 1; i < n; i++)
			Insert(event, i, event[i]);
		WorkerWorked(w, 8 * (uint64_t) n);
		return;
	}
	buckets = FillBuckets(w, room, event, n);
	for (uint32_t bucket = 0; bucket < buckets; bucket++)
	{
		uint32_t	end = room->bucket[bucket];

		if (end - begin > FEW_EVENTS)
			SortByDigits(w, room->spare + begin, event + begin, end - begin);
		begin = end;
	}
	for (uint32_t i = 0; i < n; i++)
	{
		Insert(event, i, room->spare[i]);
		AfterStep(w, i);
	}
}

/* ---- moving events ---- */

/* Loops in which events are moved call WorkerWorked() once for this many. */
#define STEP_MOVES		64

/* The random bits for events of a type in the window at hand. */
static inline uint64_t
BitsOf(Surrogates *s, const FimSpan *span, uint64_t window, uint32_t type, uint32_t surrogate)
{
	TypeBits   *latest = &s->bits[type];

	if (latest->window != s->windows)
		*latest = (TypeBits) {s->windows, FimWindowBits(&s->moves, span->partition, window, type, surrogate)};
	return latest->bits;
}

/*
 * Write n wanted events of a partition to "to" with their new times, in the order of their old
 * times.  As events come window by window, a type's random bits are only made once for a window,
 * except where FIM_MOVE has taken events to other windows first.
 */
static void
MoveEvents(Surrogates *s, uint32_t surrogate, const FimSpan *span, uint32_t first, uint32_t n, MovedEvent *to)
{
	const uint32_t *type = FIM_EPISODES_TYPES(s->data);
	const bool	twice = s->moves.method == FIM_MOVE;
	const bool	turned = FimIsTurned(&s->moves, span, surrogate);
	FimWindow	w = {0};

	s->windows++;
	for (uint32_t k = 0; k < n; k++)
	{
		uint32_t	of_type = type[s->wanted[first + k]];
		FimTime		time = s->hidden[first + k];

		if (turned)
			time = FimTurnedTime(&s->moves, span, time);
		if (twice)
			time = FimMovedTime(&s->moves, span, time, of_type, surrogate);
		else if (!FimIsAtEnd(&s->moves, span, time))
		{
			/* rounding decides where windows of reals end */
			if (s->moves.real || !FimIsInWindow(&w, time))
			{
				FimWindow	next = FimWindowOf(&s->moves, span, time, false);

				s->windows += next.number != w.number;
				w = next;
			}
			if (!FimRests(&s->moves, span, &w, of_type))
				time = FimMovedInWindow(&s->moves, span, &w, time, BitsOf(s, span, w.number, of_type, surrogate));
		}
		to[k] = (MovedEvent) {KeyOfTime(s->moves.real, time), of_type};
		if (k % STEP_MOVES == STEP_MOVES - 1)
			WorkerWorked(s->w, 16 * STEP_MOVES);
	}
	WorkerWorked(s->w, 16);
}

/* ---- what is wanted of the stream ---- */

/* Partitions share a block as long as they have no more wanted events than this together. */
#define MADE_TOGETHER	(1 << 20)

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

/* Find the hidden stream. */
static void
HideStream(Surrogates *s)
{
	const uint32_t *type = FIM_EPISODES_TYPES(s->data);
	const FimTime *time = FIM_EPISODES_TIMES(s->data);
	uint32_t	begin = 0;

	s->hidden = ArenaAllocApart(&s->w->arena, sizeof(FimTime) * s->nwanted);
	for (uint32_t p = 0; p < s->data->partitions; p++)
	{
		uint32_t	end = EndOfPartition(s, p, begin);
		FimSpan		span;

		if (end == begin)
			continue;
		span = FimSpanOf(s->data, p);
		for (; begin < end; begin++)
		{
			uint32_t	event = s->wanted[begin];

			s->hidden[begin] = FimHiddenTime(&s->moves, &span, time[event], type[event]);
			if (begin % STEP_MOVES == 0)
				WorkerWorked(s->w, 16 * STEP_MOVES);
		}
	}
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

	return (sizeof(uint32_t) + sizeof(FimTime)) * data->events +
		LargestBlock(data) * (sizeof(MovedEvent) + sizeof(uint32_t) * numbers_of_event) +
		LargestPartition(data) * (sizeof(MovedEvent) + 2 * sizeof(uint32_t)) +
		(2 * sizeof(uint32_t) + sizeof(TypeBits)) * (uint64_t) data->ntypes;
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
	s->moves = FimMovesOf(w->spec, s->data->real);
	ListWanted(s, wanted_types);
	HideStream(s);
	most = s->most = CutIntoBlocks(s, &most_in_partition);
	ListEdges(s, wanted_gaps);
	s->bits = ArenaAllocApart(&w->arena, sizeof(TypeBits) * s->data->ntypes);
	memset(s->bits, 0, sizeof(TypeBits) * s->data->ntypes);
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

/* ---- making a surrogate ---- */

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
	if (s->moves.real)
		FindPlaces(s, begin, end, true);
	else
		FindPlaces(s, begin, end, false);
	for (uint32_t e = 0; e < s->nedges; e++)
		if (s->moves.real)
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
	memset(s->reach, 0, sizeof(uint64_t) * s->nedges);
	CountTypes(s, block);
	memcpy(s->next, s->start, sizeof(uint32_t) * s->data->ntypes);
	for (uint32_t p = s->block[block].partition; p < s->block[block + 1].partition; p++)
	{
		uint32_t	end = EndOfPartition(s, p, begin);
		FimSpan		span;

		if (end == begin)
			continue;
		span = FimSpanOf(s->data, p);
		MoveEvents(s, surrogate, &span, begin, end - begin, s->event + (begin - first));
		SortMovedEvents(s->w, &s->room, s->event + (begin - first), end - begin);
		FindWindows(s, begin - first, end - first);
		begin = end;
	}
}
