/*-------------------------------------------------------------------------
 *
 * key_type.h
 *	  The type in which the keys of two relations are compared.
 *
 * Included by relation.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_SETS_KEY_TYPE_H
#define GPUFIM_SETS_KEY_TYPE_H

#include "postgres.h"

#include "read/source.h"

/*
 * The type to which SQL would convert two columns to compare them with =.  Raises the error
 * of SQL if it cannot compare them.
 */
extern Oid	CommonKeyType(const SourceColumn *left, const SourceColumn *right);

/* The collation by which SQL would compare them in that type, or an error if it would not know. */
extern Oid	CommonKeyCollation(const SourceColumn *left, const SourceColumn *right);

#endif							/* GPUFIM_SETS_KEY_TYPE_H */
