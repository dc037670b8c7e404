/*-------------------------------------------------------------------------
 *
 * records.c
 *	  The bytes of the records of a transaction_set.
 *
 * A record is a transaction, or several with the same items.  It begins with a varint, twice the number of items, plus 1 if another
 * varint follows, which says for how many transactions the record stands.  A varint has 7 bits in each byte, the lowest first, and
 * the highest bit of all bytes but the last is set.
 *
 * The items follow in ascending order, as differences: the number of the first, and of each other how far it lies behind the one
 * before, less 1.  Frequent items have small numbers, so most of these take one byte, and none takes more than four.  How many each
 * takes stands before them all, less 1 in two bits, those of four items in a byte.  So the places of four differences are known before
 * any of them has been read.  The bytes are the same on all machines.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "port/pg_bswap.h"
#include "transaction_set/transaction_set.h"

/* Records between two checks for interrupts. */
#define INTERRUPT_RECORDS	1024

uint8 *
PutVarint(uint8 *to, uint64 number)
{
	for (; number > 0x7F; number >>= 7)
		*to++ = (uint8) (number | 0x80);
	*to++ = (uint8) number;
	return to;
}

/* The bytes that say how long the differences of n items are. */
#define LENGTHS_BYTES(n)	(((Size) (n) + 3) / 4)

/* Write four bytes, the lowest first. */
static inline void
PutWord(uint8 *to, uint32 word)
{
#ifdef WORDS_BIGENDIAN
	word = pg_bswap32(word);
#endif
	memcpy(to, &word, sizeof(word));
}

uint8 *
PutRecord(uint8 *to, const uint32 *items, uint32 n)
{
	uint32		next = 0;
	uint8	   *lengths;

	to = PutVarint(to, 2 * (uint64) n);
	lengths = to;
	memset(lengths, 0, LENGTHS_BYTES(n));
	to += LENGTHS_BYTES(n);
	/* the bytes of a word that are not needed are written over, since no branch can tell well how many are */
	for (uint32 i = 0; i < n; i++)
	{
		uint32		difference = items[i] - next;
		uint32		length = pg_leftmost_one_pos32(difference | 1) / 8;

		PutWord(to, difference);
		to += 1 + length;
		lengths[i / 4] |= length << 2 * (i % 4);
		next = items[i] + 1;
	}
	return to;
}

pg_noreturn static void
RaiseRecordsEnd(void)
{
	RaiseDamaged("Its records end within a number.");
}

/* The rest of a varint whose first byte has been read. */
static pg_noinline uint64
VarintRest(RecordBytes *from, uint64 number)
{
	number &= 0x7F;
	for (int shift = 7; shift < 35; shift += 7)
	{
		uint64		byte;

		if (from->at == from->end)
			RaiseRecordsEnd();
		byte = *from->at++;
		number |= (byte & 0x7F) << shift;
		if (byte <= 0x7F)
			return number;
	}
	RaiseDamaged("A number in its records is too large.");
}

static uint64
NextVarint(RecordBytes *from)
{
	uint64		byte;

	if (from->at == from->end)
		RaiseRecordsEnd();
	byte = *from->at++;
	return byte <= 0x7F ? byte : VarintRest(from, byte);
}

bool
SetNextRecord(RecordBytes *from, uint32 *n, uint32 *times)
{
	uint64		head;
	uint64		count = 1;

	if (from->at == from->end)
		return false;
	head = NextVarint(from);
	if (head / 2 > from->nitems)
		RaiseDamaged("A record has more items than there are.");
	*n = (uint32) (head / 2);
	if (head % 2 == 1)
		count = NextVarint(from);
	if (count == 0 || count >= FIM_MAX_TRANSACTIONS)
		RaiseDamaged("A record stands for no transaction, or for too many.");
	*times = (uint32) count;
	return true;
}

/* The four bytes from a place on. */
static inline uint32
WordAt(const uint8 *at)
{
	uint32		word;

	memcpy(&word, at, sizeof(word));
#ifdef WORDS_BIGENDIAN
	word = pg_bswap32(word);
#endif
	return word;
}

/* A difference of so many bytes and one. */
static inline uint32
DifferenceAt(const uint8 *at, uint32 length)
{
	uint32		difference = 0;

	for (uint32 i = 0; i <= length; i++)
		difference |= (uint32) at[i] << 8 * i;
	return difference;
}

void
SetNextItems(RecordBytes *from, uint32 *items, uint32 n)
{
	static const uint32 masks[] = {0xFF, 0xFFFF, 0xFFFFFF, 0xFFFFFFFF};
	const uint8 *lengths = from->at;
	const uint8 *at = lengths + LENGTHS_BYTES(n);
	uint64		next = 0;
	uint32		i = 0;

	if (from->end - lengths < LENGTHS_BYTES(n))
		RaiseRecordsEnd();
	/* four at a time, as long as they and what is read behind them end before the end */
	for (; i < n && from->end - at >= 16; i += 4)
	{
		uint32		four = *lengths++;
		uint32		length[] = {four & 3, (four >> 2) & 3, (four >> 4) & 3, four >> 6};
		const uint8 *ends[4];
		uint64		sums[4];
		uint32		last = Min(n - i, 4) - 1;

		ends[0] = at + 1 + length[0];
		ends[1] = ends[0] + 1 + length[1];
		ends[2] = ends[1] + 1 + length[2];
		ends[3] = ends[2] + 1 + length[3];
		sums[0] = next + (WordAt(at) & masks[length[0]]);
		sums[1] = sums[0] + 1 + (WordAt(ends[0]) & masks[length[1]]);
		sums[2] = sums[1] + 1 + (WordAt(ends[1]) & masks[length[2]]);
		sums[3] = sums[2] + 1 + (WordAt(ends[2]) & masks[length[3]]);
		items[i] = (uint32) sums[0];
		items[i + 1] = (uint32) sums[1];
		items[i + 2] = (uint32) sums[2];
		items[i + 3] = (uint32) sums[3];
		if (last == 3)
		{
			next = sums[3] + 1;
			at = ends[3];
			continue;
		}
		next = sums[last] + 1;
		at = ends[last];
	}
	for (; i < n; i++)
	{
		uint32		length = (from->at[i / 4] >> 2 * (i % 4)) & 3;

		if (from->end - at <= length)
			RaiseRecordsEnd();
		next += DifferenceAt(at, length);
		items[i] = (uint32) next++;
		at += 1 + length;
	}
	from->at = at;
	/* numbers ascend, so the last one tells of all */
	if (next > from->nitems)
		RaiseDamaged("A record has an item that is not in the dictionary.");
}

uint32 *
CountRecords(SetParts *parts)
{
	RecordBytes bytes = RecordsOfSet(parts);
	uint32	   *supports = palloc_extended(((Size) parts->nitems + 1) * sizeof(uint32), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	uint32	   *items = palloc_extended(((Size) parts->nitems + SPARE_ITEMS) * sizeof(uint32), MCXT_ALLOC_HUGE);
	uint32		n;
	uint32		times;

	parts->nrecords = parts->longest = 0;
	parts->transactions = parts->entries = 0;
	while (SetNextRecord(&bytes, &n, &times))
	{
		if (parts->nrecords++ % INTERRUPT_RECORDS == 0)
			CHECK_FOR_INTERRUPTS();
		SetNextItems(&bytes, items, n);
		for (uint32 i = 0; i < n; i++)
			supports[items[i]] += times;
		parts->longest = Max(parts->longest, n);
		parts->transactions += times;
		parts->entries += (uint64) n * times;
		if (parts->transactions >= FIM_MAX_TRANSACTIONS)
			RaiseTooManyTransactions();
	}
	pfree(items);
	return supports;
}

uint32 *
SetSupports(const SetParts *parts)
{
	RecordBytes bytes = {parts->supports, parts->supports + parts->supports_size};
	uint32	   *supports = palloc_extended(((Size) parts->nitems + 1) * sizeof(uint32), MCXT_ALLOC_HUGE);

	for (uint32 i = 0; i < parts->nitems; i++)
		supports[i] = (uint32) NextVarint(&bytes);
	return supports;
}
