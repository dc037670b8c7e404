/*-------------------------------------------------------------------------
 *
 * fimi_file.h
 *	  Transactions from files in FIMI form: a line each, items as numbers.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIMI_FILE_H
#define FIMI_FILE_H

#include "../unit/brute.h"

/*
 * Reads a file.  An item counts once in each line.  The program ends with a message if
 * there is no such file; the caller frees the table.
 */
extern void ReadFimi(const char *name, Table *table);

#endif							/* FIMI_FILE_H */
