/*-------------------------------------------------------------------------
 *
 * images.c
 *	  Values of results, made ready once as the bytes that stand for them.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "images.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#define FIRST_BLOCK		1024
#define LARGEST_BLOCK	(1024 * 1024)

void
ImageMakerInit(ImageMaker *maker, MemoryLedger *ledger, Oid type, Oid result_type,
			   const char *what)
{
	memset(maker, 0, sizeof(ImageMaker));
	maker->context = CurrentMemoryContext;
	maker->ledger = ledger;
	maker->what = what;
	maker->as_text = result_type == TEXTOID && type != TEXTOID;
	maker->block_size = FIRST_BLOCK;
	if (maker->as_text)
	{
		Oid			function;
		bool		varlena;

		getTypeOutputInfo(type, &function, &varlena);
		fmgr_info(function, &maker->output);
	}
}

Datum
ImageValue(ImageMaker *maker, Datum value)
{
	if (maker->as_text)
		return CStringGetTextDatum(OutputFunctionCall(&maker->output, value));
	return value;
}

static char *
AllocateBytes(ImageMaker *maker, size_t size)
{
	LedgerMakeRoom(maker->ledger, size, maker->what);
	return MemoryContextAllocHuge(maker->context, size);
}

/* Large images have a block of their own. */
char *
ImageBytes(ImageMaker *maker, size_t size)
{
	char	   *bytes;

	if (size > maker->block_left)
	{
		bool		large = size > maker->block_size / 4;

		maker->block_size = Min(2 * maker->block_size, LARGEST_BLOCK);
		bytes = AllocateBytes(maker, large ? size : maker->block_size);
		if (!large)
		{
			maker->block = bytes + size;
			maker->block_left = maker->block_size - size;
		}
	}
	else
	{
		bytes = maker->block;
		maker->block += size;
		maker->block_left -= size;
	}
	memset(bytes, 0, size);
	return bytes;
}
