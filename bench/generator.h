/*-------------------------------------------------------------------------
 *
 * generator.h
 *	  What the generators of transactions share: chance, transactions under
 *	  construction, output in FIMI form, options.
 *
 * The same arguments give the same output.  Random numbers come from SplitMix64
 * (Steele, Lea and Flood, OOPSLA 2014), and choices by weight are made with
 * Walker's alias method.  What runs for each item is inline.  Memory is left to
 * the end of the process.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GENERATOR_H
#define GENERATOR_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a program says its name is; each has its own. */
extern const char *const program_name;

extern uint64_t random_state;	/* the seed, to begin with */

/* Walker's alias method: each choice keeps its slot below a threshold ... */
typedef struct AliasSlot
{
	double		threshold;
	uint32_t	other;			/* ... and leaves the rest of it to this one */
} AliasSlot;

typedef struct Alias
{
	uint32_t	n;
	AliasSlot  *slots;
} Alias;

/* A set of items under construction; stamp[i] == round: item i is in it. */
typedef struct Basket
{
	uint32_t	size;
	uint32_t   *items;
	uint64_t   *stamp;
	uint64_t	round;
} Basket;

extern void Fail(const char *message);
extern void *Allocate(size_t n, size_t size);

extern double Normal(double mean, double variance);
extern void AliasInit(Alias *alias, double *weights, uint32_t n);

extern void BasketInit(Basket *basket, uint32_t nitems);
extern void WriteTransaction(const Basket *transaction);
extern void FinishOutput(void);

extern double ParseReal(const char *text, double low, double high, const char *option);
extern uint64_t ParseCount(const char *text, uint64_t low, uint64_t high, const char *option);
extern void WrongOption(void);
extern void NoMoreArguments(int argc, char **argv);

static inline uint64_t
Random64(void)
{
	uint64_t	z = (random_state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* Uniform in [0, 1). */
static inline double
Uniform(void)
{
	return (double) (Random64() >> 11) * 0x1p-53;
}

/* Uniform in 0 .. n-1. */
static inline uint32_t
Below(uint32_t n)
{
	return (uint32_t) (((Random64() >> 32) * n) >> 32);
}

static inline double
Cut(double x, double low, double high)
{
	return x < low ? low : x > high ? high : x;
}

static inline uint32_t
AliasDraw(const Alias *alias)
{
	uint32_t	i = Below(alias->n);
	const AliasSlot *slot = &alias->slots[i];

	return Uniform() < slot->threshold ? i : slot->other;
}

static inline void
BasketClear(Basket *basket)
{
	basket->size = 0;
	basket->round++;
}

/* true: the item was not there yet. */
static inline bool
BasketAdd(Basket *basket, uint32_t item)
{
	if (basket->stamp[item] == basket->round)
		return false;
	basket->stamp[item] = basket->round;
	basket->items[basket->size++] = item;
	return true;
}

#endif							/* GENERATOR_H */
