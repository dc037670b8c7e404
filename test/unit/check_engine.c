/*-------------------------------------------------------------------------
 *
 * check_engine.c
 *	  The CPU engine against brute force on random databases so small that all their itemsets
 *	  can be gone through, see random_tables.h.
 *
 * Usage: check_engine [-s seed] [-n databases] [-d number] [-k kind] [-w workers]
 *
 *-------------------------------------------------------------------------
 */
#include "random_tables.h"

static bool
IsSmall(TableSize size)
{
	return size == SMALL;
}

int
main(int argc, char **argv)
{
	return CheckRandomTables(argc, argv, IsSmall);
}
