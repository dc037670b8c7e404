/*-------------------------------------------------------------------------
 *
 * dictionary.c
 *	  Numbers the distinct values of a column: value -> 0, 1, 2, ... in order of
 *	  first appearance, equality being that of the type.
 *
 * Reading a source is mostly looking values up, so the common types avoid
 * calling functions.  Types whose equality is that of their Datums (integers,
 * dates, enums ...) are integers here, see dictionary_integers.c.
 * Text under a deterministic collation is compared as bytes.  All other types
 * go through their default hash operator class, or through a tree that their
 * default btree class orders if they have no hash class.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "read/dictionary.h"
#include "read/dictionary_values.h"
#include "storage/itemptr.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

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

static inline uint64
LoadWord(const char *bytes)
{
	uint64		word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

/*
 * Up to 8 bytes as one word, which is read without a loop.  Values of the same length
 * have the same word only if they are equal; some bytes may be in the word twice.
 */
static inline uint64
LoadShort(const char *bytes, Size length)
{
	uint32		low;
	uint32		high;

	if (length >= sizeof(low))
	{
		memcpy(&low, bytes, sizeof(low));
		memcpy(&high, bytes + length - sizeof(high), sizeof(high));
		return ((uint64) high << 32) | low;
	}
	if (length == 0)
		return 0;
	return ((uint64) (unsigned char) bytes[0] << 16) |
		((uint64) (unsigned char) bytes[length / 2] << 8) |
		(unsigned char) bytes[length - 1];
}

/* If there are more than 8 bytes, the last word that is read may overlap the one before it. */
static inline uint32
HashBytes(const char *bytes, Size length)
{
	uint64		h = length * UINT64CONST(0x9E3779B97F4A7C15);

	if (length <= sizeof(uint64))
		return (uint32) MixBits(h ^ LoadShort(bytes, length));
	for (Size at = 0; at + sizeof(uint64) < length; at += sizeof(uint64))
	{
		h = (h ^ LoadWord(bytes + at)) * UINT64CONST(0xBF58476D1CE4E5B9);
		h ^= h >> 32;
	}
	return (uint32) MixBits(h ^ LoadWord(bytes + length - sizeof(uint64)));
}

static inline bool
SameBytes(const char *a, const char *b, Size length)
{
	Size		at;

	if (length <= sizeof(uint64))
		return LoadShort(a, length) == LoadShort(b, length);
	for (at = 0; at + sizeof(uint64) < length; at += sizeof(uint64))
	{
		if (LoadWord(a + at) != LoadWord(b + at))
			return false;
	}
	at = length - sizeof(uint64);
	return LoadWord(a + at) == LoadWord(b + at);
}

/* The bytes that decide whether values are equal. */
static inline const char *
ValueBytes(const Dictionary *dictionary, Datum value, Size *length)
{
	const char *bytes = DatumGetPointer(value);

	if (dictionary->typlen > 0)
	{
		*length = dictionary->typlen;
		return bytes;
	}
	*length = VARSIZE_ANY_EXHDR(bytes);
	bytes = VARDATA_ANY(bytes);
	if (dictionary->padded)
		*length = bpchartruelen((char *) bytes, *length);
	return bytes;
}

static void
HashGrow(Dictionary *dictionary)
{
	uint64		nslots = dictionary->nslots ? 2 * dictionary->nslots : DICTIONARY_FIRST_SLOTS;
	HashSlot   *slots = LedgerAllocZero(dictionary->ledger, nslots * sizeof(HashSlot),
										dictionary->what);

	for (uint64 i = 0; i < dictionary->nslots; i++)
	{
		HashSlot   *old = &dictionary->hash_slots[i];
		uint64		slot = old->hash & (nslots - 1);

		if (i % DICTIONARY_REBUILD_STEP == 0)
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

static uint32
HashInsert(Dictionary *dictionary, uint32 hash, Datum value)
{
	uint64		slot;
	uint32		id;

	if ((uint64) dictionary->n * 4 >= dictionary->nslots * 3)
		HashGrow(dictionary);
	id = DictionaryNewId(dictionary, DictionaryCopyValue(dictionary, value));
	slot = hash & (dictionary->nslots - 1);
	while (dictionary->hash_slots[slot].number != 0)
		slot = (slot + 1) & (dictionary->nslots - 1);
	dictionary->hash_slots[slot].hash = hash;
	dictionary->hash_slots[slot].number = id + 1;
	return id;
}

static uint32
BytesLookup(Dictionary *dictionary, Datum value, bool add)
{
	Size		length;
	const char *bytes = ValueBytes(dictionary, value, &length);
	uint32		hash = HashBytes(bytes, length);
	uint64		mask = dictionary->nslots - 1;

	for (uint64 slot = hash & mask; dictionary->nslots != 0; slot = (slot + 1) & mask)
	{
		HashSlot   *candidate = &dictionary->hash_slots[slot];
		const char *other;
		Size		other_length;

		if (candidate->number == 0)
			break;
		if (candidate->hash != hash)
			continue;
		other = ValueBytes(dictionary, dictionary->entries[candidate->number - 1].value,
						   &other_length);
		if (other_length == length && SameBytes(other, bytes, length))
			return candidate->number - 1;
	}
	return add ? HashInsert(dictionary, hash, value) : DICTIONARY_NONE;
}

static uint32
HashedLookup(Dictionary *dictionary, Datum value, bool add)
{
	TypeCacheEntry *type = dictionary->type;
	uint32		hash = (uint32) MixBits(DatumGetUInt32(FunctionCall1Coll(&type->hash_proc_finfo,
																		 dictionary->collation,
																		 value)));
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
	return (RBTNode *) DictionaryAllocBytes(arg, sizeof(OrderedNode));
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
 * Does a varlena hold its bytes itself, and uncompressed?  VARATT_IS_SHORT() is also
 * true of a pointer to a value that is stored elsewhere.
 */
static inline bool
IsInline(Datum value)
{
	const char *pointer = DatumGetPointer(value);

	return VARATT_IS_SHORT(pointer) ? !VARATT_IS_EXTERNAL(pointer) :
		!VARATT_IS_EXTENDED(pointer);
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
	uint32		id;

	if (dictionary->kind == DICTIONARY_INTEGER)
	{
		int64		key = DatumInteger(dictionary, value);

		return add ? DictionaryInteger(dictionary, key) : DictionaryFindInteger(dictionary, key);
	}

	if (dictionary->kind == DICTIONARY_BYTES &&
		(dictionary->typlen > 0 || IsInline(value)))
		return BytesLookup(dictionary, value, add);

	old = MemoryContextSwitchTo(dictionary->ledger->scratch);
	if (dictionary->typlen == -1)
		value = PointerGetDatum(PG_DETOAST_DATUM(value));
	if (dictionary->kind == DICTIONARY_BYTES)
		id = BytesLookup(dictionary, value, add);
	else if (dictionary->kind == DICTIONARY_HASHED)
		id = HashedLookup(dictionary, value, add);
	else
		id = OrderedLookup(dictionary, value, add);
	MemoryContextSwitchTo(old);
	return id;
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
	MemoryContext old;

	dictionary->ledger = ledger;
	dictionary->what = what;
	dictionary->type = DictionaryType(type);
	dictionary->collation = collation;
	dictionary->typlen = dictionary->type->typlen;
	dictionary->typbyval = dictionary->type->typbyval;
	dictionary->kind = ChooseKind(dictionary->type, collation);
	dictionary->padded = dictionary->type->eq_opr_finfo.fn_oid == F_BPCHAREQ;
	DictionaryInitValues(dictionary, keep_values);
	if (dictionary->kind == DICTIONARY_ORDERED)
	{
		old = MemoryContextSwitchTo(ledger->context);
		dictionary->tree = rbt_create(sizeof(OrderedNode), OrderedCompare,
									  OrderedCombine, OrderedAlloc, NULL, dictionary);
		MemoryContextSwitchTo(old);
	}
	return dictionary;
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
