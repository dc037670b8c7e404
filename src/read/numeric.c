/*-------------------------------------------------------------------------
 *
 * numeric.c
 *	  Values of type numeric as float8.
 *
 * PostgreSQL keeps the form of a numeric to itself, but it is that of the values in
 * tables, which has been the same since version 9.1 and cannot change as long as
 * pg_upgrade keeps tables: a header, and digits in base 10000.  The header says whether the number
 * is positive, and the weight of its first digit:
 *
 *		10......	short: seven bits of weight, with a sign, are its last ones
 *		00......	long: 16 bits with the weight follow
 *
 * All others, which are negative or no numbers, are left to the cast.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "read/numeric.h"
#include "utils/fmgrprotos.h"

#define FORM_MASK			0xE000	/* and the sign of a short one */
#define SHORT_FORM			0x8000
#define SHORT_WEIGHT_SIGN	0x0040
#define SHORT_WEIGHT_MASK	0x003F
#define LONG_FORM_MASK		0xC000

#define BASE				10000
#define DECIMALS			4	/* of a digit */

/* All whole numbers up to this one are float8s, and so are these powers of ten. */
#define MOST_EXACT			(UINT64CONST(1) << 53)
#define MOST_POWER			22

static const float8 powers_of_ten[MOST_POWER + 1] = {
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
	1e17, 1e18, 1e19, 1e20, 1e21, 1e22
};

/* A positive number: its digits, which may not be aligned, and the power of the first one. */
typedef struct Digits
{
	const char *at;
	int			n;
	int			weight;
} Digits;

static inline uint16
HalfWord(const char *at)
{
	uint16		word;

	memcpy(&word, at, sizeof(word));
	return word;
}

/* False if it is not positive. */
static inline bool
FindDigits(const char *data, int size, Digits *digits)
{
	uint16		header = HalfWord(data);
	int			header_size = sizeof(uint16);

	if ((header & FORM_MASK) == SHORT_FORM)
		digits->weight = (header & SHORT_WEIGHT_MASK) -
			(header & SHORT_WEIGHT_SIGN ? SHORT_WEIGHT_MASK + 1 : 0);
	else if ((header & LONG_FORM_MASK) == 0)
	{
		digits->weight = (int16) HalfWord(data + header_size);
		header_size += sizeof(int16);
	}
	else
		return false;
	digits->at = data + header_size;
	digits->n = (size - header_size) / (int) sizeof(int16);
	return true;
}

/*
 * The quotient of a whole number and a power of ten that are both float8s is the float8 that is
 * nearest to the number (W. D. Clinger, "How to read floating point numbers accurately",
 * PLDI 1990), as that of the cast is.  False if the number is not such a quotient.
 */
static inline bool
Quotient(const Digits *digits, float8 *result)
{
	uint64		whole = 0;
	int			scale = digits->n > 0 ? DECIMALS * (digits->n - 1 - digits->weight) : 0;

	for (int i = 0; i < digits->n; i++)
	{
		if (whole >= PG_UINT64_MAX / BASE)
			return false;
		whole = whole * BASE + HalfWord(digits->at + i * sizeof(int16));
	}
	for (; whole > MOST_EXACT && whole % 10 == 0; scale--)
		whole /= 10;
	if (whole > MOST_EXACT || scale < 0 || scale > MOST_POWER)
		return false;
	*result = (float8) whole / powers_of_ten[scale];
	return true;
}

static float8
Cast(Datum value, MemoryContext scratch)
{
	MemoryContext old = MemoryContextSwitchTo(scratch);
	float8		result = DatumGetFloat8(DirectFunctionCall1(numeric_float8, value));

	MemoryContextSwitchTo(old);
	return result;
}

float8
NumericToFloat8(Datum value, MemoryContext scratch)
{
	struct varlena *pointer = (struct varlena *) DatumGetPointer(value);
	Digits		digits;
	float8		result;

	if (VARATT_IS_COMPRESSED(pointer) || VARATT_IS_EXTERNAL(pointer) ||
		!FindDigits(VARDATA_ANY(pointer), VARSIZE_ANY_EXHDR(pointer), &digits) ||
		!Quotient(&digits, &result))
		return Cast(value, scratch);
	return result;
}
