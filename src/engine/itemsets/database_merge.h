/*-------------------------------------------------------------------------
 *
 * database_merge.h
 *	  Merging equal rows of a database while it is built and in the end.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_DATABASE_MERGE_H
#define FIM_DATABASE_MERGE_H

#include "engine/itemsets/database.h"

/*
 * Merges equal rows among those added so far, if many are equal.  Meanwhile it takes 12 to
 * 24 bytes a row from the host.  Returns false if the host has no memory or says stop.
 */
extern bool FimDatabaseMerge(FimDatabase *db, FimHost *host);

/* Merges once more, and closes the gaps that merging left.  Nothing can be added afterwards. */
extern bool FimDatabaseFinish(FimDatabase *db, FimHost *host);

#endif							/* FIM_DATABASE_MERGE_H */
