/*-------------------------------------------------------------------------
 *
 * minsup.c
 *	  The threshold that a user's "minsup" means, as a number of transactions.
 *
 * engine.h states the rule and why it holds.
 *
 *-------------------------------------------------------------------------
 */
#include "engine.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>


#define MAX_DIGITS			17	/* of the shortest decimal of a double */
#define TRANSACTION_DIGITS	10	/* of numbers below 2^32 */

/* The decimal 0.DIGITS times ten to the power of -zeros. */
typedef struct Decimal
{
	int			ndigits;		/* the last one is not 0 */
	int			zeros;
	unsigned char digits[MAX_DIGITS];
} Decimal;

/*
 * Round f to ndigits digits.  Returns false if these are read as another double, or as another
 * float if "single".
 */
static bool
RoundedDecimal(double f, bool single, int ndigits, Decimal *decimal)
{
	char		text[MAX_DIGITS + 16];
	char	   *at = text;

	snprintf(text, sizeof(text), "%.*e", ndigits - 1, f);
	if (single ? strtof(text, NULL) != (float) f : strtod(text, NULL) != f)
		return false;
	decimal->ndigits = 0;
	for (int n = 0; *at != 'e'; at++)
	{
		if (*at < '0' || *at > '9')
			continue;
		decimal->digits[n++] = (unsigned char) (*at - '0');
		if (*at > '0')
			decimal->ndigits = n;
	}
	decimal->zeros = -(atoi(at + 1) + 1);
	return true;
}

/*
 * Find the shortest decimal that is read as f.  A double has at most one decimal of DBL_DIG
 * digits that is read as it, and a float at most one of FLT_DIG.  So if a shorter decimal is read
 * as f, that one is found here, too, with zeros at its end, which RoundedDecimal() removes.
 */
static void
ShortestDecimal(double f, bool single, Decimal *decimal)
{
	int			ndigits = single ? FLT_DIG : DBL_DIG;

	while (!RoundedDecimal(f, single, ndigits, decimal))
		ndigits++;
}

/* ceil(decimal * n), for a decimal above 0 and below 1, and n above 0. */
static uint64_t
CeilingOfProduct(const Decimal *decimal, uint64_t n)
{
	unsigned char product[MAX_DIGITS + TRANSACTION_DIGITS] = {0}; /* last digit first */
	int			length = 0;
	int			after_point = decimal->ndigits + decimal->zeros;
	uint64_t	carry = 0;
	uint64_t	whole = 0;
	bool		rest = false;

	for (int i = decimal->ndigits - 1; i >= 0 || carry > 0; i--)
	{
		carry += i >= 0 ? decimal->digits[i] * n : 0;
		product[length++] = (unsigned char) (carry % 10);
		carry /= 10;
	}
	for (int i = length - 1; i >= 0; i--)
	{
		if (i >= after_point)
			whole = whole * 10 + product[i];
		else
			rest = rest || product[i] > 0;
	}
	return whole + rest;
}

/* Returns the s from 1 to n for which s / n is nearest to f. */
static uint64_t
NearestNumerator(double f, uint64_t n)
{
	double		s = floor(f * (double) n + 0.5);

	return s < 1 ? 1 : (uint64_t) s;
}

/* Rule 1: is f the double nearest to s / n, or one beside it? */
static bool
IsQuotient(double f, uint64_t s, uint64_t n)
{
	double		quotient = (double) s / (double) n;

	return nextafter(quotient, 0) <= f && f <= nextafter(quotient, 2);
}

/* Rule 2: is f the float4 nearest to s / n? */
static bool
IsSingleQuotient(double f, uint64_t s, uint64_t n)
{
	return (float) ((double) s / (double) n) == (float) f;
}

/* Does f mean a whole number of n transactions, *s?  If not, *decimal becomes the decimal that it means. */
static bool
MeansWholeNumber(double f, uint64_t n, uint64_t *s, Decimal *decimal)
{
	*s = NearestNumerator(f, n);
	if (IsQuotient(f, *s, n))
		return true;
	ShortestDecimal(f, false, decimal);
	if ((double) (float) f == f)
	{
		Decimal		single;

		ShortestDecimal(f, true, &single);
		if (single.ndigits < decimal->ndigits)
		{
			if (IsSingleQuotient(f, *s, n) && !IsSingleQuotient(f, *s - 1, n) &&
				!IsSingleQuotient(f, *s + 1, n))
				return true;
			*decimal = single;
		}
	}
	return false;
}

bool
FimFractionIsWhole(double minsup, uint64_t transactions, uint32_t *whole, char *text)
{
	uint64_t	s;
	Decimal		decimal;

	if (MeansWholeNumber(minsup, transactions, &s, &decimal))
	{
		*whole = (uint32_t) s;
		return true;
	}
	for (int i = 0; i < decimal.ndigits; i++)
		*text++ = (char) ('0' + decimal.digits[i]);
	snprintf(text, FIM_DECIMAL_TEXT - MAX_DIGITS, "e%d", -(decimal.ndigits + decimal.zeros));
	return false;
}

uint32_t
FimThreshold(double minsup, uint64_t transactions)
{
	uint64_t	s;
	Decimal		decimal;

	if (minsup >= 1)
		return minsup >= FIM_MAX_TRANSACTIONS ? FIM_MAX_TRANSACTIONS : (uint32_t) minsup;
	if (transactions == 0)
		return 1;
	return (uint32_t) (MeansWholeNumber(minsup, transactions, &s, &decimal) ? s :
					   CeilingOfProduct(&decimal, transactions));
}
