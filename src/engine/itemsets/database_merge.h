/*-------------------------------------------------------------------------
 *
 * database_merge.h
 *	  Merging equal rows of a database while it is built and in the end.
 *
 * Included by what builds databases: the backend, fim and unit tests.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_DATABASE_MERGE_H
#define FIM_DATABASE_MERGE_H

#include "engine/itemsets/database.h"

/*
 * Merges equal transactions among those added so far, if there are many.  Takes about 12
 * bytes a row from the host meanwhile, and returns false if it has not so much.
 */
extern bool FimDatabaseMerge(FimDatabase *db, FimHost *host);

/* Merges once more, and closes the gaps.  Nothing can be added then. */
extern bool FimDatabaseFinish(FimDatabase *db, FimHost *host);

#endif							/* FIM_DATABASE_MERGE_H */
