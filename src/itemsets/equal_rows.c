/*-------------------------------------------------------------------------
 *
 * equal_rows.c
 *	  Whether many rows will be equal once their infrequent items are gone.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "engine/hash.h"
#include "itemsets/equal_rows.h"
#include "miscadmin.h"

#define INTERRUPT_ITEMS			65536

/*
 * Where the source is sorted, neighboring records are often equal.  So only one record in
 * RECORD_STEP is taken.
 */
#define RECORD_STEP				8

/* Add a record's frequent items, if it has some and matters. */
static void
AddRecord(FimRowSample *sample, const GpufimItems *items, const uint32 *row, uint32 nrow)
{
	uint64		hash = 0;		/* a sum, because the items of a record are in no particular
								 * order */
	uint32		found = 0;
	uint32		n = 0;

	for (uint32 i = 0; i < nrow; i++)
	{
		uint32		number = MappedItem(items, row[i]);

		if (number < items->nitems)
		{
			hash += FimHash64((uint64) number + 1);
			n++;
		}
		found += number - MAP_REQUIRED < items->nrequired;
		if (i % INTERRUPT_ITEMS == INTERRUPT_ITEMS - 1)
			CHECK_FOR_INTERRUPTS();
	}
	if (found == items->nrequired && nrow >= items->least_length && n > 0)
		FimRowSampleAdd(sample, hash, n);
}

/* Add nrecords records of a chunk, or fewer if it does not have that many. */
static void
AddChunk(FimRowSample *sample, GpufimRows *rows, const GpufimItems *items, Chunk *chunk,
		 uint64 nrecords)
{
	ChunkList	list = {.chunks = chunk, .nchunks = 1};
	RecordReader reader;
	const uint32 *row;
	uint32		nrow;

	RecordReaderBegin(&reader, rows, &list, false);
	for (uint64 i = 0; i < nrecords * RECORD_STEP && RecordReaderNext(&reader, &row, &nrow); i++)
	{
		if (i % RECORD_STEP == 0)
			AddRecord(sample, items, row, nrow);
	}
	RecordReaderEnd(&reader);
}

void
SampleRows(FimRowSample *sample, GpufimRows *rows, const GpufimItems *items, uint64 kept,
		   FimHost *host)
{
	ChunkList  *list = &rows->records;
	uint64		nrecords = rows->layout.merged ? rows->nmerged : rows->transactions;
	uint64		wanted = nrecords * FimRowSampleEnough(kept) / Max(kept, 1);
	uint64		nchunks = Min(list->nchunks, wanted);

	if (!FimRowSampleBegin(sample, wanted + nchunks, host))
		elog(ERROR, "a sample of rows got no memory");
	for (uint64 i = 0; i < nchunks; i++)
		AddChunk(sample, rows, items, &list->chunks[i * list->nchunks / nchunks],
				 wanted / nchunks + 1);
}
