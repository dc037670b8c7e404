/*-------------------------------------------------------------------------
 *
 * generator.c
 *	  What the generators of transactions share.
 *
 *-------------------------------------------------------------------------
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generator.h"

#define BUFFER_SIZE		(1 << 16)
#define MAX_ITEM_TEXT	11		/* a 32-bit number and a blank */

uint64_t	random_state;

void
Fail(const char *message)
{
	fprintf(stderr, "%s: %s\n", program_name, message);
	exit(1);
}

void *
Allocate(size_t n, size_t size)
{
	void	   *memory = calloc(n ? n : 1, size);

	if (memory == NULL)
		Fail("out of memory");
	return memory;
}

/* Marsaglia's polar method, without keeping the second number. */
double
Normal(double mean, double variance)
{
	double		u,
				v,
				s;

	do
	{
		u = 2.0 * Uniform() - 1.0;
		v = 2.0 * Uniform() - 1.0;
		s = u * u + v * v;
	} while (s >= 1.0 || s == 0.0);
	return mean + sqrt(variance) * u * sqrt(-2.0 * log(s) / s);
}

/*
 * Prepares choosing i with a probability that is proportional to weights[i]:
 * what weighs less than the mean leaves the rest of its slot to one that weighs
 * more.  The weights are used up.
 */
void
AliasInit(Alias *alias, double *weights, uint32_t n)
{
	uint32_t   *small = Allocate(n, sizeof(uint32_t));
	uint32_t   *large = Allocate(n, sizeof(uint32_t));
	uint32_t	nsmall = 0;
	uint32_t	nlarge = 0;
	double		sum = 0.0;

	alias->n = n;
	alias->slots = Allocate(n, sizeof(AliasSlot));
	for (uint32_t i = 0; i < n; i++)
		sum += weights[i];
	for (uint32_t i = 0; i < n; i++)
	{
		weights[i] *= n / sum;
		if (weights[i] < 1.0)
			small[nsmall++] = i;
		else
			large[nlarge++] = i;
	}
	while (nsmall > 0 && nlarge > 0)
	{
		uint32_t	s = small[--nsmall];
		uint32_t	l = large[nlarge - 1];

		alias->slots[s].threshold = weights[s];
		alias->slots[s].other = l;
		weights[l] -= 1.0 - weights[s];
		if (weights[l] < 1.0)
		{
			nlarge--;
			small[nsmall++] = l;
		}
	}
	/* Rounding leaves some over, whose slots are full. */
	while (nsmall > 0)
		alias->slots[small[--nsmall]].threshold = 1.0;
	while (nlarge > 0)
		alias->slots[large[--nlarge]].threshold = 1.0;
	free(small);
	free(large);
}

void
BasketInit(Basket *basket, uint32_t nitems)
{
	memset(basket, 0, sizeof(Basket));
	basket->items = Allocate(nitems, sizeof(uint32_t));
	basket->stamp = Allocate(nitems, sizeof(uint64_t));
}

static char *
PutNumber(char *at, uint32_t number)
{
	char		digits[MAX_ITEM_TEXT];
	int			n = 0;

	do
	{
		digits[n++] = (char) ('0' + number % 10);
		number /= 10;
	} while (number > 0);
	while (n > 0)
		*at++ = digits[--n];
	return at;
}

/* A line of output; an empty transaction is an empty line. */
void
WriteTransaction(const Basket *transaction)
{
	static char buffer[BUFFER_SIZE];
	char	   *at = buffer;

	for (uint32_t i = 0; i < transaction->size; i++)
	{
		if (at + MAX_ITEM_TEXT > buffer + BUFFER_SIZE)
		{
			fwrite(buffer, 1, at - buffer, stdout);
			at = buffer;
		}
		at = PutNumber(at, transaction->items[i]);
		*at++ = i + 1 < transaction->size ? ' ' : '\n';
	}
	fwrite(buffer, 1, at - buffer, stdout);
	if (ferror(stdout))
		FinishOutput();
}

void
FinishOutput(void)
{
	if (fflush(stdout) != 0 || ferror(stdout))
		Fail("could not write to standard output");
}

double
ParseReal(const char *text, double low, double high, const char *option)
{
	char	   *end;
	double		value = strtod(text, &end);

	if (end == text || *end != '\0' || !(value >= low && value <= high))
	{
		fprintf(stderr, "%s: --%s must be a number from %g to %g\n", program_name, option, low, high);
		exit(2);
	}
	return value;
}

uint64_t
ParseCount(const char *text, uint64_t low, uint64_t high, const char *option)
{
	char	   *end;
	uint64_t	unit = 1;
	unsigned long long value;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (*end == 'K')
		unit = 1000;
	else if (*end == 'M')
		unit = 1000000;
	if (unit > 1)
		end++;
	if (errno != 0 || end == text || *end != '\0' || strchr(text, '-') != NULL ||
		value > high / unit || value * unit < low)
	{
		fprintf(stderr, "%s: --%s must be a whole number from %llu to %llu\n", program_name, option,
				(unsigned long long) low, (unsigned long long) high);
		exit(2);
	}
	return value * unit;
}

/* getopt_long() has said what is wrong. */
void
WrongOption(void)
{
	fprintf(stderr, "Try \"%s --help\".\n", program_name);
	exit(2);
}

void
NoMoreArguments(int argc, char **argv)
{
	if (optind < argc)
	{
		fprintf(stderr, "%s: unexpected argument \"%s\"\n", program_name, argv[optind]);
		WrongOption();
	}
}
