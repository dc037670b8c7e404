/*-------------------------------------------------------------------------
 *
 * relation.c
 *	  Reading the relations of a call: pairs of a value and a key.
 *
 * A row of a source may be a pair of the left relation, one of the right relation, or one
 * of each if both are in the same source.  A row with an array is a pair with each of
 * its elements.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "engine/sets/sets.h"
#include "figures.h"
#include "forecast.h"
#include "nodes/parsenodes.h"
#include "read/arrays.h"
#include "read/ingest.h"
#include "sets/key_type.h"
#include "sets/relation.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "work/engine_choice.h"

#define NO_COLUMN		(-1)

/* What an engine holds of a pair, with what it needs to sort them. */
#define ENGINE_PAIR_BYTES	16

/* Elements of an array between two looks at interrupts. */
#define INTERRUPT_ELEMENTS	65536

/* A relation in the columns of a source that is being read. */
typedef struct Part
{
	PairRelation *relation;
	Dictionary *keys;			/* NULL if the number of the row is the key */
	int			key;			/* columns; NO_COLUMN: the number of the row */
	int			value;
	bool		key_is_array;
	bool		value_is_array;
} Part;

typedef struct PairReceiver
{
	IngestReceiver base;		/* must be first */
	Relations  *relations;
	Part		parts[2];
	int			nparts;
	uint32		with_array;		/* rows whose array is not NULL */
} PairReceiver;

static void
RaiseTooManyRows(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("too many rows"),
			 errdetail("At most %u arrays can be taken in one call.", FIM_SETS_MAX),
			 errhint("Select fewer rows.")));
}

/* Room for so many pairs. */
static uint32 *
ReservePairs(PairRelation *relation, uint32 n)
{
	return ChunkReserve(relation->rows, &relation->rows->records, n * PAIR_WORDS);
}

/* So many of them have been filled in. */
static void
AdvancePairs(PairRelation *relation, uint32 n)
{
	ChunkAdvance(&relation->rows->records, n * PAIR_WORDS);
	relation->rows->transactions += n;
}

/* Count so many pairs more of a value. */
static inline void
CountValue(Dictionary *values, uint32 value, uint32 n)
{
	DictionaryEntry *entry = &values->entries[value];

	entry->count += Min(n, UINT32_MAX - entry->count);
}

/* A key is looked up even if the value is NULL: it may be a transaction without items. */
static void
TakePair(const Part *part, TupleTableSlot *slot)
{
	Dictionary *values = part->relation->rows->items;
	uint32	   *pair;
	uint32		key;
	uint32		value;

	if (slot->tts_isnull[part->key])
		return;
	key = LookupItem(part->keys, slot->tts_values[part->key]);
	if (slot->tts_isnull[part->value])
		return;
	value = LookupItem(values, slot->tts_values[part->value]);
	CountValue(values, value, 1);
	pair = ReservePairs(part->relation, 1);
	pair[0] = key;
	pair[1] = value;
	AdvancePairs(part->relation, 1);
}

/* The number of what a row has beside its array, DICTIONARY_NONE for NULL. */
static uint32
BesideArray(PairReceiver *receiver, const Part *part, TupleTableSlot *slot)
{
	int			column = part->key_is_array ? part->value : part->key;
	Dictionary *dictionary = part->key_is_array ? part->relation->rows->items : part->keys;

	if (column == NO_COLUMN)
	{
		if (receiver->base.rows->growth.rows > FIM_SETS_MAX)
			RaiseTooManyRows();
		return (uint32) (receiver->base.rows->growth.rows - 1);
	}
	if (slot->tts_isnull[column])
		return DICTIONARY_NONE;
	return LookupItem(dictionary, slot->tts_values[column]);
}

/* The numbers of the elements stand at the end of the room for pairs until these are written. */
static void
TakeArray(PairReceiver *receiver, const Part *part, TupleTableSlot *slot)
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

	if (slot->tts_isnull[column])
		return;
	beside = BesideArray(receiver, part, slot);
	if (beside == DICTIONARY_NONE)
		return;
	receiver->with_array++;
	array = AlignedArray(&receiver->base, &receiver->base.aligned[0], slot->tts_values[column]);
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

/* How the relation of another part grows is noted when it is of the first one. */
static void
NoteGrowth(const ReadingGrowth *growth, Relations *relations)
{
	GpufimRows *rows = relations->right.rows;

	rows->growth.expected_rows = growth->expected_rows;
	rows->growth.rows = growth->rows;
	GrowthSetMark(&rows->growth, rows->items);
}

static bool
ReceivePairs(TupleTableSlot *slot, DestReceiver *self)
{
	PairReceiver *receiver = (PairReceiver *) self;
	const ReadingGrowth *growth = &receiver->base.rows->growth;
	bool		mark = growth->rows + 1 >= growth->next_mark;

	CountRow(&receiver->base);
	if (mark && receiver->nparts > 1)
		NoteGrowth(growth, receiver->relations);
	slot_getallattrs(slot);
	for (int i = 0; i < receiver->nparts; i++)
	{
		const Part *part = &receiver->parts[i];

		if (part->key_is_array || part->value_is_array)
			TakeArray(receiver, part, slot);
		else
			TakePair(part, slot);
	}
	ForgetRow(receiver->base.rows);
	return true;
}

/* Opening sources. */

/* A source, and the columns of it that are the relations', NO_COLUMN for numbers of rows. */
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
	column->witness = from->witness;
	column->witness_is_value = true;
	column->witness_argument = from->witness_argument;
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

/* Are a relation's keys arrays after all? */
static bool
KeysAreArrays(const OpenSource *open, const RelationSource *relation)
{
	return relation->key.may_be_array && !relation->key.is_array &&
		OidIsValid(get_element_type(open->source->columns[open->key[0]].type));
}

/* Open the source of a relation, or of two if "second" is not NULL. */
static void
Open(OpenSource *open, RelationSource *first, RelationSource *second)
{
	RelationSource *relations[2] = {first, second};
	SourceColumn columns[SOURCE_MAX_COLUMNS];
	int			ncolumns = 0;

	for (int i = 0; i < 2 && relations[i] != NULL; i++)
	{
		open->key[i] = AddColumn(columns, &ncolumns, ROLE_KEY, &relations[i]->key);
		open->value[i] = AddColumn(columns, &ncolumns, ROLE_ITEM, &relations[i]->value);
	}
	open->source = SourceOpenAs(first->source, first->argument, columns, ncolumns);
	if (KeysAreArrays(open, first))
	{
		first->key.is_array = true;
		Open(open, first, second);
		return;
	}
	for (int i = 0; i < 2 && relations[i] != NULL; i++)
	{
		ConvertWholeNumber(open->source, open->key[i], &relations[i]->key);
		ConvertWholeNumber(open->source, open->value[i], &relations[i]->value);
	}
	/* a row's number would mean nothing otherwise */
	if (first->key.name == NULL || first->value.name == NULL)
		SourceReadInOrder(open->source);
}

/* With different witnesses it is read twice, so that each of them is checked. */
static bool
SameColumn(const RelationColumn *a, const RelationColumn *b)
{
	return strcmp(a->name, b->name) == 0 && a->witness == b->witness;
}

/* Have both sources give the keys in one type, and return the collation to compare them by. */
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

static double
PairBytes(const RowLayout *layout, double rows, double entries, double nitems)
{
	return entries * ENGINE_PAIR_BYTES;
}

static Part
CreatePart(PairRelation *relation, const OpenSource *open, int which, Dictionary *keys,
		   MemoryLedger *ledger)
{
	RowLayout	layout = {.data_bytes = PairBytes};
	int			value = open->value[which];
	int			key = open->key[which];
	Part		part = {.relation = relation,.keys = keys,.key = key,.value = value};
	Dictionary *values = keys;

	if (value != NO_COLUMN)
	{
		const SourceColumn *column = &open->source->columns[value];

		relation->value_type = column->type;
		values = DictionaryCreate(ledger, column->type, column->collation, true, "distinct values");
		part.value_is_array = column->is_array;
	}
	part.key_is_array = key != NO_COLUMN && open->source->columns[key].is_array;
	relation->rows = RowsCreate(ledger, open->source, &layout, values);
	return part;
}

/* What the call will need in all, as far as its relations tell. */
static uint64
Foresee(const void *arg, bool *first_row)
{
	const Relations *relations = arg;
	uint64		bytes = ForecastMemory(relations->left.rows, first_row);

	if (relations->right.rows != NULL)
		bytes += ForecastMemory(relations->right.rows, first_row);
	return bytes;
}

/* Rows are counted on from those of the source that was read before. */
static void
ReadSource(OpenSource *open, Relations *relations, PairReceiver *receiver, const Part *parts, int nparts)
{
	parts[0].relation->rows->growth.rows = CurrentRun->rows_read;
	memset(receiver, 0, sizeof(PairReceiver));
	receiver->relations = relations;
	memcpy(receiver->parts, parts, nparts * sizeof(Part));
	receiver->nparts = nparts;
	receiver->base.rows = parts[0].relation->rows;
	IngestInto(open->source, &receiver->base, ReceivePairs);
	ReportRows(&receiver->base);
}

static void
FinishRelation(PairRelation *relation)
{
	if (relation->rows != NULL)
		relation->nvalues = OidIsValid(relation->value_type) ? relation->rows->items->n :
			(uint32) relation->rows->growth.rows;
}

/* The left source is open, and so is the right one if it is not the same. */
static void
ReadOpenSources(OpenSource *left, OpenSource *right, Oid collation, MemoryLedger *ledger,
				Relations *relations)
{
	Part		parts[2];
	PairReceiver receiver;
	int			key = left->key[0];

	if (key != NO_COLUMN)
		relations->keys = DictionaryCreate(ledger, left->source->columns[key].type, collation, false,
										   "distinct keys");
	parts[0] = CreatePart(&relations->left, left, 0, relations->keys, ledger);
	if (!relations->one)
		parts[1] = CreatePart(&relations->right, right, right == left, relations->keys, ledger);
	relations->left.rows->growth.transactions = relations->keys;
	ledger->foresee = Foresee;
	ledger->foresee_arg = relations;
	ReadSource(left, relations, &receiver, parts, right == left && !relations->one ? 2 : 1);
	relations->left.rows->growth.transactions = NULL;
	relations->source_rows = receiver.with_array;
	relations->nkeys = (uint32) relations->left.rows->growth.rows;
	if (right != left)
		ReadSource(right, relations, &receiver, &parts[1], 1);
	if (relations->keys != NULL)
		relations->nkeys = relations->keys->n;
	FinishRelation(&relations->left);
	FinishRelation(&relations->right);
}

void
ReadRelations(RelationSource *left, RelationSource *right, MemoryLedger *ledger,
			  Relations *relations)
{
	bool		same_source = right->source == NULL || strcmp(left->source, right->source) == 0;
	OpenSource	sources[2];
	OpenSource *other = same_source ? &sources[0] : &sources[1];
	Oid			collation = InvalidOid;

	memset(relations, 0, sizeof(Relations));
	relations->one = right->source == NULL ||
		(same_source && SameColumn(&left->key, &right->key) && SameColumn(&left->value, &right->value));

	SourceConnect();
	Open(&sources[0], left, same_source && !relations->one ? right : NULL);
	if (!same_source)
		Open(&sources[1], right, NULL);
	if (sources[0].key[0] != NO_COLUMN)
		collation = sources[0].source->columns[sources[0].key[0]].collation;
	if (!relations->one)
		collation = UniteKeys(&sources[0], sources[0].key[0], other, other->key[same_source]);

	/* An engine or strategy that is not there should not cost a scan. */
	CheckEngineChoice(&FimSetsFamily);
	ReadOpenSources(&sources[0], other, collation, ledger, relations);
	SourceDisconnect();
	CurrentRun->transactions = relations->left.rows->transactions +
		(relations->right.rows ? relations->right.rows->transactions : 0);
	CurrentRun->distinct_items = (int64) relations->left.nvalues + relations->right.nvalues;
}
