/*-------------------------------------------------------------------------
 *
 * repeats.c
 *	  Rows that are equal to one shortly before them.
 *
 * In many data sets many rows are equal.  A row that is found in a table of recent records
 * gets no record of its own, but is counted in the one that was found.  The table holds
 * the last record of each hash value, as long as that lies in memory.  While few rows are
 * found, fewer and fewer are looked up.
 *
 * A record of one row has no word for the number of rows.  When the same entries come a
 * second time, they are kept once more, as a record that has such a word.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "read/repeats.h"

/* No row is looked up before the source has filled about this many chunks. */
#define CHUNKS_TO_LOOK			32

#define RECENT_RECORDS			8192

/* The table of recent records may take one in ROOM_PART of the bytes that are left. */
#define ROOM_PART				16

/*
 * When ROWS_TO_JUDGE rows have been looked up and less than one in ROWS_TO_FIND has been
 * found, the next LEAST_TO_SKIP rows are not looked up.  Each time that this happens again,
 * twice as many are not, up to MOST_TO_SKIP.
 */
#define ROWS_TO_JUDGE			1024
#define ROWS_TO_FIND			4
#define LEAST_TO_SKIP			(16 * ROWS_TO_JUDGE)
#define MOST_TO_SKIP			(64 * LEAST_TO_SKIP)

typedef struct RecentRecord
{
	uint32	   *record;			/* NULL: none */
	uint32		hash;
} RecentRecord;

struct RecentRecords
{
	LedgerRelief relief;
	uint32		looked_up;		/* rows, since JudgeRepeats() judged last */
	uint32		found;			/* of these */
	uint32		to_skip;		/* rows, if the next judgement is that too few are found */
	RecentRecord recent[RECENT_RECORDS];
};

/* Forgets all records, because they are about to move to a file, where they cannot be compared. */
static void
ForgetRecords(void *arg)
{
	struct RecentRecords *records = arg;

	memset(records->recent, 0, sizeof(records->recent));
}

static struct RecentRecords *
RememberRecords(MemoryLedger *ledger)
{
	struct RecentRecords *records = LedgerAllocZero(ledger, sizeof(struct RecentRecords),
													"encoded rows");

	records->to_skip = LEAST_TO_SKIP;
	records->relief.relieve = ForgetRecords;
	records->relief.arg = records;
	LedgerAddRelief(ledger, &records->relief);
	return records;
}

/* Hashes two entries at a time.  The upper half of a product depends on all bits below it. */
static inline uint32
HashEntries(const uint32 *entries, uint32 n)
{
	uint64		h = n;
	uint64		word = 0;
	uint32		i = 0;

	for (; i + 2 <= n; i += 2)
	{
		memcpy(&word, entries + i, sizeof(word));
		h = (h ^ word) * UINT64CONST(0x9e3779b97f4a7c15);
		h ^= h >> 32;
	}
	if (i < n)
		h = (h ^ entries[i]) * UINT64CONST(0x9e3779b97f4a7c15);
	return (uint32) (h >> 32);
}

/* Counts a row that has been looked up, and decides from time to time whether to go on looking. */
static void
JudgeRepeats(GpufimRows *rows, bool found)
{
	struct RecentRecords *records = rows->recent;

	records->found += found;
	if (++records->looked_up < ROWS_TO_JUDGE)
		return;
	if (records->found * ROWS_TO_FIND < records->looked_up)
	{
		rows->not_looked_up = records->to_skip;
		records->to_skip = Min(2 * records->to_skip, MOST_TO_SKIP);
	}
	else
		records->to_skip = LEAST_TO_SKIP;
	records->looked_up = records->found = 0;
}

static inline bool
HasEntries(const uint32 *record, const uint32 *entries, uint32 nentries)
{
	const uint32 *others = record + (record[0] & RECORD_TIMES ? 2 : 1);

	return (record[0] & ~RECORD_TIMES) == nentries &&
		memcmp(others, entries, nentries * sizeof(uint32)) == 0;
}

/*
 * Completes a record with a word that counts its rows, of which there is one so far.  It
 * takes the room for one more entry that the caller of RecordRepeats() has reserved.
 */
static void
AdvanceWithTimes(GpufimRows *rows, uint32 *record, uint32 nentries)
{
	memmove(record + 2, record + 1, nentries * sizeof(uint32));
	record[0] = nentries | RECORD_TIMES;
	record[1] = 1;
	ChunkAdvance(&rows->records, 2 + nentries);
	rows->nmerged++;
	rows->nmerged_entries += nentries;
}

bool
LookUpRecord(GpufimRows *rows, uint32 *record, uint32 nentries)
{
	struct RecentRecords *records = rows->recent;
	RecentRecord *at;
	uint32		hash;
	bool		found;

	if (records == NULL)
	{
		if (rows->records.nchunks < CHUNKS_TO_LOOK ||
			LedgerRoom(rows->ledger) / ROOM_PART < sizeof(struct RecentRecords))
		{
			rows->not_looked_up = ROWS_TO_JUDGE;
			return false;
		}
		records = rows->recent = RememberRecords(rows->ledger);
	}
	hash = HashEntries(record + 1, nentries);
	at = &records->recent[hash % RECENT_RECORDS];
	found = at->record != NULL && at->hash == hash && HasEntries(at->record, record + 1, nentries);
	if (found && (at->record[0] & RECORD_TIMES) != 0)
		at->record[1]++;
	else
	{
		if (found)
			AdvanceWithTimes(rows, record, nentries);
		*at = (RecentRecord) {record, hash};
	}
	JudgeRepeats(rows, found);
	return found;
}
