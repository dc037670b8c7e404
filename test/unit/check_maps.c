/*-------------------------------------------------------------------------
 *
 * check_maps.c
 *	  The maps that make surrogates: that the random numbers behind them are those of Philox,
 *	  that each map is as likely as another, and that it keeps what it has to.
 *
 * Usage: check_maps [seed]; or FIM_SEED.
 *
 *-------------------------------------------------------------------------
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "engine/episodes/worker.h"
#include "harness.h"

/* From Random123, kat_vectors. */
static bool
CheckPhilox(void)
{
	static const struct
	{
		uint64_t	key;
		Philox		counter;
		Philox		random;
	}			known[] = {
		{0, {{0, 0, 0, 0}}, {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}}},
		{UINT64_MAX, {{UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX}}, {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}}},
		{UINT64_C(0x299f31d0a4093822), {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}},
		{{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}},
	};

	for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++)
	{
		Philox		random = PhiloxOf(known[k].key, known[k].counter);

		if (memcmp(&random, &known[k].random, sizeof(random)) != 0)
			return Complain("known answer %u of Philox", (unsigned) k);
	}
	return true;
}

/* Whether n counts are as even as they should be: one chi-square in 100,000 is greater. */
static bool
AreEven(const uint32_t *count, uint32_t n, uint32_t sum)
{
	double		chi_square = 0;
	double		spread = 2.0 / (9 * (n - 1));

	for (uint32_t k = 0; k < n; k++)
		chi_square += pow(count[k] - sum / (double) n, 2) / (sum / (double) n);
	/* the cube root is nearly normal (E. Wilson and M. Hilferty, 1931) */
	return cbrt(chi_square / (n - 1)) < 1 - spread + 4.27 * sqrt(spread);
}

#define MOST_PLACES	33

/* A window's permutation is one, and takes three of its places to any three others equally often. */
static bool
CheckPermutations(void)
{
	Rng			rng = {1};

	for (uint32_t places = 3; places <= MOST_PLACES; places += places < 9 ? 1 : 4)
	{
		static uint32_t count[MOST_PLACES * MOST_PLACES * MOST_PLACES];
		uint32_t	cells = places * (places - 1) * (places - 2);
		uint32_t	draws = 20 * cells;
		uint32_t	n = 0;

		memset(count, 0, sizeof(count));

		for (uint32_t k = 0; k < draws; k++)
		{
			uint64_t	bits = RngNext(&rng);
			uint32_t	to[MOST_PLACES];
			uint64_t	seen = 0;

			for (uint32_t place = 0; place < places; place++)
				seen |= UINT64_C(1) << (to[place] = (uint32_t) FimPermuted(place, places, bits));
			if (seen != (UINT64_C(1) << places) - 1)
				return Complain("no permutation of %u places", places);
			count[(to[0] * places + to[1]) * places + to[places - 1]]++;
		}
		/* those that cannot be are 0, and are left out */
		for (uint32_t k = 0; k < places * places * places; k++)
			if (k / places / places != k / places % places && k / places % places != k % places &&
				k % places != k / places / places)
				count[n++] = count[k];
		if (!AreEven(count, n, draws))
			return Complain("permutations of %u places are not equally likely", places);
	}
	return true;
}

/* Offsets of a shift are as even as they should be, and as large. */
static bool
CheckShifts(bool real)
{
	enum
	{
		DITHER = 10, VALUES = 2 * DITHER + 1, DRAWS = 20000, MIDDLE = 20
	};
	FimEpisodesSpec spec = {.seed = 5};
	FimSpan		span = {{.integer = 0}, {.integer = 4 * DITHER}, 0, 1, 0};
	FimTime		middle = {.integer = MIDDLE};
	FimMoves	moves;
	uint32_t	count[VALUES] = {0};

	spec.dither.integer = DITHER;
	if (real)
	{
		spec.dither.real = VALUES / 2.0;
		span.first.real = 0;
		span.last.real = 4 * DITHER;
		middle.real = MIDDLE;
	}
	moves = FimMovesOf(&spec, real);
	for (uint32_t k = 0; k < DRAWS; k++)
	{
		FimTime		moved = FimSurrogateTime(&moves, &span, middle, 3, k);
		double		shift = (real ? moved.real : (double) moved.integer) - MIDDLE;
		int			value = (int) floor(shift + VALUES / 2.0);

		if (value < 0 || value >= VALUES)
			return Complain("a type is shifted by %g", shift);
		count[value]++;
	}
	return AreEven(count, VALUES, DRAWS) || Complain("shifts are not uniform");
}

/* No two maps have the same bits: of seeds, partitions, windows, types, surrogates. */
static bool
CheckBits(void)
{
	enum
	{
		EACH = 3, MAPS = EACH * EACH * EACH * EACH * EACH
	};
	uint64_t	bits[MAPS];

	for (uint32_t k = 0; k < MAPS; k++)
	{
		FimMoves	moves = {.seed = k / 81};

		bits[k] = FimWindowBits(&moves, k / 27 % EACH, k / 9 % EACH, k / 3 % EACH, k % EACH);
		for (uint32_t other = 0; other < k; other++)
			if (bits[other] == bits[k])
				return Complain("maps %u and %u have the same bits", other, k);
	}
	return true;
}

/* The windows of a short partition are those of the page, one after the other between its ends. */
static bool
CheckWindows(uint64_t seed)
{
	Rng			rng = {seed};
	bool		real = RngChance(&rng, 0.5);
	FimEpisodesSpec spec = {.method = RngBelow(&rng, 3)};
	bool		halfway = spec.method == FIM_MOVE && RngChance(&rng, 0.5);
	uint32_t	dither = 1 + RngBelow(&rng, 20);
	int64_t		first = RngBelow(&rng, 1000);
	uint32_t	last = RngBelow(&rng, 400);	/* the last place, counted from the first one */
	uint32_t	place = RngBelow(&rng, last + 1);
	double		length = spec.method == FIM_SHIFT ? 4 * dither : (spec.method == FIM_MOVE ? 1 : 2) * dither + !real;
	double		begin = 0;
	double		end = halfway ? (real ? length / 2 : floor(length / 2)) : length;
	uint64_t	number = 0;
	FimSpan		span = {{.integer = first - 1}, {.integer = first + last + 1}, 0, 0, 0};
	FimTime		time = {.integer = first + place};
	FimMoves	moves;
	FimWindow	w;

	/* with borders halfway, the last one ends early; otherwise what is too short for a window belongs to the one before */
	while (place >= end && (halfway ? end : end + length) <= last)
	{
		begin = end;
		end += length;
		number++;
	}
	if ((halfway ? end : end + length) > last)
		end = last + !real;
	spec.dither.integer = dither;
	if (real)
	{
		spec.dither.real = dither;
		span.first.real = first;
		span.last.real = first + last;
		time.real = first + place;
	}
	moves = FimMovesOf(&spec, real);
	if (FimMayTurn(&moves, &span) != (last < 2 * length))
		return Complain("a partition of %u places may %sturn round, seed %llu", last, FimMayTurn(&moves, &span) ? "" : "not ",
						(unsigned long long) seed);
	w = FimWindowOf(&moves, &span, time, halfway);
	if (!halfway && w.last != (end == last + !real))
		return Complain("window %u is %sthe last one, seed %llu", (unsigned) w.number, w.last ? "" : "not ", (unsigned long long) seed);
	return (w.number == number && (real ? w.first.real : (double) w.first.integer) == first + begin &&
			(real ? w.size.real : (double) w.size.integer) == end - begin) ||
		Complain("window %u from %g on of length %g, seed %llu", (unsigned) w.number, real ? w.first.real : (double) w.first.integer,
				 real ? w.size.real : (double) w.size.integer, (unsigned long long) seed);
}

/*
 * Events stay in the span of their partition, however long it is, and its ends stay or change places.
 * Events of a type that are at different times stay so, if times are whole numbers.
 */
static bool
CheckSpans(uint64_t seed)
{
	enum
	{
		MOST = 40
	};
	const uint32_t ends = 2;
	Rng			rng = {seed};
	bool		real = RngChance(&rng, 0.3);
	FimEpisodesSpec spec = {.seed = RngNext(&rng), .method = RngBelow(&rng, 3)};
	uint64_t	length = RngChance(&rng, 0.5) ? 1 + RngBelow(&rng, MOST) : RngNext(&rng) >> RngBelow(&rng, 60);
	FimSpan		span = {.first_type = RngBelow(&rng, 3), .last_type = RngBelow(&rng, 3), .partition = RngBelow(&rng, 5)};
	FimMoves	moves;
	FimTime		moved[MOST];
	uint32_t	n = 0;

	spec.dither.integer = (int64_t) (RngNext(&rng) >> (1 + RngBelow(&rng, 63)));
	spec.dither.integer += spec.dither.integer == 0;
	span.first.integer = (int64_t) (UINT64_MAX / 2 + 1 + (length < UINT64_MAX / 2 ? RngNext(&rng) / 2 : 0));
	span.last.integer = (int64_t) ((uint64_t) span.first.integer + length);
	if (real)
	{
		spec.dither.real = ldexp(RngUnit(&rng), (int) RngBelow(&rng, 2000) - 1000);
		span.first.real = ldexp(RngUnit(&rng) - 0.5, (int) RngBelow(&rng, 2000) - 1000);
		span.last.real = fmin(span.first.real + ldexp(RngUnit(&rng), (int) RngBelow(&rng, 2020) - 1000), DBL_MAX);
	}
	moves = FimMovesOf(&spec, real);
	for (uint64_t k = 0; k < MOST && (real || k <= length); k++)
	{
		FimTime		time = k % 2 == 0 ? span.first : span.last;

		if (real && k >= ends)
			time.real = fmin(span.first.real + RngUnit(&rng) * (span.last.real / 2 - span.first.real / 2), span.last.real);
		else if (!real)
			time.integer = (int64_t) ((uint64_t) time.integer + (k % 2 == 0 ? k / 2 : 0 - k / 2));
		time = FimHiddenTime(&moves, &span, time, 1);
		time = FimSurrogateTime(&moves, &span, time, 1, 7);
		if (real ? !(time.real >= span.first.real && time.real <= span.last.real) :
			(uint64_t) time.integer - (uint64_t) span.first.integer > length)
			return Complain("an event leaves its partition, seed %llu", (unsigned long long) seed);
		if (k < ends && time.integer != (FimIsTurned(&moves, &span, 7) == (k == 0) ? span.last : span.first).integer)
			return Complain("an end of a partition moves, seed %llu", (unsigned long long) seed);
		for (uint32_t other = 0; !real && other < n; other++)
			if (moved[other].integer == time.integer)
				return Complain("two events of a type come to the same time, seed %llu", (unsigned long long) seed);
		moved[n++] = time;
	}
	return true;
}

/* Half of the surrogates turn a short partition round, and then all its ends; no partition decides for another. */
static bool
CheckTurns(void)
{
	enum
	{
		DRAWS = 20000, PARTITIONS = 3, CASES = 1 << PARTITIONS
	};
	FimMoves	moves = {.seed = 9, .window = {.integer = 100}};
	uint32_t	count[CASES] = {0};

	for (uint32_t k = 0; k < DRAWS; k++)
	{
		uint32_t	turned = 0;

		for (uint32_t p = 0; p < PARTITIONS; p++)
		{
			FimSpan		span = {{.integer = 5}, {.integer = 6 + (int64_t) p}, 0, 0, p};

			turned |= (uint32_t) FimIsTurned(&moves, &span, k) << p;
		}
		count[turned]++;
	}
	return AreEven(count, CASES, DRAWS) || Complain("partitions are not turned round in half of the surrogates");
}

int
main(int argc, char **argv)
{
	uint64_t	seed = ArgumentOr(argc, argv, 1, "FIM_SEED", 1);

	return CheckPhilox() && CheckBits() && CheckPermutations() && CheckShifts(false) && CheckShifts(true) && CheckTurns() &&
		CheckSeeds(CheckWindows, seed, 20000) && CheckSeeds(CheckSpans, seed, 20000) ? 0 : 1;
}
