/*-------------------------------------------------------------------------
 *
 * dictionary.c
 *	  Numbers the distinct values of a column: value -> 0, 1, 2, ... in order of first appearance, equality being that of the type.
 *
 * Reading a source is mostly looking values up, so the common types avoid
 * calling functions.  Types whose equality is that of their Datums (integers,
 * dates, enums ...) are integers here, see integers.c.
 * Text under a deterministic collation is compared as bytes.  All other types
 * go through their default hash operator class, or through a tree that their
 * default btree class orders if they have no hash class.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/tupmacs.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "gpufim.h"
#include "lib/rbtree.h"
#include "miscadmin.h"
#include "read/rows.h"
#include "storage/itemptr.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

/* A value of DICTIONARY_ORDERED in its tree. */
typedef struct OrderedNode
{
	RBTNode		node;			/* must be first */
	Datum		value;
	uint32		id;
} OrderedNode;

/* The type's cache entry, or NULL if a dictionary cannot hold it. */
TypeCacheEntry *
DictionaryType(Oid type)
{
	TypeCacheEntry *entry = lookup_type_cache(type,
											  TYPECACHE_EQ_OPR_FINFO |
											  TYPECACHE_HASH_PROC_FINFO |
											  TYPECACHE_CMP_PROC_FINFO |
											  TYPECACHE_LT_OPR);

	if (OidIsValid(entry->hash_proc) && OidIsValid(entry->eq_opr))
		return entry;
	if (OidIsValid(entry->cmp_proc) && OidIsValid(entry->lt_opr))
		return entry;
	return NULL;
}

/* Are two values of the type equal exactly when their Datums are? */
static bool
EqualAsIntegers(const TypeCacheEntry *type)
{
	switch (type->eq_opr_finfo.fn_oid)
	{
		case F_BOOLEQ:
		case F_CHAREQ:
		case F_INT2EQ:
		case F_INT4EQ:
		case F_INT8EQ:
		case F_OIDEQ:
		case F_XIDEQ:
		case F_CIDEQ:
		case F_XID8EQ:
		case F_DATE_EQ:
		case F_TIME_EQ:
		case F_TIMESTAMP_EQ:
		case F_TIMESTAMPTZ_EQ:
		case F_CASH_EQ:
		case F_ENUM_EQ:
		case F_PG_LSN_EQ:
			return type->typbyval;
		default:
			return false;
	}
}

/* Are two values of the type equal exactly when their bytes are? */
static bool
EqualAsBytes(const TypeCacheEntry *type, Oid collation)
{
	switch (type->eq_opr_finfo.fn_oid)
	{
		case F_BYTEAEQ:
		case F_UUID_EQ:
		case F_TIDEQ:
		case F_MACADDR_EQ:
			return true;
		case F_TEXTEQ:
		case F_BPCHAREQ:
			return get_collation_isdeterministic(collation);
		default:
			return false;
	}
}

static DictionaryKind
ChooseKind(const TypeCacheEntry *type, Oid collation)
{
	if (EqualAsIntegers(type))
		return DICTIONARY_INTEGER;
	if (EqualAsBytes(type, collation))
		return DICTIONARY_BYTES;
	if (OidIsValid(type->hash_proc))
		return DICTIONARY_HASHED;
	return DICTIONARY_ORDERED;
}

/* Values passed by reference, found by their hashes */

/*
 * A hash table of values passed by reference has at least this many slots once it has grown.  To double smaller ones
 * again and again, and to look values up where they are rather full, takes longer than to clear this many.
 */
#define DICTIONARY_GROWN_SLOTS	4096

/* The bytes that decide whether values of this form are equal. */
static pg_always_inline const char *
ValueBytes(Datum value, int typlen, bool padded, Size *length)
{
	const char *bytes = DatumGetPointer(value);

	if (typlen > 0)
	{
		*length = typlen;
		return bytes;
	}
	*length = VARSIZE_ANY_EXHDR(bytes);
	bytes = VARDATA_ANY(bytes);
	if (padded)
		*length = bpchartruelen((char *) bytes, *length);
	return bytes;
}

static void
HashGrow(Dictionary *dictionary)
{
	uint64		nslots = dictionary->nslots ? Max(2 * dictionary->nslots, DICTIONARY_GROWN_SLOTS) :
		DICTIONARY_FIRST_SLOTS;
	HashSlot   *slots = LedgerAllocZero(dictionary->ledger, nslots * sizeof(HashSlot),
										dictionary->what);

	for (uint64 i = 0; i < dictionary->nslots; i++)
	{
		HashSlot   *old = &dictionary->hash_slots[i];
		uint64		slot = old->hash & (nslots - 1);

		if (i % DICTIONARY_STEP == 0)
			CHECK_FOR_INTERRUPTS();
		if (old->number == 0)
			continue;
		while (slots[slot].number != 0)
			slot = (slot + 1) & (nslots - 1);
		slots[slot] = *old;
	}
	LedgerFree(dictionary->ledger, dictionary->hash_slots,
			   dictionary->nslots * sizeof(HashSlot));
	dictionary->hash_slots = slots;
	dictionary->nslots = nslots;
}

/* Makes a slot that leads from a hash to a value. */
static void
HashPut(Dictionary *dictionary, uint32 hash, uint32 id)
{
	uint64		slot;

	if (dictionary->nused * 4 >= dictionary->nslots * 3)
		HashGrow(dictionary);
	slot = hash & (dictionary->nslots - 1);
	while (dictionary->hash_slots[slot].number != 0)
		slot = (slot + 1) & (dictionary->nslots - 1);
	dictionary->hash_slots[slot].hash = hash;
	dictionary->hash_slots[slot].number = id + 1;
	dictionary->nused++;
}

static uint32
HashInsert(Dictionary *dictionary, uint32 hash, Datum value)
{
	uint32		id = DictionaryNewId(dictionary, DictionaryCopyValue(dictionary, value));

	HashPut(dictionary, hash, id);
	return id;
}

/* Has the value with this id these bytes? */
static pg_always_inline bool
HasBytes(const Dictionary *dictionary, uint32 id, int typlen, bool padded, const char *bytes, Size length)
{
	Size		other_length;
	const char *other = ValueBytes(dictionary->entries[id].value, typlen, padded, &other_length);

	return other_length == length && SameBytes(other, bytes, length);
}

static pg_always_inline uint32
LookupBytes(Dictionary *dictionary, Datum value, int typlen, bool padded, bool add)
{
	Size		length;
	const char *bytes = ValueBytes(value, typlen, padded, &length);
	uint32		hash = HashBytes(bytes, length);
	uint64		mask = dictionary->nslots - 1;

	for (uint64 slot = hash & mask; dictionary->nslots != 0; slot = (slot + 1) & mask)
	{
		HashSlot   *candidate = &dictionary->hash_slots[slot];

		if (candidate->number == 0)
			break;
		if (candidate->hash == hash && HasBytes(dictionary, candidate->number - 1, typlen, padded, bytes, length))
			return candidate->number - 1;
	}
	return add ? HashInsert(dictionary, hash, value) : DICTIONARY_NONE;
}

static uint32
BytesLookup(Dictionary *dictionary, Datum value, bool add)
{
	return LookupBytes(dictionary, value, dictionary->typlen, dictionary->padded, add);
}

/*
 * Values of the types that have functions of their own may be equal though their bytes differ, as
 * 1.0 and 1.00 are, but not the other way round.  So a value passed by reference may have two slots:
 * by the type's hash, it is found in any form; by the hash of its bytes, without a call if it comes
 * again in the form in which it came first.  The latter is made when it comes the second time.
 */
static inline bool
HasBytesSlots(const Dictionary *dictionary)
{
	return dictionary->kind == DICTIONARY_BYTES ||
		(dictionary->kind == DICTIONARY_HASHED && !dictionary->typbyval && dictionary->typlen >= -1);
}

/* The hash that the type's own function gives a value. */
static inline uint32
HashOf(Dictionary *dictionary, Datum value)
{
	return (uint32) MixBits(DatumGetUInt32(FunctionCall1Coll(&dictionary->type->hash_proc_finfo,
															 dictionary->collation, value)));
}

static uint32
HashedLookup(Dictionary *dictionary, Datum value, bool add)
{
	TypeCacheEntry *type = dictionary->type;
	uint32		hash = HashOf(dictionary, value);
	uint64		mask = dictionary->nslots - 1;

	for (uint64 slot = hash & mask; dictionary->nslots != 0; slot = (slot + 1) & mask)
	{
		HashSlot   *candidate = &dictionary->hash_slots[slot];

		if (candidate->number == 0)
			break;
		if (candidate->hash == hash &&
			DatumGetBool(FunctionCall2Coll(&type->eq_opr_finfo, dictionary->collation,
										   dictionary->entries[candidate->number - 1].value,
										   value)))
			return candidate->number - 1;
	}
	return add ? HashInsert(dictionary, hash, value) : DICTIONARY_NONE;
}

/* Makes a value's slot for its bytes if it has come in the form in which it came first. */
static void
AddBytesSlot(Dictionary *dictionary, uint32 id, Datum value)
{
	Size		length;
	const char *bytes = ValueBytes(value, dictionary->typlen, dictionary->padded, &length);

	if (HasBytes(dictionary, id, dictionary->typlen, dictionary->padded, bytes, length))
		HashPut(dictionary, HashBytes(bytes, length), id);
}

/* Values of types that have a comparison function but no hash function, in a tree */

static int
OrderedCompare(const RBTNode *a, const RBTNode *b, void *arg)
{
	Dictionary *dictionary = arg;

	return DatumGetInt32(FunctionCall2Coll(&dictionary->type->cmp_proc_finfo,
										   dictionary->collation,
										   ((const OrderedNode *) a)->value,
										   ((const OrderedNode *) b)->value));
}

static void
OrderedCombine(RBTNode *existing, const RBTNode *newdata, void *arg)
{
	/* never reached: values are looked up before they are added */
}

static RBTNode *
OrderedAlloc(void *arg)
{
	return (RBTNode *) DictionaryAllocAligned(arg, sizeof(OrderedNode));
}

static void
CreateTree(Dictionary *dictionary)
{
	MemoryContext old = MemoryContextSwitchTo(dictionary->ledger->context);

	dictionary->tree = rbt_create(sizeof(OrderedNode), OrderedCompare, OrderedCombine, OrderedAlloc, NULL,
								  dictionary);
	MemoryContextSwitchTo(old);
}

static uint32
OrderedLookup(Dictionary *dictionary, Datum value, bool add)
{
	OrderedNode node;
	OrderedNode *found;
	bool		is_new;

	node.value = value;
	found = (OrderedNode *) rbt_find(dictionary->tree, &node.node);
	if (found)
		return found->id;
	if (!add)
		return DICTIONARY_NONE;
	node.value = DictionaryCopyValue(dictionary, value);
	node.id = DictionaryNewId(dictionary, node.value);
	rbt_insert(dictionary->tree, &node.node, &is_new);
	Assert(is_new);
	return node.id;
}

/*
 * Can a value be found by its bytes as they are?  Not if it is compressed or stored elsewhere.
 * VARATT_IS_SHORT() is also true of a pointer to a value that is stored elsewhere.
 */
static inline bool
ShowsBytes(const Dictionary *dictionary, Datum value)
{
	const char *pointer = DatumGetPointer(value);

	if (dictionary->typlen > 0)
		return true;
	return VARATT_IS_SHORT(pointer) ? !VARATT_IS_EXTERNAL(pointer) :
		!VARATT_IS_EXTENDED(pointer);
}

uint32
DictionaryHash(Dictionary *dictionary, Datum value)
{
	const char *bytes;
	Size		length;

	switch (dictionary->kind)
	{
		case DICTIONARY_INTEGER:
			return (uint32) MixBits((uint64) DatumInteger(dictionary, value));
		case DICTIONARY_BYTES:
			bytes = ValueBytes(value, dictionary->typlen, dictionary->padded, &length);
			return HashBytes(bytes, length);
		case DICTIONARY_HASHED:
			return HashOf(dictionary, value);
		default:
			return 0;
	}
}

/*
 * Returns the id of a value.  If the value is new, it is added, or DICTIONARY_NONE is
 * returned if "add" is false.  Detoasted values are left in the ledger's scratch
 * context, which the caller resets.
 */
uint32
DictionaryLookup(Dictionary *dictionary, Datum value, bool add)
{
	MemoryContext old;
	bool		shows_bytes;
	uint32		id;

	if (dictionary->kind == DICTIONARY_INTEGER)
	{
		int64		key = DatumInteger(dictionary, value);

		return add ? DictionaryInteger(dictionary, key) : DictionaryFindInteger(dictionary, key);
	}

	if (dictionary->kind == DICTIONARY_BYTES && ShowsBytes(dictionary, value))
		return BytesLookup(dictionary, value, add);
	shows_bytes = HasBytesSlots(dictionary) && ShowsBytes(dictionary, value);
	if (shows_bytes)
	{
		id = BytesLookup(dictionary, value, false);
		if (id != DICTIONARY_NONE)
			return id;
	}

	old = MemoryContextSwitchTo(dictionary->ledger->scratch);
	if (dictionary->typlen == -1)
		value = PointerGetDatum(PG_DETOAST_DATUM(value));
	if (dictionary->kind == DICTIONARY_BYTES)
		id = BytesLookup(dictionary, value, add);
	else if (dictionary->kind == DICTIONARY_HASHED)
	{
		uint32		n = dictionary->n;

		id = HashedLookup(dictionary, value, add);
		if (shows_bytes && id < n)
			AddBytesSlot(dictionary, id, value);
	}
	else
		id = OrderedLookup(dictionary, value, add);
	MemoryContextSwitchTo(old);
	return id;
}

/* The form of values is a constant here, so that the compiler makes a loop for that of most items. */
void
DictionaryLookupTexts(Dictionary *dictionary, const char *texts, uint32 n, uint32 *ids)
{
	char		align = dictionary->type->typalign;

	for (uint32 i = 0; i < n; i++)
	{
		Datum		value = PointerGetDatum(texts);

		if (i % DICTIONARY_STEP == DICTIONARY_STEP - 1)
			CHECK_FOR_INTERRUPTS();
		if (likely(ShowsBytes(dictionary, value)))
			ids[i] = LookupBytes(dictionary, value, -1, false, true);
		else
			ids[i] = DictionaryLookup(dictionary, value, true);
		texts = (const char *) att_align_nominal(texts + VARSIZE_ANY(texts), align);
	}
}

/* Values that wait to be looked up */

/* Copies up to DICTIONARY_WAITING_BYTES.  Two copies of a fixed size, which may overlap, need no call. */
static inline void
CopyShort(char *to, const char *from, Size length)
{
	Size		half = DICTIONARY_WAITING_BYTES / 2;

	if (length >= half)
	{
		memcpy(to, from, half);
		memcpy(to + length - half, from + length - half, half);
	}
	else if (length >= sizeof(uint64))
	{
		memcpy(to, from, sizeof(uint64));
		memcpy(to + length - sizeof(uint64), from + length - sizeof(uint64), sizeof(uint64));
	}
	else
		memcpy(to, from, length);
}

bool
DictionaryLetBytesWait(const Dictionary *dictionary, Datum value, WaitingValue *waiting)
{
	const char *bytes;
	Size		length;

	if (!HasBytesSlots(dictionary) || !ShowsBytes(dictionary, value))
		return false;
	length = dictionary->typlen > 0 ? dictionary->typlen : VARSIZE_ANY(DatumGetPointer(value));
	if (length > DICTIONARY_WAITING_BYTES)
		return false;
	CopyShort((char *) waiting->bytes, DatumGetPointer(value), length);
	bytes = ValueBytes(value, dictionary->typlen, dictionary->padded, &length);
	waiting->hash = HashBytes(bytes, length);
	waiting->number = 0;
#ifdef __GNUC__
	if (dictionary->nslots != 0)
		__builtin_prefetch(&dictionary->hash_slots[waiting->hash & (dictionary->nslots - 1)]);
#endif
	return true;
}

void
DictionaryFetchEntry(const Dictionary *dictionary, WaitingValue *waiting)
{
	uint64		mask = dictionary->nslots - 1;

	if (!HasBytesSlots(dictionary) || dictionary->nslots == 0)
		return;
	for (uint64 slot = waiting->hash & mask; dictionary->hash_slots[slot].number != 0; slot = (slot + 1) & mask)
		if (dictionary->hash_slots[slot].hash == waiting->hash)
		{
			waiting->number = dictionary->hash_slots[slot].number;
			DictionaryPrefetchEntry(dictionary, waiting->number - 1);
			break;
		}
}

void
DictionaryFetchBytes(const Dictionary *dictionary, const WaitingValue *waiting)
{
#ifdef __GNUC__
	if (HasBytesSlots(dictionary) && waiting->number != 0)
		__builtin_prefetch(DatumGetPointer(dictionary->entries[waiting->number - 1].value));
#endif
}

uint32
DictionaryWaitedBytes(Dictionary *dictionary, const WaitingValue *waiting)
{
	Datum		value = PointerGetDatum(waiting->bytes);
	Size		length;
	const char *bytes = ValueBytes(value, dictionary->typlen, dictionary->padded, &length);

	if (waiting->number != 0 &&
		HasBytes(dictionary, waiting->number - 1, dictionary->typlen, dictionary->padded, bytes, length))
		return waiting->number - 1;
	return DictionaryLookup(dictionary, value, true);
}

void
DictionarySetType(Dictionary *dictionary, Oid type, Oid collation)
{
	dictionary->type = DictionaryType(type);
	dictionary->collation = collation;
	dictionary->typlen = dictionary->type->typlen;
	dictionary->typbyval = dictionary->type->typbyval;
	dictionary->kind = ChooseKind(dictionary->type, collation);
	dictionary->padded = dictionary->type->eq_opr_finfo.fn_oid == F_BPCHAREQ;
	if (dictionary->kind == DICTIONARY_ORDERED && dictionary->tree == NULL)
		CreateTree(dictionary);
}

/*
 * Creates a dictionary in the ledger's context.  "what" names its values in messages,
 * in the plural.  With keep_values, entries[] has each value with its count.
 * Otherwise a dictionary of integers has no entries; other kinds need them to compare
 * values.
 */
Dictionary *
DictionaryCreate(MemoryLedger *ledger, Oid type, Oid collation,
				 bool keep_values, const char *what)
{
	Dictionary *dictionary = MemoryContextAllocZero(ledger->context, sizeof(Dictionary));

	dictionary->ledger = ledger;
	dictionary->what = what;
	DictionarySetType(dictionary, type, collation);
	DictionaryInitValues(dictionary, keep_values);
	return dictionary;
}

void
DictionaryForgetStamps(Dictionary *dictionary)
{
	for (uint32 id = 0; id < dictionary->n; id++)
	{
		if (id % DICTIONARY_STEP == 0)
			CHECK_FOR_INTERRUPTS();
		dictionary->entries[id].stamp = 0;
	}
}

void
DictionaryForgetCounts(Dictionary *dictionary)
{
	for (uint32 id = 0; id < dictionary->n; id++)
	{
		if (id % DICTIONARY_STEP == 0)
			CHECK_FOR_INTERRUPTS();
		dictionary->entries[id].count = dictionary->entries[id].stamp = 0;
	}
}

void
DictionaryCountOnly(Dictionary *dictionary, uint32 n)
{
	MemoryLedger *ledger = dictionary->ledger;

	LedgerFree(ledger, dictionary->entries, dictionary->max_entries * sizeof(DictionaryEntry));
	dictionary->entries = NULL;
	dictionary->entries = LedgerAllocZero(ledger, ((Size) n + 1) * sizeof(DictionaryEntry), dictionary->what);
	dictionary->max_entries = n + 1;
	dictionary->n = n;
}

void
DictionaryClear(Dictionary *dictionary)
{
	DictionaryClearValues(dictionary);
	dictionary->nused = 0;
	DictionaryClearIntegers(dictionary);
	if (dictionary->hash_slots != NULL)
		memset(dictionary->hash_slots, 0, dictionary->nslots * sizeof(HashSlot));
	if (dictionary->tree != NULL)
	{
		pfree(dictionary->tree);
		CreateTree(dictionary);
	}
}

void
DictionaryFree(Dictionary *dictionary)
{
	MemoryLedger *ledger = dictionary->ledger;

	DictionaryFreeIntegers(dictionary);
	LedgerFree(ledger, dictionary->hash_slots, dictionary->nslots * sizeof(HashSlot));
	DictionaryFreeValues(dictionary);
	if (dictionary->tree)
		pfree(dictionary->tree);
	pfree(dictionary);
}
