/*-------------------------------------------------------------------------
 *
 * probabilities.c
 *	  What a source may give as probabilities, the errors about anything else, and reading
 *	  those of type numeric.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"
#include "read/read.h"
#include "read/rows.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/fmgrprotos.h"

static const SourceColumn *
ProbabilityColumn(const GpufimRows *rows)
{
	return SourceColumnOf(rows->source, ROLE_PROBABILITY);
}

void
RaiseNotProbability(const GpufimRows *rows, const SourceRow *row, float8 value)
{
	const SourceColumn *column = ProbabilityColumn(rows);

	ereport(ERROR,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 errmsg("%s in column \"%s\", named by \"%s\", is not a probability",
					float8out_internal(value), column->name, column->argument),
			 RowDetail(rows, row),
			 errhint("A probability is a number from 0 to 1.")));
}

void
RaiseNotAsMany(const GpufimRows *rows, int nitems, int nprobabilities)
{
	const SourceColumn *items = SourceColumnOf(rows->source, ROLE_ITEMS);
	const SourceColumn *column = ProbabilityColumn(rows);

	ereport(ERROR,
			(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
			 errmsg("an array in column \"%s\", named by \"%s\", is not as long as that in column \"%s\"",
					column->name, column->argument, items->name),
			 rows->numbered ?
			 errdetail("Items in row %lld of the source: %d; probabilities: %d.",
					   (long long) rows->rows_read, nitems, nprobabilities) :
			 errdetail("Items in a row of the source: %d; probabilities: %d.",
					   nitems, nprobabilities)));
}

/* An errhint() with the clauses that find pairs with several probabilities, for the pair form. */
static int
PairsHint(const GpufimRows *rows)
{
	const SourceColumn *transaction = SourceColumnOf(rows->source, ROLE_TRANSACTION);
	const SourceColumn *item = SourceColumnOf(rows->source, ROLE_ITEM);
	const char *probability;

	if (transaction == NULL)
		return 0;
	probability = quote_identifier(ProbabilityColumn(rows)->name);
	return errhint("To find such items, GROUP BY %s, %s HAVING min(%s) <> max(%s).",
				   quote_identifier(transaction->name), quote_identifier(item->name),
				   probability, probability);
}

void
RaiseTwoProbabilities(const GpufimRows *rows, const SourceRow *row, uint32 item,
					  float8 one, float8 other)
{
	StringInfoData text;

	initStringInfo(&text);
	AppendClipped(&text, ValueText(rows->items->type->type_id, rows->items->entries[item].value));
	ereport(ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 errmsg("item \"%s\" is in one transaction with different probabilities, %s and %s",
					text.data, float8out_internal(one), float8out_internal(other)),
			 row == NULL ? 0 : RowDetail(rows, row),
			 PairsHint(rows)));
}

/*
 * Values of type numeric as float8.
 *
 * PostgreSQL does not export the format of a numeric.  But values lie in tables in that
 * format, which has been the same since version 9.1 and cannot change as long as pg_upgrade
 * keeps tables: a header of 16 bits, and digits in base 10000.  If the number is positive
 * or 0, the header begins with the bits 100 or 00, which say where the weight of the first
 * digit is:
 *
 * 	100		short format: the header's last seven bits are the signed weight
 * 	00		long format: 16 bits with the weight follow
 *
 * All others, which are negative or no numbers, are left to the cast.
 */

#define FORM_MASK			0xE000	/* of the short format, with the number's sign */
#define SHORT_FORM			0x8000
#define SHORT_WEIGHT_SIGN	0x0040
#define SHORT_WEIGHT_MASK	0x003F
#define LONG_FORM_MASK		0xC000

#define BASE				10000
#define DECIMALS			4	/* of a digit */

/* A float8 is exact for whole numbers up to MOST_EXACT and for powers of ten up to 10^MOST_POWER. */
#define MOST_EXACT			(UINT64CONST(1) << 53)
#define MOST_POWER			22

static const float8 powers_of_ten[MOST_POWER + 1] = {
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
	1e17, 1e18, 1e19, 1e20, 1e21, 1e22
};

/* A positive number or 0: its n digits, which may not be aligned, and the first one's power of BASE. */
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

/* Finds the digits of a numeric.  Returns false if it is negative or no number. */
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
 * Divides the digits, as a whole number, by a power of ten.  If both are exact as float8s,
 * their quotient is the float8 that is nearest to the number (W. D. Clinger, "How to read
 * floating point numbers accurately", PLDI 1990), as the result of the cast is.  Returns
 * false if they are not.
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

/* Says where the number is that the cast cannot convert. */
static void
CastCallback(void *arg)
{
	const GpufimRows *rows = arg;
	const SourceColumn *column = ProbabilityColumn(rows);

	if (rows->numbered)
		errcontext("row %lld of the source, column \"%s\", named by \"%s\"",
				   (long long) rows->rows_read, column->name, column->argument);
	else
		errcontext("column \"%s\", named by \"%s\"", column->name, column->argument);
}

static float8
Cast(Datum value, const GpufimRows *rows)
{
	MemoryContext old = MemoryContextSwitchTo(rows->ledger->scratch);
	ErrorContextCallback callback = {error_context_stack, CastCallback, unconstify(GpufimRows *, rows)};
	float8		result;

	error_context_stack = &callback;
	result = DatumGetFloat8(DirectFunctionCall1(numeric_float8, value));
	error_context_stack = callback.previous;
	MemoryContextSwitchTo(old);
	return result;
}

float8
NumericToFloat8(Datum value, const GpufimRows *rows)
{
	struct varlena *pointer = (struct varlena *) DatumGetPointer(value);
	Digits		digits;
	float8		result;

	if (VARATT_IS_COMPRESSED(pointer) || VARATT_IS_EXTERNAL(pointer) ||
		!FindDigits(VARDATA_ANY(pointer), VARSIZE_ANY_EXHDR(pointer), &digits) ||
		!Quotient(&digits, &result))
		return Cast(value, rows);
	return result;
}
