/*-------------------------------------------------------------------------
 *
 * surrogate.c
 *	  Surrogates: moving the events of a stream, sorting them and making a stream of
 *	  them.
 *
 *-------------------------------------------------------------------------
 */
#include "surrogate.h"

#include <float.h>
#include <string.h>

/* Partitions are made together up to so many events. */
#define BLOCK_EVENTS	(1 << 20)

/* Poll after so many events of a single loop. */
#define POLL_EVENTS		(1 << 14)

/* Fewer events are sorted by insertion: moved events are nearly in order. */
#define FEW_EVENTS		128

#define DIGIT_BITS		8
#define DIGITS			(1 << DIGIT_BITS)

#define SIGN_BIT		(UINT64_C(1) << 63)

/*
 * A whole number between -d and d, each as likely as the others.  The product of 64
 * random bits and the number of values lies in the interval of one of these; the bits that
 * would give some of them one more interval are drawn again (D. Lemire, "Fast Random
 * Integer Generation in an Interval", ACM TOMACS 29, 2019).
 */
static int64_t
WholeMove(uint64_t seed, Philox *counter, int64_t d)
{
	uint64_t	range = 2 * (uint64_t) d + 1;
	uint64_t	excess = -range % range;
	unsigned __int128 product;

	do
		product = (unsigned __int128) SurrogateBits(seed, counter) * range;
	while ((uint64_t) product < excess);
	return (int64_t) ((uint64_t) (product >> 64) - (uint64_t) d);
}

/* The middles of 2^53 equal parts of the interval from -1 to 1, times the dither. */
static double
RealMove(uint64_t seed, Philox *counter, double dither)
{
	uint64_t	part = SurrogateBits(seed, counter) >> 11;

	return ((double) part - 4503599627370496.0 + 0.5) * 0x1p-52 * dither;
}

FimTime
SurrogateTime(const FimEpisodesJob *job, bool real, FimTime time, Philox counter)
{
	if (real)
	{
		/* rounded before it is added, also where one instruction could do both */
		volatile double move = RealMove(job->seed, &counter, job->dither.real);

		time.real += move;
		if (time.real > DBL_MAX)
			time.real = DBL_MAX;
		if (time.real < -DBL_MAX)
			time.real = -DBL_MAX;
	}
	else
	{
		int64_t		move = WholeMove(job->seed, &counter, job->dither.integer);

		if (__builtin_add_overflow(time.integer, move, &time.integer))
			time.integer = move < 0 ? INT64_MIN : INT64_MAX;
	}
	return time;
}

/* Unsigned numbers in the order of times, and back. */
static inline uint64_t
KeyOfTime(bool real, FimTime time)
{
	uint64_t	bits = (uint64_t) time.integer;

	return real && (bits & SIGN_BIT) != 0 ? ~bits : bits ^ SIGN_BIT;
}

static inline FimTime
TimeOfKey(bool real, uint64_t key)
{
	return (FimTime) {.integer = (int64_t) (real && (key & SIGN_BIT) == 0 ? ~key : key ^ SIGN_BIT)};
}

static uint32_t
CountWanted(const Surrogates *s, uint32_t partition)
{
	const uint32_t *first = FIM_EPISODES_PARTITIONS(s->data) + partition;
	const uint32_t *type = FIM_EPISODES_TYPES(s->data);
	uint32_t	n = 0;

	for (uint32_t i = first[0]; i < first[1]; i++)
	{
		n += s->wanted[type[i]];
		if (i % POLL_EVENTS == 0)
			WorkerWorked(s->w, POLL_EVENTS);
	}
	return n;
}

/* Cut the stream into blocks; returns the most events of one, and of one partition. */
static uint32_t
CutIntoBlocks(Surrogates *s, uint32_t *most_in_partition)
{
	uint32_t	events = 0;
	uint32_t	most = 0;

	s->block = ArenaAlloc(&s->w->arena, sizeof(SurrogateBlock) *
						  (2 * (size_t) (s->data->events / BLOCK_EVENTS) + 2));
	s->block[0] = (SurrogateBlock) {0, 0};
	s->nblocks = 1;
	*most_in_partition = 0;
	for (uint32_t p = 0; p < s->data->partitions; p++)
	{
		uint32_t	n = CountWanted(s, p);

		if (events > 0 && (uint64_t) events + n > BLOCK_EVENTS)
		{
			s->block[s->nblocks++] = (SurrogateBlock) {p, p};
			events = 0;
		}
		s->block[s->nblocks - 1].end = p + 1;
		events += n;
		if (events > most)
			most = events;
		if (n > *most_in_partition)
			*most_in_partition = n;
		WorkerWorked(s->w, 1);
	}
	return most;
}

void
SurrogatesInit(Surrogates *s, Worker *w, uint8_t *wanted)
{
	uint32_t	most_in_partition;
	uint32_t	most;

	*s = (Surrogates) {.w = w, .data = w->stream.data, .wanted = wanted};
	s->rank = ArenaAlloc(&w->arena, sizeof(uint32_t) * s->data->ntypes);
	most = CutIntoBlocks(s, &most_in_partition);
	s->event = ArenaAlloc(&w->arena, sizeof(MovedEvent) * most_in_partition);
	s->spare = ArenaAlloc(&w->arena, sizeof(MovedEvent) * most_in_partition);
	s->most = most;
	s->made = ArenaAlloc(&w->arena, StreamBoundLike(s->data, most));
}

static void
SortByInsertion(MovedEvent *event, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
	{
		MovedEvent	moved = event[i];
		uint32_t	j = i;

		for (; j > 0 && event[j - 1].key > moved.key; j--)
			event[j] = event[j - 1];
		event[j] = moved;
	}
}

/* From one array to the other, by one digit; false if all events have the same. */
static bool
SortByDigit(Worker *w, const MovedEvent *from, MovedEvent *to, uint32_t n, int shift)
{
	uint32_t	at[DIGITS] = {0};
	uint32_t	sum = 0;

	for (uint32_t i = 0; i < n; i++)
	{
		at[from[i].key >> shift & (DIGITS - 1)]++;
		if (i % POLL_EVENTS == 0)
			WorkerWorked(w, POLL_EVENTS);
	}
	if (at[from[0].key >> shift & (DIGITS - 1)] == n)
		return false;
	for (uint32_t digit = 0; digit < DIGITS; digit++)
	{
		uint32_t	count = at[digit];

		at[digit] = sum;
		sum += count;
	}
	for (uint32_t i = 0; i < n; i++)
	{
		to[at[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
		if (i % POLL_EVENTS == 0)
			WorkerWorked(w, 2 * POLL_EVENTS);
	}
	return true;
}

/* The events lie in s->event before and after that. */
static void
SortEvents(Surrogates *s, uint32_t n)
{
	if (n <= FEW_EVENTS)
	{
		SortByInsertion(s->event, n);
		WorkerWorked(s->w, n);
		return;
	}
	for (int shift = 0; shift < 64; shift += DIGIT_BITS)
		if (SortByDigit(s->w, s->event, s->spare, n, shift))
		{
			MovedEvent *swap = s->event;

			s->event = s->spare;
			s->spare = swap;
		}
}

/* The wanted events of a partition, in their new places but not in order. */
static uint32_t
MoveEvents(Surrogates *s, uint32_t surrogate, uint32_t partition)
{
	const FimEpisodesData *data = s->data;
	const uint32_t *first = FIM_EPISODES_PARTITIONS(data) + partition;
	const uint32_t *type = FIM_EPISODES_TYPES(data);
	const FimTime *time = FIM_EPISODES_TIMES(data);
	uint32_t	n = 0;

	for (uint32_t i = first[0]; i < first[1]; i++)
	{
		FimTime		moved;

		WorkerWorked(s->w, 16);
		if (!s->wanted[type[i]])
			continue;
		moved = SurrogateTime(s->w->job, data->real, time[i],
							  SurrogateCounter(surrogate, type[i], s->rank[type[i]]++));
		s->event[n++] = (MovedEvent) {KeyOfTime(data->real, moved), type[i]};
	}
	return n;
}

void
SurrogateMake(Surrogates *s, uint32_t surrogate, uint32_t block)
{
	const FimEpisodesData *data = s->data;
	bool		is_first = true;

	if (block == 0)
		memset(s->rank, 0, sizeof(uint32_t) * data->ntypes);
	StreamBeginLike(s->made, data, s->most);
	for (uint32_t p = s->block[block].begin; p < s->block[block].end; p++)
	{
		uint32_t	n = MoveEvents(s, surrogate, p);

		if (n > 0 && !is_first)
			FimEpisodesNewPartition(s->made);
		is_first &= n == 0;
		SortEvents(s, n);
		for (uint32_t i = 0; i < n; i++)
		{
			FimEpisodesAdd(s->made, s->event[i].type, TimeOfKey(data->real, s->event[i].key));
			WorkerWorked(s->w, 4);
		}
	}
	FimEpisodesFinish(s->made);
	if (!StreamPrepare(&s->made->head, s->w->host))
		longjmp(s->w->leave, FIM_STOPPED);
	WorkerPoll(s->w);
	StreamInit(&s->w->stream, s->made);
}
