/*-------------------------------------------------------------------------
 *
 * check_large.c
 *	  The CPU engine against brute force on random databases of many items or rows, see
 *	  random_tables.h.
 *
 * Usage: check_large [-s seed] [-n databases] [-d number] [-k kind] [-w workers]
 *
 *-------------------------------------------------------------------------
 */
#include "random_tables.h"

static bool
IsLarge(TableSize size)
{
	return size != SMALL;
}

int
main(int argc, char **argv)
{
	return CheckRandomTables(argc, argv, IsLarge);
}
