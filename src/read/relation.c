/*-------------------------------------------------------------------------
 *
 * relation.c
 *	  Reading sources as relations: pairs of a value and a key.
 *
 * A row of a source stands for a pair of the left relation, or of the right relation, or for one
 * of each if both have the same source.  A row with an array stands for a pair with each of the
 * array's elements.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "engine/family.h"
#include "gpufim.h"
#include "read/relation.h"
#include "transaction_set/transaction_set.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "work/work.h"

#define NO_COLUMN		(-1)

/* Numbers of rows have 32 bits, and the greatest number stands for none. */
#define MOST_ROWS		(UINT32_MAX - 1)

/* Elements of an array between two checks for interrupts. */
#define INTERRUPT_ELEMENTS	65536

/* A relation, and its columns in the source that is being read. */
typedef struct Part
{
	PairRelation *relation;
	Dictionary *keys;			/* NULL if the number of the row is the key */
	int			key;			/* index of the source's column; NO_COLUMN: the number of the row */
	int			value;
	bool		key_is_array;
	bool		value_is_array;
	bool		is_sets;		/* in place of arrays */
} Part;

/* A row with a key and a value that are not looked up yet. */
typedef struct WaitingRow
{
	WaitingValue key;
	WaitingValue value;
	bool		no_value;		/* it is NULL */
} WaitingRow;

/* What a process must know to read a relation or two; see OpenSource. */
typedef struct PairInput
{
	int			nparts;
	int			key[2];
	int			value[2];
	Oid			collation;		/* by which keys are compared */
} PairInput;

typedef struct PairReceiver
{
	Receiver	base;			/* must be first */
	PairInput	input;
	AlignedBuffer aligned;
	Part		parts[2];		/* set by the caller, or from the input */

	/* Rows wait here for a moment, while what their dictionaries need is fetched into the cache. */
	WaitingRow	waiting[2][WAITING_PAIRS];
	uint32		nwaiting[2];	/* of each part */

	uint32		with_array;		/* rows with an array, and with a value beside it if one is wanted; transactions of sets */
} PairReceiver;

static void
RaiseTooManyRows(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("too many rows"),
			 errdetail("At most %u arrays can be taken in one call.", MOST_ROWS),
			 errhint("Select fewer rows.")));
}

/* Returns memory for n pairs at the end of a relation. */
static uint32 *
ReservePairs(PairRelation *relation, uint32 n)
{
	return ChunkReserve(relation->rows, &relation->rows->records, n * PAIR_WORDS);
}

/* Add the n pairs that have been written to that memory. */
static void
AdvancePairs(PairRelation *relation, uint32 n)
{
	ChunkAdvance(&relation->rows->records, n * PAIR_WORDS);
	relation->rows->transactions += n;
}

/* Count n more pairs of a value. */
static inline void
CountValue(Dictionary *values, uint32 value, uint32 n)
{
	DictionaryEntry *entry = &values->entries[value];

	entry->count += Min(n, UINT32_MAX - entry->count);
}

/* Fetch what the dictionaries of a part need for its waiting rows.  For integers it has been fetched when they came. */
static void
FetchForWaiting(PairReceiver *receiver, int which)
{
	const Part *part = &receiver->parts[which];
	WaitingRow *row = receiver->waiting[which];
	uint32		n = receiver->nwaiting[which];
	const Dictionary *values = part->relation->rows->items;

	if (part->keys->kind == DICTIONARY_INTEGER && values->kind == DICTIONARY_INTEGER)
		return;
	for (uint32 i = 0; i < n; i++)
	{
		DictionaryFetchEntry(part->keys, &row[i].key);
		if (!row[i].no_value)
			DictionaryFetchEntry(values, &row[i].value);
	}
	for (uint32 i = 0; i < n; i++)
	{
		DictionaryFetchBytes(part->keys, &row[i].key);
		if (!row[i].no_value)
			DictionaryFetchBytes(values, &row[i].value);
	}
}

/* Take the pairs of a part's waiting rows. */
static pg_noinline void
TakeWaiting(PairReceiver *receiver, int which)
{
	const Part *part = &receiver->parts[which];
	const WaitingRow *row = receiver->waiting[which];
	uint32		n = receiver->nwaiting[which];
	Dictionary *values = part->relation->rows->items;
	uint32	   *pair = ReservePairs(part->relation, n);
	uint32		taken = 0;

	FetchForWaiting(receiver, which);
	for (uint32 i = 0; i < n; i++)
	{
		uint32		key = DictionaryWaited(part->keys, &row[i].key);
		uint32		value;

		if (row[i].no_value)
			continue;
		value = DictionaryWaited(values, &row[i].value);
		DictionaryPrefetchEntry(values, value);
		pair[PAIR_WORDS * taken] = key;
		pair[PAIR_WORDS * taken + 1] = value;
		taken++;
	}
	for (uint32 i = 0; i < taken; i++)
		CountValue(values, pair[PAIR_WORDS * i + 1], 1);
	AdvancePairs(part->relation, taken);
	receiver->nwaiting[which] = 0;
}

/* Let a row wait until there are WAITING_PAIRS such rows.  Returns false if its key or its value cannot wait. */
static bool
LetRowWait(PairReceiver *receiver, int which, const SourceRow *row)
{
	const Part *part = &receiver->parts[which];
	WaitingRow *waiting = &receiver->waiting[which][receiver->nwaiting[which]];

	if (!DictionaryLetWait(part->keys, RowValue(row, part->key), &waiting->key))
		return false;
	waiting->no_value = RowIsNull(row, part->value);
	if (!waiting->no_value &&
		!DictionaryLetWait(part->relation->rows->items, RowValue(row, part->value), &waiting->value))
		return false;
	if (++receiver->nwaiting[which] == WAITING_PAIRS)
		TakeWaiting(receiver, which);
	return true;
}

/*
 * Take the pair of a row.  The key gets a number even if the value is NULL, because it may be a
 * transaction without items.
 */
static void
TakePair(PairReceiver *receiver, int which, const SourceRow *row)
{
	const Part *part = &receiver->parts[which];
	Dictionary *values = part->relation->rows->items;
	uint32	   *pair;
	uint32		key;
	uint32		value;

	if (RowIsNull(row, part->key))
		return;
	if (LetRowWait(receiver, which, row))
		return;
	if (receiver->nwaiting[which] > 0)
		TakeWaiting(receiver, which);
	key = LookupItem(part->keys, RowValue(row, part->key));
	if (RowIsNull(row, part->value))
		return;
	value = LookupItem(values, RowValue(row, part->value));
	CountValue(values, value, 1);
	pair = ReservePairs(part->relation, 1);
	pair[0] = key;
	pair[1] = value;
	AdvancePairs(part->relation, 1);
}

/* The number of the key or value that a row has beside its array; DICTIONARY_NONE if it is NULL. */
static uint32
BesideArray(PairReceiver *receiver, const Part *part, const SourceRow *row)
{
	int			column = part->key_is_array ? part->value : part->key;
	Dictionary *dictionary = part->key_is_array ? part->relation->rows->items : part->keys;

	if (column == NO_COLUMN)
	{
		if (receiver->base.rows->rows_read > MOST_ROWS)
			RaiseTooManyRows();
		return (uint32) (receiver->base.rows->rows_read - 1);
	}
	if (RowIsNull(row, column))
		return DICTIONARY_NONE;
	return LookupItem(dictionary, RowValue(row, column));
}

/*
 * Take the pairs of a row with an array.  Until the pairs are written, the second half of their
 * memory has the numbers of the elements.  Pair i is written to words 2i and 2i + 1, which are not
 * beyond number i, in word n + i, so that no number is overwritten before it has been read.
 */
static void
TakeArray(PairReceiver *receiver, const Part *part, const SourceRow *row)
{
	PairRelation *relation = part->relation;
	Dictionary *elements = part->key_is_array ? part->keys : relation->rows->items;
	int			column = part->key_is_array ? part->key : part->value;
	uint32		beside;
	ArrayType  *array;
	uint32		n;
	uint32	   *pair;
	uint32	   *ids;
	uint32		taken = 0;

	if (RowIsNull(row, column))
		return;
	beside = BesideArray(receiver, part, row);
	if (beside == DICTIONARY_NONE)
		return;
	receiver->with_array++;
	array = AlignedArray(receiver->base.ledger, &receiver->aligned, RowValue(row, column));
	n = CountElements(array);
	pair = ReservePairs(relation, n);
	ids = pair + n;
	FindArray(elements, array, n, ids);
	for (uint32 i = 0; i < n; i++)
	{
		uint32		id = ids[i];

		if (i % INTERRUPT_ELEMENTS == INTERRUPT_ELEMENTS - 1)
			CHECK_FOR_INTERRUPTS();
		if (id == DICTIONARY_NONE)
			continue;
		if (!part->key_is_array)
			CountValue(elements, id, 1);
		pair[PAIR_WORDS * taken] = part->key_is_array ? id : beside;
		pair[PAIR_WORDS * taken + 1] = part->key_is_array ? beside : id;
		taken++;
	}
	if (part->key_is_array && part->value != NO_COLUMN)
		CountValue(relation->rows->items, beside, taken);
	AdvancePairs(relation, taken);
}

/* Adds the pairs of a record of a set, which stands for a number of transactions: each has the next number. */
static void
AddRecordPairs(PairRelation *relation, bool key_is_item, const uint32 *items, uint32 n, uint32 times, uint32 *ntransactions)
{
	Dictionary *values = relation->rows->items;

	if (times > MOST_ROWS - *ntransactions)
		RaiseTooManyRows();
	for (uint32 i = 0; i < n && !key_is_item; i++)
		CountValue(values, items[i], times);
	for (; times > 0; times--, (*ntransactions)++)
	{
		uint32	   *pair = ReservePairs(relation, n);

		CHECK_FOR_INTERRUPTS();
		for (uint32 i = 0; i < n; i++)
		{
			pair[PAIR_WORDS * i] = key_is_item ? items[i] : *ntransactions;
			pair[PAIR_WORDS * i + 1] = key_is_item ? *ntransactions : items[i];
		}
		AdvancePairs(relation, n);
	}
}

/* Adds those of a set.  The map has the dictionary's numbers of its items; if it is NULL, they are the same. */
static void
AddSetPairs(PairRelation *relation, bool key_is_item, const SetParts *parts, const uint32 *map, uint32 *ntransactions)
{
	MemoryLedger *ledger = relation->rows->ledger;
	Size		room = ((Size) parts->nitems + SPARE_ITEMS) * sizeof(uint32);
	uint32	   *items = LedgerAlloc(ledger, room, "the items of a transaction");
	RecordBytes bytes = RecordsOfSet(parts);
	uint32		n;
	uint32		times;

	while (SetNextRecord(&bytes, &n, &times))
	{
		SetNextItems(&bytes, items, n);
		for (uint32 i = 0; i < n && map != NULL; i++)
			items[i] = map[items[i]];
		AddRecordPairs(relation, key_is_item, items, n, times, ntransactions);
	}
	LedgerFree(ledger, items, room);
}

/* Take the pairs of a row with a set. */
static void
TakeSet(PairReceiver *receiver, const Part *part, const SourceRow *row)
{
	int			column = part->key_is_array ? part->key : part->value;
	ColumnSet	set;

	if (RowIsNull(row, column))
		return;
	ColumnSetOpen(&set, &receiver->base.source->columns[column], RowValue(row, column),
				  part->key_is_array ? part->keys : part->relation->rows->items);
	AddSetPairs(part->relation, part->key_is_array, &set.parts, set.map, &receiver->with_array);
	ColumnSetClose(&set);
	ShowRows(&receiver->base);
}

static void
ReceivePairs(Receiver *base, const SourceRow *row)
{
	PairReceiver *receiver = (PairReceiver *) base;

	for (int i = 0; i < receiver->input.nparts; i++)
	{
		const Part *part = &receiver->parts[i];

		if (part->is_sets)
			TakeSet(receiver, part, row);
		else if (part->key_is_array || part->value_is_array)
			TakeArray(receiver, part, row);
		else
			TakePair(receiver, i, row);
	}
	LedgerForget(base->ledger);
}

/* Opening sources. */

/* A source, and the relations' columns in it; NO_COLUMN stands for numbers of rows. */
typedef struct OpenSource
{
	GpufimSource *source;
	int			key[2];			/* of the left relation, and of the right one */
	int			value[2];
} OpenSource;

static int
AddColumn(SourceColumn *columns, int *ncolumns, ColumnRole role, const RelationColumn *from)
{
	SourceColumn *column = &columns[*ncolumns];

	if (from->name == NULL)
		return NO_COLUMN;
	memset(column, 0, sizeof(SourceColumn));
	column->role = from->is_array ? ROLE_ITEMS : role;
	column->name = from->name;
	column->argument = from->argument;
	column->type_sample = from->may_be_array ? InvalidOid : from->type_sample;
	column->sample_is_value = !from->sample_is_array;
	column->sample_argument = from->sample_argument;
	column->value = "value";
	column->values = "values";
	return (*ncolumns)++;
}

static void
CheckWholeNumber(const SourceColumn *column)
{
	if (column->type != INT2OID && column->type != INT4OID && column->type != INT8OID)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\", named by \"%s\", is of type %s, not of an integer type",
						column->name, column->argument, format_type_be(column->type)),
				 errhint("Rows and columns of a matrix have numbers of type smallint, integer or bigint.")));
}

static void
ConvertWholeNumber(GpufimSource *source, int column, const RelationColumn *from)
{
	if (column == NO_COLUMN || !from->whole_number)
		return;
	CheckWholeNumber(&source->columns[column]);
	SourceConvert(source, column, INT8OID);
}

/* Learn whether a column is of arrays.  Returns true if the source must be opened again, because of that or to check a sample. */
static bool
LearnForm(const OpenSource *open, int column, RelationColumn *from)
{
	if (!from->may_be_array)
		return false;
	from->may_be_array = false;
	from->is_array = OidIsValid(get_element_type(open->source->columns[column].type));
	return from->is_array || OidIsValid(from->type_sample);
}

/* Open the source of a relation, or of two if "second" is not NULL. */
static void
Open(OpenSource *open, RelationSource *first, RelationSource *second)
{
	RelationSource *relations[2] = {first, second};
	int			nrelations = second != NULL ? 2 : 1;
	SourceColumn columns[SOURCE_MAX_COLUMNS];
	int			ncolumns = 0;
	bool		again = false;

	for (int i = 0; i < nrelations; i++)
	{
		open->key[i] = AddColumn(columns, &ncolumns, ROLE_KEY, &relations[i]->key);
		open->value[i] = AddColumn(columns, &ncolumns, ROLE_ITEM, &relations[i]->value);
	}
	/* the transactions of sets have numbers, but nothing beside them */
	columns[0].may_be_sets = ncolumns == 1;
	open->source = SourceOpenAs(first->source, first->argument, columns, ncolumns);
	for (int i = 0; i < nrelations; i++)
	{
		again |= LearnForm(open, open->key[i], &relations[i]->key);
		again |= LearnForm(open, open->value[i], &relations[i]->value);
	}
	if (again)
	{
		Open(open, first, second);
		return;
	}
	for (int i = 0; i < nrelations; i++)
	{
		ConvertWholeNumber(open->source, open->key[i], &relations[i]->key);
		ConvertWholeNumber(open->source, open->value[i], &relations[i]->value);
	}
	/* in another order, the numbers of rows would mean nothing to those who get them */
	if (first->value.name == NULL || (first->key.name == NULL && first->key.listed))
		SourceReadInOrder(open->source);
}

/*
 * Are these the same column of one source?  A column with different type samples is read as two, so
 * that both samples are checked.
 */
static bool
SameColumn(const RelationColumn *a, const RelationColumn *b)
{
	return strcmp(a->name, b->name) == 0 && a->type_sample == b->type_sample;
}

/*
 * Make both sources convert the keys to their common type.  Returns the collation by which they
 * are compared.
 */
static Oid
UniteKeys(OpenSource *left, int left_key, OpenSource *right, int right_key)
{
	SourceColumn *a = &left->source->columns[left_key];
	SourceColumn *b = &right->source->columns[right_key];
	Oid			type = CommonKeyType(a, b);

	SourceConvert(left->source, left_key, type);
	SourceConvert(right->source, right_key, type);
	return CommonKeyCollation(a, b);
}

/* Reading. */

static Part
CreatePart(PairRelation *relation, const GpufimSource *source, int key, int value, Dictionary *keys,
		   MemoryLedger *ledger)
{
	RowLayout	layout = {0};
	Part		part = {.relation = relation,.keys = keys,.key = key,.value = value};
	Dictionary *values = keys;

	if (value != NO_COLUMN)
	{
		const SourceColumn *column = &source->columns[value];

		relation->value_type = column->type;
		values = DictionaryCreate(ledger, column->type, column->collation, true, "distinct values");
		part.value_is_array = column->is_array;
	}
	part.key_is_array = key != NO_COLUMN && source->columns[key].is_array;
	part.is_sets = source->columns[0].is_sets;
	relation->rows = RowsCreate(ledger, source, &layout, values, NULL);
	return part;
}

/* Creates the parts of a process that reads for another one. */
static void
CreateParts(PairReceiver *receiver)
{
	const GpufimSource *source = receiver->base.source;
	const PairInput *input = &receiver->input;
	MemoryLedger *ledger = receiver->base.ledger;
	Dictionary *keys = DictionaryCreate(ledger, source->columns[input->key[0]].type, input->collation,
										true, "distinct keys");

	for (int i = 0; i < input->nparts; i++)
		receiver->parts[i] = CreatePart(MemoryContextAllocZero(ledger->context, sizeof(PairRelation)),
										source, input->key[i], input->value[i], keys, ledger);
}

static void
BeginPairs(Receiver *base)
{
	PairReceiver *receiver = (PairReceiver *) base;

	if (base->helps)
		CreateParts(receiver);
	base->rows = receiver->parts[0].relation->rows;
	base->receive = ReceivePairs;
}

static void
EndPairs(Receiver *base)
{
	PairReceiver *receiver = (PairReceiver *) base;

	for (int i = 0; i < receiver->input.nparts; i++)
		if (receiver->nwaiting[i] > 0)
			TakeWaiting(receiver, i);
}

static void
ContentsOfPairs(Receiver *base, ReceiverContents *contents)
{
	PairReceiver *receiver = (PairReceiver *) base;

	contents->dictionaries[contents->ndictionaries++] = receiver->parts[0].keys;
	for (int i = 0; i < receiver->input.nparts; i++)
	{
		contents->numbers[i][0] = 0;
		contents->numbers[i][1] = contents->ndictionaries;
		contents->rows[contents->nrows++] = receiver->parts[i].relation->rows;
		contents->dictionaries[contents->ndictionaries++] = receiver->parts[i].relation->rows->items;
	}
	contents->figures = &receiver->with_array;
	contents->figures_size = sizeof(receiver->with_array);
}

static void
AddPairFigures(Receiver *base, const void *figures)
{
	uint32		with_array;

	memcpy(&with_array, figures, sizeof(with_array));
	((PairReceiver *) base)->with_array += with_array;
}

/* Other processes find it by its name. */
extern PGDLLEXPORT const ReceiverKind GpufimPairReceiver;

const ReceiverKind GpufimPairReceiver = {
	.symbol = "GpufimPairReceiver",
	.size = sizeof(PairReceiver),
	.input_size = sizeof(PairInput),
	.begin = BeginPairs,
	.end = EndPairs,
	.contents = ContentsOfPairs,
	.add = AddPairFigures
};

/*
 * Read a source into one or two relations.  The call's count of rows goes on from those of the
 * source that was read before.
 */
static void
ReadSource(OpenSource *open, PairReceiver *receiver, const Part *parts, int nparts, Oid collation,
		   MemoryLedger *ledger)
{
	parts[0].relation->rows->rows_read = CurrentRun->rows_read;
	memset(receiver, 0, sizeof(PairReceiver));
	memcpy(receiver->parts, parts, nparts * sizeof(Part));
	receiver->input.nparts = nparts;
	for (int i = 0; i < nparts; i++)
	{
		receiver->input.key[i] = parts[i].key;
		receiver->input.value[i] = parts[i].value;
	}
	receiver->input.collation = collation;
	SourceRead(open->source, &GpufimPairReceiver, &receiver->base, ledger);
}

/*
 * Where a call's one relation has the items of transactions, an item in each row, see whether these
 * look like lists.  They may if no transaction has more than one, that is, if there are not more pairs
 * than transactions.
 */
static void
NoteItemLists(const OpenSource *open, const RelationSource *from, const Relations *relations)
{
	const GpufimRows *rows = relations->left.rows;
	const SourceColumn *columns = open->source->columns;

	if (from->key.is_item && !from->key.is_array)
		NoteLists(open->source, &columns[open->key[0]], relations->keys, "item",
				  rows->transactions <= relations->left.nvalues);
	else if (from->value.is_item && !from->value.is_array)
		NoteLists(open->source, &columns[open->value[0]], rows->items, "item",
				  rows->transactions <= relations->nkeys);
}

/* The numbers that rows, or transactions of sets, have got in place of a key or value. */
static uint32
NumbersGiven(const PairRelation *relation, uint32 with_array)
{
	return relation->rows->source->columns[0].is_sets ? with_array : (uint32) relation->rows->rows_read;
}

static void
FinishRelation(PairRelation *relation, uint32 with_array)
{
	if (relation->rows != NULL)
		relation->nvalues = OidIsValid(relation->value_type) ? relation->rows->items->n :
			NumbersGiven(relation, with_array);
}

/*
 * Read one relation of the items of transactions as records of these, which several processes can make.  Returns false, and does
 * nothing, if the transactions' ids or numbers are needed, or if transaction sets have them.
 */
static bool
ReadTransactions(OpenSource *open, const RelationSource *from, MemoryLedger *ledger, Relations *relations)
{
	PairRelation *relation = &relations->left;
	bool		pairs = from->key.name != NULL;
	RowLayout	layout = {.grouped = pairs,.unique = true};

	if (!relations->one || !from->value.is_item || from->key.listed || open->source->columns[0].is_sets ||
		(pairs && from->value.is_array))
		return false;
	if (pairs)
		open->source->columns[open->key[0]].role = ROLE_TRANSACTION;
	relation->value_type = open->source->columns[open->value[0]].type;
	relation->rows = IngestSource(open->source, &layout, ledger);
	relation->nvalues = relation->rows->items->n;
	relations->nkeys = (uint32) relation->rows->transactions;
	return true;
}

/* Sources to be read, which are open. */
typedef struct RelationReading
{
	OpenSource *left;
	OpenSource *right;			/* "left" if there is only one */
	bool		listed;			/* the values of keys are to be kept */
	Oid			collation;
	MemoryLedger *ledger;
	Relations  *relations;
} RelationReading;

static void
ReadOpenSources(void *arg)
{
	const RelationReading *reading = arg;
	OpenSource *left = reading->left;
	OpenSource *right = reading->right;
	Oid			collation = reading->collation;
	MemoryLedger *ledger = reading->ledger;
	Relations  *relations = reading->relations;
	Part		parts[2];
	PairReceiver receiver;
	int			key = left->key[0];

	if (key != NO_COLUMN)
		relations->keys = DictionaryCreate(ledger, left->source->columns[key].type, collation, reading->listed,
										   "distinct keys");
	parts[0] = CreatePart(&relations->left, left->source, left->key[0], left->value[0], relations->keys, ledger);
	if (!relations->one)
		parts[1] = CreatePart(&relations->right, right->source, right->key[right == left],
							  right->value[right == left], relations->keys, ledger);
	ReadSource(left, &receiver, parts, right == left && !relations->one ? 2 : 1, collation,
			   ledger);
	if (right != left)
		ReadSource(right, &receiver, &parts[1], 1, collation, ledger);
	relations->nkeys = relations->keys != NULL ? relations->keys->n : NumbersGiven(&relations->left, receiver.with_array);
	FinishRelation(&relations->left, receiver.with_array);
	FinishRelation(&relations->right, receiver.with_array);
}

/* Reads a transaction_set as the one relation of a call. */
static void
ReadSet(const RelationSource *from, const FimFamily *family, bool only_cpu, MemoryLedger *ledger, Relations *relations)
{
	static const RowLayout layout = {0};
	PairRelation *relation = &relations->left;
	SetParts	parts;

	OpenSet(from->set, false, &parts);
	CheckSetSample(&parts, from->value.type_sample);
	if (family != NULL)
		CheckEngineChoice(family, only_cpu);
	relations->one = true;
	relation->value_type = parts.types.item.type;
	relation->rows = RowsCreate(ledger, SourceOfSet(&parts, from->value.type_sample), &layout,
								DictionaryOfSet(&parts, ledger), NULL);
	AddSetPairs(relation, false, &parts, NULL, &relations->nkeys);
	relation->nvalues = parts.nitems;
	CurrentRun->rows_read = relations->nkeys;
	CurrentRun->transactions = relation->rows->transactions;
	CurrentRun->distinct_items = relation->nvalues;
}

void
ReadRelations(RelationSource *left, RelationSource *right, const FimFamily *family, bool only_cpu, MemoryLedger *ledger,
			  Relations *relations)
{
	bool		same_source;
	OpenSource	sources[2];
	OpenSource *other;
	Oid			collation = InvalidOid;
	List	   *held = NIL;

	memset(relations, 0, sizeof(Relations));
	if (left->set != NULL)
	{
		ReadSet(left, family, only_cpu, ledger, relations);
		return;
	}
	same_source = right->source == NULL || strcmp(left->source, right->source) == 0;
	other = same_source ? &sources[0] : &sources[1];
	relations->one = right->source == NULL ||
		(same_source && !right->apart && SameColumn(&left->key, &right->key) && SameColumn(&left->value, &right->value));

	SourceConnect();
	Open(&sources[0], left, same_source && !relations->one ? right : NULL);
	if (!same_source)
		Open(&sources[1], right, NULL);
	if (sources[0].key[0] != NO_COLUMN)
		collation = sources[0].source->columns[sources[0].key[0]].collation;
	if (!relations->one)
		collation = UniteKeys(&sources[0], sources[0].key[0], other, other->key[same_source]);

	/* A call for an engine or strategy that is not available should fail before the sources are scanned. */
	if (family != NULL)
		CheckEngineChoice(family, only_cpu);
	if (!same_source)
		held = SourceHold(sources[1].source, SourceHold(sources[0].source, NIL));
	if (!ReadTransactions(&sources[0], left, ledger, relations))
	{
		RelationReading reading = {
			.left = &sources[0],.right = other,.listed = left->key.listed,.collation = collation,.ledger = ledger,
			.relations = relations
		};

		ReadWithinLimit(ledger, ReadOpenSources, &reading);
		NoteItemLists(&sources[0], left, relations);
	}
	SourceRelease(held);
	SourceDisconnect();
	CurrentRun->transactions = relations->left.rows->transactions +
		(relations->right.rows ? relations->right.rows->transactions : 0);
	CurrentRun->distinct_items = (int64) relations->left.nvalues + relations->right.nvalues;
}
