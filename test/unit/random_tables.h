/*-------------------------------------------------------------------------
 *
 * random_tables.h
 *	  The CPU engine against brute force on random databases: every kind with every strategy
 *	  and instruction set, with random limits of length and prefixes, listing and counting, by
 *	  one worker and by several threads that share a job.
 *
 * The databases are tried in a child process, so that a crash or an endless loop is found like a
 * wrong result.  The parent then shows the case on a database that is as small as can be.
 *
 * The options of such a test: -s sets the seed, -n the number of databases, -d tries one of them
 * only, -k one kind only and -w, from 2 up, only cases with several workers.  The seed is also taken
 * from FIM_SEED and the number of databases from FIM_DATABASES.
 *
 *-------------------------------------------------------------------------
 */
#ifndef RANDOM_TABLES_H
#define RANDOM_TABLES_H

#include "tables.h"

/* The test's main program, which tries those databases that are of sizes it has. */
extern int	CheckRandomTables(int argc, char **argv, bool (*has) (TableSize size));

#endif							/* RANDOM_TABLES_H */
