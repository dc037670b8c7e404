/*-------------------------------------------------------------------------
 *
 * key_type.h
 *	  The type in which the keys of two relations are compared.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_SETS_KEY_TYPE_H
#define GPUFIM_SETS_KEY_TYPE_H

#include "postgres.h"

#include "read/source.h"

/*
 * Returns the type to which SQL would convert two columns to compare them with =.  Raises SQL's
 * error if it cannot compare them.
 */
extern Oid	CommonKeyType(const SourceColumn *left, const SourceColumn *right);

/*
 * Returns the collation by which SQL would compare them in that type.  Raises SQL's error if
 * their collations conflict.
 */
extern Oid	CommonKeyCollation(const SourceColumn *left, const SourceColumn *right);

#endif							/* GPUFIM_SETS_KEY_TYPE_H */
