/*-------------------------------------------------------------------------
 *
 * moves.h
 *	  Where the events of a stream go in its surrogates, on processors and on GPUs.
 *
 * The first and the last event of a partition are its ends, and stay.  What is between
 * them is cut into windows, and no event leaves its window: within a window, the events
 * of a type go where a random one-to-one map of the window's places onto themselves takes
 * them.  FIM_SHIFT rotates the window, FIM_WINDOW_SHUFFLE permutes its places, and FIM_MOVE
 * permutes them twice, in windows whose borders lie halfway between the first ones and
 * then in these.  So two events of a type never come to the same place.  Float8 times
 * have no places that could be permuted; there, each event goes anywhere in its window.
 *
 * If the ends moved, too, surrogates would be denser than the stream: a session goes on for
 * a while before its first event and after its last one.  Given its ends, the others are
 * equally likely anywhere between them.  What the ends say of the order of types is used
 * in partitions of one window, which half of the surrogates turn round.
 *
 * No surrogate is made of the stream itself.  All are made of the same hidden stream,
 * and that is made of the given one by a map of the same kind.  This is why the given
 * stream cannot be told from its surrogates if the hypothesis holds that is tested:
 * doc/episode_significance.md has the proof.
 *
 * A map is a function of the seed, the surrogate, the type, the partition and the
 * window.  So a surrogate is the same whoever makes it.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_EPISODES_MOVES_H
#define FIM_EPISODES_MOVES_H

#include <float.h>
#include <math.h>
#include <stdint.h>

#include "episodes.h"

/*
 * Random numbers that are a function of a key and a counter: Philox 4x32-10.
 *
 * The source is J. Salmon, M. Moraes, R. Dror and D. Shaw, "Parallel Random Numbers: As
 * Easy as 1, 2, 3", SC 2011, section 3.3.
 */

#define PHILOX_ROUNDS	10

typedef struct Philox
{
	uint32_t	word[4];
} Philox;

/* For functions that GPUs execute, too. */
#ifdef __CUDACC__
#define FIM_DEVICE_TOO	static __host__ __device__ __forceinline__
#else
#define FIM_DEVICE_TOO	static inline
#endif

FIM_DEVICE_TOO Philox
PhiloxOf(uint64_t key, Philox counter)
{
	uint32_t	k0 = (uint32_t) key;
	uint32_t	k1 = (uint32_t) (key >> 32);

	for (int round = 0; round < PHILOX_ROUNDS; round++)
	{
		uint64_t	p0 = (uint64_t) UINT32_C(0xD2511F53) * counter.word[0];
		uint64_t	p1 = (uint64_t) UINT32_C(0xCD9E8D57) * counter.word[2];

		counter.word[0] = (uint32_t) (p1 >> 32) ^ counter.word[1] ^ k0;
		counter.word[1] = (uint32_t) p1;
		counter.word[2] = (uint32_t) (p0 >> 32) ^ counter.word[3] ^ k1;
		counter.word[3] = (uint32_t) p0;
		k0 += UINT32_C(0x9E3779B9);
		k1 += UINT32_C(0xBB67AE85);
	}
	return counter;
}

/* The hidden stream has the number of a surrogate that nobody can ask for. */
#define FIM_HIDDEN_STREAM		UINT32_C(0x7fffffff)

/* The number of no type, for what happens to a whole partition. */
#define FIM_NO_TYPE				UINT32_MAX

/* Added to a surrogate's number for the first of two permutations. */
#define FIM_OTHER_WINDOWS		UINT32_C(0x80000000)

/*
 * A window of FIM_SHIFT is this many times as long as the dither.  What a type does by
 * itself is lost where a window begins and where its end is joined to its beginning, and
 * a stream of few windows has few different surrogates; this is between the two.
 */
#define FIM_SHIFT_WINDOW		4

/* No dither is longer than that, so that lengths of windows do not overflow. */
#define FIM_LONGEST_DITHER		(INT64_C(1) << 57)

/* Windows of up to this many places are permuted by swaps, longer ones by so many rounds, an even number. */
#define FIM_FEW_PLACES			16
#define FIM_PERMUTING_ROUNDS	12

/* How events move, from the spec. */
typedef struct FimMoves
{
	uint64_t	seed;
	uint32_t	method;			/* a FimSurrogateMethod */
	uint32_t	real;			/* times are float8 */
	FimTime		window;			/* the length of windows; the last one of a partition may be longer */
	FimTime		shift;			/* FIM_SHIFT: this many offsets are possible, or their range of reals */
} FimMoves;

/*
 * The times of the first and the last event of a partition, a type that has an event there, and
 * the partition's number.  All events at these times are its ends.
 */
typedef struct FimSpan
{
	FimTime		first;
	FimTime		last;
	uint32_t	first_type;
	uint32_t	last_type;
	uint32_t	partition;
} FimSpan;

/* A window: its number in the partition, its first place and the number of its places; or its length in reals. */
typedef struct FimWindow
{
	uint64_t	number;
	bool		last;			/* of the partition; not known of those with borders halfway */
	FimTime		first;
	FimTime		size;
} FimWindow;

/* A product that is rounded before it is added to anything, also where one instruction could do both. */
FIM_DEVICE_TOO double
FimProduct(double a, double b)
{
#ifdef __CUDA_ARCH__
	return __dmul_rn(a, b);
#else
	volatile double product = a * b;

	return product;
#endif
}

FIM_DEVICE_TOO FimMoves
FimMovesOf(const FimEpisodesSpec *spec, bool real)
{
	FimMoves	m;
	uint64_t	d = 0;

	m.seed = spec->seed;
	m.method = spec->method;
	m.real = real;
	if (real)
	{
		double		times = m.method == FIM_SHIFT ? FIM_SHIFT_WINDOW : m.method == FIM_WINDOW_SHUFFLE ? 2 : 1;

		m.window.real = fmin(times * spec->dither.real, DBL_MAX / 4);
		m.shift.real = 2 * spec->dither.real;
		return m;
	}
	d = (uint64_t) (spec->dither.integer < FIM_LONGEST_DITHER ? spec->dither.integer : FIM_LONGEST_DITHER);
	m.shift.integer = (int64_t) (2 * d + 1);
	if (m.method == FIM_SHIFT)
		m.window.integer = (int64_t) (FIM_SHIFT_WINDOW * d);
	else if (m.method == FIM_WINDOW_SHUFFLE)
		m.window.integer = (int64_t) (2 * d + 1);
	else
		m.window.integer = (int64_t) (d + 1);
	return m;
}

/*
 * The span of a partition that has events.  Of several types at an end it is the first or the last
 * one, since events of the same time are in no order.
 */
static inline FimSpan
FimSpanOf(const FimEpisodesData *data, uint32_t partition)
{
	const FimTime *time = FIM_EPISODES_TIMES(data);
	const uint32_t *type = FIM_EPISODES_TYPES(data);
	uint32_t	first = FIM_EPISODES_PARTITIONS(data)[partition];
	uint32_t	last = FIM_EPISODES_PARTITIONS(data)[partition + 1] - 1;
	FimSpan		span = {time[first], time[last], type[first], type[last], partition};

	for (uint32_t i = first + 1; i <= last && FimTimeKey(data->real, time[i], span.first) == 0; i++)
		span.first_type = type[i] < span.first_type ? type[i] : span.first_type;
	for (uint32_t i = last; i-- > first && FimTimeKey(data->real, span.last, time[i]) == 0;)
		span.last_type = type[i] > span.last_type ? type[i] : span.last_type;
	return span;
}

/*
 * Windows
 */

/* Whether an event is at an end of its partition. */
FIM_DEVICE_TOO bool
FimIsAtEnd(const FimMoves *m, const FimSpan *span, FimTime time)
{
	if (m->real)
		return !(time.real > span->first.real && time.real < span->last.real);
	return time.integer == span->first.integer || time.integer == span->last.integer;
}

/* How many windows there are between times that are whole numbers and have places between them. */
FIM_DEVICE_TOO uint64_t
FimWholeWindows(const FimMoves *m, const FimSpan *span)
{
	uint64_t	windows = ((uint64_t) span->last.integer - (uint64_t) span->first.integer - 2) / (uint64_t) m->window.integer;

	return windows > 0 ? windows : 1;
}

/* The last window has what is left, too. */
FIM_DEVICE_TOO FimWindow
FimWholeWindow(const FimMoves *m, const FimSpan *span, FimTime time)
{
	uint64_t	length = (uint64_t) m->window.integer;
	uint64_t	first = (uint64_t) span->first.integer + 1;
	uint64_t	windows = FimWholeWindows(m, span);
	uint64_t	begin;
	FimWindow	w;

	w.number = ((uint64_t) time.integer - first) / length;
	w.last = w.number >= windows - 1;
	if (w.last)
		w.number = windows - 1;
	begin = w.number * length;
	w.first.integer = (int64_t) (first + begin);
	w.size.integer = (int64_t) (w.last ? (uint64_t) span->last.integer - first - begin : length);
	return w;
}

/* Windows whose borders are halfway between those of the others. */
FIM_DEVICE_TOO FimWindow
FimHalfwayWindow(const FimMoves *m, const FimSpan *span, FimTime time)
{
	uint64_t	length = (uint64_t) m->window.integer;
	uint64_t	half = length / 2;
	uint64_t	first = (uint64_t) span->first.integer + 1;
	uint64_t	places = (uint64_t) span->last.integer - first;
	uint64_t	place = (uint64_t) time.integer - first;
	uint64_t	begin = 0;
	FimWindow	w;

	w.last = false;
	w.number = place < half ? 0 : (place - half) / length + 1;
	if (w.number == 0)
		length = half;
	else
		begin = (w.number - 1) * length + half;
	w.first.integer = (int64_t) (first + begin);
	w.size.integer = (int64_t) (places - begin < length ? places - begin : length);
	return w;
}

/*
 * As FimWholeWindow(), or FimHalfwayWindow(), of reals.  An event is a window of its own where
 * float8 cannot tell windows apart, or where it ends.
 */
FIM_DEVICE_TOO FimWindow
FimRealWindow(const FimMoves *m, const FimSpan *span, FimTime time, bool halfway)
{
	double		length = m->window.real;
	double		last = span->last.real - span->first.real;
	double		half = halfway ? FimProduct(0.5, length) : 0.0;
	double		number = floor((time.real - span->first.real + half) / length);
	double		most = halfway ? DBL_MAX : fmax(floor(last / length) - 1, 0.0);
	double		begin;
	FimWindow	w;

	w.last = number >= most;
	number = fmin(number, most);
	if (!(number < 0x1p53 && last < DBL_MAX / 2))
	{
		w.number = 0;
		w.first = time;
		w.size.real = 0;
		return w;
	}
	begin = fmax(FimProduct(number, length) - half, 0.0);
	w.number = (uint64_t) number;
	w.first.real = span->first.real + begin;
	w.size.real = (number < most ? fmin(FimProduct(number + 1, length) - half, last) : last) - begin;
	return w;
}

FIM_DEVICE_TOO FimWindow
FimWindowOf(const FimMoves *m, const FimSpan *span, FimTime time, bool halfway)
{
	if (m->real)
		return FimRealWindow(m, span, time, halfway);
	return halfway ? FimHalfwayWindow(m, span, time) : FimWholeWindow(m, span, time);
}

/*
 * Whether surrogates may turn a partition round: one that is a single window, since within
 * a window either order is equally likely.
 */
FIM_DEVICE_TOO bool
FimMayTurn(const FimMoves *m, const FimSpan *span)
{
	if (m->real)
		return (span->last.real - span->first.real) / m->window.real < 2;
	return (uint64_t) span->last.integer - (uint64_t) span->first.integer < 2 || FimWholeWindows(m, span) == 1;
}

/* Whether a time that is a whole number lies in a window. */
static inline bool
FimIsInWindow(const FimWindow *w, FimTime time)
{
	return (uint64_t) time.integer - (uint64_t) w->first.integer < (uint64_t) w->size.integer;
}

/* The times between which events of a window can come to. */
typedef struct FimRange
{
	FimWindow	window;			/* all whose times are in it have this range */
	int64_t		least;
	int64_t		most;
} FimRange;

/* The range of an event whose time is a whole number, in the given stream or in the hidden one. */
FIM_DEVICE_TOO FimRange
FimRangeOf(const FimMoves *m, const FimSpan *span, FimTime time)
{
	FimRange	r;
	FimTime		end;
	FimWindow	w;

	if (FimMayTurn(m, span))
	{
		r.least = span->first.integer;
		r.most = span->last.integer;
		r.window = (FimWindow) {0, true, span->first, {.integer = r.most - r.least + 1}};
		return r;
	}
	if (FimIsAtEnd(m, span, time))
	{
		r.least = r.most = time.integer;
		r.window = (FimWindow) {0, false, time, {.integer = 1}};
		return r;
	}
	r.window = FimWholeWindow(m, span, time);
	r.least = r.window.first.integer;
	r.most = (int64_t) ((uint64_t) r.least + (uint64_t) r.window.size.integer - 1);
	if (m->method != FIM_MOVE)
		return r;
	end.integer = r.least;
	r.least = FimWholeWindow(m, span, FimHalfwayWindow(m, span, end).first).first.integer;
	end.integer = r.most;
	w = FimHalfwayWindow(m, span, end);
	end.integer = (int64_t) ((uint64_t) w.first.integer + (uint64_t) w.size.integer - 1);
	w = FimWholeWindow(m, span, end);
	r.most = (int64_t) ((uint64_t) w.first.integer + (uint64_t) w.size.integer - 1);
	return r;
}

/*
 * Maps
 */

/* The 64 random bits that make the map of a window. */
FIM_DEVICE_TOO uint64_t
FimWindowBits(const FimMoves *m, uint32_t partition, uint64_t window, uint32_t type, uint32_t surrogate)
{
	Philox		random;

	random.word[0] = (uint32_t) window ^ (uint32_t) (window >> 32);
	random.word[1] = type;
	random.word[2] = surrogate;
	random.word[3] = partition;
	random = PhiloxOf(m->seed, random);
	return (uint64_t) random.word[1] << 32 | random.word[0];
}

/* The number at this place of the sequence SplitMix64, which begins with a seed. */
FIM_DEVICE_TOO uint64_t
FimSplitMix(uint64_t seed, uint64_t place)
{
	uint64_t	z = seed + (place + 1) * UINT64_C(0x9E3779B97F4A7C15);

	z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
	return z ^ z >> 31;
}

/*
 * A number below "range", each of which is equally likely.  The product of 64 random bits
 * and the range has it as its high half.  Bits whose product has too low a low half would
 * make some numbers likelier than others, and others are drawn (D. Lemire, "Fast Random
 * Integer Generation in an Interval", ACM TOMACS 29, 2019).
 */
FIM_DEVICE_TOO uint64_t
FimRandomBelow(uint64_t range, uint64_t bits)
{
	unsigned __int128 product = (unsigned __int128) bits * range;

	if ((uint64_t) product < range)
	{
		uint64_t	excess = (0 - range) % range;

		for (uint64_t again = 0; (uint64_t) product < excess; again++)
			product = (unsigned __int128) FimSplitMix(bits, again) * range;
	}
	return (uint64_t) (product >> 64);
}

/* A real between 0 and 1: the middle of one of 2^53 equal parts. */
FIM_DEVICE_TOO double
FimRandomPart(uint64_t bits)
{
	return FimProduct((double) (bits >> 11) + 0.5, 0x1p-53);
}

/*
 * Where a random permutation of a few places takes one.  Each place, from the last one on, is
 * swapped with one of those up to it (R. Durstenfeld, "Algorithm 235: Random permutation",
 * Communications of the ACM 7, 1964).
 */
FIM_DEVICE_TOO uint64_t
FimSwapped(uint64_t place, uint64_t size, uint64_t bits)
{
	for (uint64_t last = size - 1; last > 0; last--)
	{
		uint64_t	other = FimRandomBelow(last + 1, FimSplitMix(bits, last));

		place = place == last ? other : place == other ? last : place;
	}
	return place;
}

/*
 * Where a random permutation of many places takes one.  A Feistel network
 * permutes the numbers of as many bits as the places have; it is applied until the result
 * is a place again (M. Luby and C. Rackoff, "How to Construct Pseudorandom Permutations
 * from Pseudorandom Functions", SIAM J. Comput. 17, 1988; J. Black and P. Rogaway,
 * "Ciphers with Arbitrary Finite Domains", CT-RSA 2002).
 */
FIM_DEVICE_TOO uint64_t
FimEncrypted(uint64_t place, uint64_t size, uint64_t bits)
{
#ifdef __CUDA_ARCH__
	int			digits = 64 - __clzll((long long) (size - 1));
#else
	int			digits = 64 - __builtin_clzll(size - 1);
#endif
	int			low_digits = digits / 2;
	uint64_t	low_mask = (UINT64_C(1) << low_digits) - 1;
	uint64_t	high_mask = (UINT64_C(1) << (digits - low_digits)) - 1;

	do
	{
		uint64_t	low = place & low_mask;
		uint64_t	high = place >> low_digits;

		for (uint64_t round = 0; round < FIM_PERMUTING_ROUNDS; round += 2)
		{
			high ^= FimSplitMix(bits, low * FIM_PERMUTING_ROUNDS + round) & high_mask;
			low ^= FimSplitMix(bits, high * FIM_PERMUTING_ROUNDS + round + 1) & low_mask;
		}
		place = high << low_digits | low;
	} while (place >= size);
	return place;
}

FIM_DEVICE_TOO uint64_t
FimPermuted(uint64_t place, uint64_t size, uint64_t bits)
{
	return size <= FIM_FEW_PLACES ? FimSwapped(place, size, bits) : FimEncrypted(place, size, bits);
}

FIM_DEVICE_TOO FimTime
FimMovedWhole(const FimMoves *m, const FimWindow *w, FimTime time, uint64_t bits)
{
	uint64_t	size = (uint64_t) w->size.integer;
	uint64_t	place = (uint64_t) time.integer - (uint64_t) w->first.integer;

	if (m->method == FIM_SHIFT)
	{
		uint64_t	range = (uint64_t) m->shift.integer < size ? (uint64_t) m->shift.integer : size;
		uint64_t	ahead = FimRandomBelow(range, bits);
		uint64_t	back = range / 2;

		/* forward by "ahead" and back by "back", both of them less than "size" */
		place = place < size - ahead ? place + ahead : place - (size - ahead);
		place = place < back ? place + (size - back) : place - back;
	}
	else
		place = FimPermuted(place, size, bits);
	time.integer = (int64_t) ((uint64_t) w->first.integer + place);
	return time;
}

FIM_DEVICE_TOO FimTime
FimMovedReal(const FimMoves *m, const FimWindow *w, FimTime time, uint64_t bits)
{
	double		size = w->size.real;
	double		place;

	if (m->method == FIM_SHIFT)
	{
		double		range = fmin(m->shift.real, size);

		place = time.real - w->first.real + FimProduct(FimRandomPart(bits) - 0.5, range);
		place = place < 0 ? place + size : place >= size ? place - size : place;
	}
	else
		place = FimProduct(FimRandomPart(FimSplitMix(bits, (uint64_t) time.integer)), size);
	time.real = w->first.real + place;
	return time;
}

/* Move an event of a window whose map is made of these bits. */
FIM_DEVICE_TOO FimTime
FimMovedInWindow(const FimMoves *m, const FimSpan *span, const FimWindow *w, FimTime time, uint64_t bits)
{
	if (!m->real)
		return FimMovedWhole(m, w, time, bits);
	time = FimMovedReal(m, w, time, bits);
	/* rounding could take it beyond the ends */
	time.real = fmax(fmin(time.real, span->last.real), span->first.real);
	return time;
}

/*
 * Whether events of a type rest in a window.  Where one of them is an end of the partition, which
 * is not shifted, the others are not shifted either, so that the type keeps what it does by itself.
 */
FIM_DEVICE_TOO bool
FimRests(const FimMoves *m, const FimSpan *span, const FimWindow *w, uint32_t type)
{
	return m->method == FIM_SHIFT && ((w->number == 0 && type == span->first_type) || (w->last && type == span->last_type));
}

/* Whether this surrogate has the partition turned round. */
FIM_DEVICE_TOO bool
FimIsTurned(const FimMoves *m, const FimSpan *span, uint32_t surrogate)
{
	return FimMayTurn(m, span) && (FimWindowBits(m, span->partition, 0, FIM_NO_TYPE, surrogate) & 1) != 0;
}

/* The time of an event after its partition has been turned round, by which the ends change places. */
FIM_DEVICE_TOO FimTime
FimTurnedTime(const FimMoves *m, const FimSpan *span, FimTime time)
{
	if (!m->real)
		time.integer = (int64_t) ((uint64_t) span->first.integer + ((uint64_t) span->last.integer - (uint64_t) time.integer));
	else if (FimIsAtEnd(m, span, time))
		time = time.real == span->first.real ? span->last : span->first;
	else
		time.real = fmax(fmin(span->first.real + (span->last.real - time.real), span->last.real), span->first.real);
	return time;
}

/* Move an event of the given stream for the hidden one, or the last part of the way from there to a surrogate. */
FIM_DEVICE_TOO FimTime
FimMovedOnce(const FimMoves *m, const FimSpan *span, FimTime time, uint32_t type, uint32_t surrogate, bool halfway)
{
	FimWindow	w;

	if (FimIsAtEnd(m, span, time))
		return time;
	w = FimWindowOf(m, span, time, halfway);
	if (FimRests(m, span, &w, type))
		return time;
	return FimMovedInWindow(m, span, &w, time, FimWindowBits(m, span->partition, w.number, type,
															 halfway ? surrogate | FIM_OTHER_WINDOWS : surrogate));
}

/* The time that an event of the given stream has in the hidden one. */
FIM_DEVICE_TOO FimTime
FimHiddenTime(const FimMoves *m, const FimSpan *span, FimTime time, uint32_t type)
{
	return FimMovedOnce(m, span, time, type, FIM_HIDDEN_STREAM, false);
}

/* Move an event of the hidden stream, or of the turned one, all of the way to a surrogate. */
FIM_DEVICE_TOO FimTime
FimMovedTime(const FimMoves *m, const FimSpan *span, FimTime time, uint32_t type, uint32_t surrogate)
{
	if (m->method == FIM_MOVE)
		time = FimMovedOnce(m, span, time, type, surrogate, true);
	return FimMovedOnce(m, span, time, type, surrogate, false);
}

/* The time that an event of the hidden stream has in a surrogate. */
FIM_DEVICE_TOO FimTime
FimSurrogateTime(const FimMoves *m, const FimSpan *span, FimTime hidden, uint32_t type, uint32_t surrogate)
{
	if (FimIsTurned(m, span, surrogate))
		hidden = FimTurnedTime(m, span, hidden);
	return FimMovedTime(m, span, hidden, type, surrogate);
}

#endif							/* FIM_EPISODES_MOVES_H */
