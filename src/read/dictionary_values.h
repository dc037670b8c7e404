/*-------------------------------------------------------------------------
 *
 * dictionary_values.h
 *	  The values of a dictionary: their numbers, and copies of those passed by reference.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_DICTIONARY_VALUES_H
#define GPUFIM_DICTIONARY_VALUES_H

#include "read/dictionary_state.h"

/* Gives the next id to a value, which must have been copied already. */
extern uint32 DictionaryNewId(Dictionary *dictionary, Datum value);

/* A copy of a value that lives as long as the dictionary. */
extern Datum DictionaryCopyValue(Dictionary *dictionary, Datum value);

/* Bytes, without any alignment, that live as long as the dictionary. */
extern char *DictionaryAllocBytes(Dictionary *dictionary, Size bytes);

/*
 * Set up and free the part of a dictionary that holds the values.  See DictionaryCreate()
 * for keep_values.
 */
extern void DictionaryInitValues(Dictionary *dictionary, bool keep_values);
extern void DictionaryFreeValues(Dictionary *dictionary);

#endif							/* GPUFIM_DICTIONARY_VALUES_H */
