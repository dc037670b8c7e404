/*-------------------------------------------------------------------------
 *
 * failing_case.c
 *	  A case that fails, on a table that is as small as can be, see failing_case.h.
 *
 *-------------------------------------------------------------------------
 */
#include "failing_case.h"

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHRINK_SECONDS		60

/* In a child process, which says nothing. */
static bool
StillFails(const Case *c, const Table *table)
{
	pid_t		child;
	int			status;

	fflush(stdout);
	child = fork();
	if (child == 0)
	{
		int			nowhere = open("/dev/null", O_WRONLY);

		dup2(nowhere, STDOUT_FILENO);
		dup2(nowhere, STDERR_FILENO);
		_exit(CheckOnTable(c, table) ? 0 : 1);
	}
	waitpid(child, &status, 0);
	return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

/* The table without rows first .. first+n-1, or without one item. */
static void
CopyWithout(Table *copy, const Table *table, uint32_t first, uint32_t n, uint32_t item)
{
	TableInit(copy, table->nitems);
	copy->nany = table->nany;
	for (uint32_t r = 0; r < table->nrows; r++)
	{
		uint32_t	begin = table->at[r];
		uint32_t	length = table->at[r + 1] - begin;
		uint32_t   *row = calloc(length + 1, sizeof(uint32_t));
		uint32_t	kept = 0;

		assert(row != NULL);
		for (uint32_t i = 0; i < length; i++)
			if (table->items[begin + i] != item)
				row[kept++] = table->items[begin + i];
		if (r < first || r >= first + n)
			TableAdd(copy, row, kept);
		free(row);
	}
}

static bool
ShrinkTo(const Case *c, Table *table, Table *smaller)
{
	bool		fails = StillFails(c, smaller);

	TableFree(fails ? table : smaller);
	if (fails)
		*table = *smaller;
	return fails;
}

static void
Shrink(const Case *c, Table *table)
{
	double		end = WallSeconds() + SHRINK_SECONDS;
	bool		shrunk = true;
	Table		smaller;

	while (shrunk && WallSeconds() < end)
	{
		shrunk = false;
		for (uint32_t n = table->nrows; n > 0; n /= 2)
			for (uint32_t first = 0; first < table->nrows && WallSeconds() < end;)
			{
				CopyWithout(&smaller, table, first, n, UINT32_MAX);
				if (ShrinkTo(c, table, &smaller))
					shrunk = true;
				else
					first += n;
			}
		for (uint32_t item = 0; item < table->nitems && WallSeconds() < end; item++)
		{
			CopyWithout(&smaller, table, 0, 0, item);
			if (smaller.at[smaller.nrows] == table->at[table->nrows])
				TableFree(&smaller);
			else if (ShrinkTo(c, table, &smaller))
				shrunk = true;
		}
	}
}

static void
PrintCase(const Case *c, const Table *table)
{
	printf("# fails: check_tables -f FILE -m %u -k %s -S %s -I %s -w %u%s -a %u -b %u -p %u -y %u\n",
		   c->spec.minsup, KindName(c->spec.kind), FimItemsetsFamily.strategies[c->spec.head.strategy],
		   c->isa, c->workers, c->spec.head.count_only ? " -c" : "", c->spec.min_length,
		   c->spec.max_length, c->spec.nrequired, table->nitems - table->nany);
}

void
ReportCase(const Case *c, Table *table)
{
	if (c->workers > 0)
		PrintCase(c, table);
	else
		printf("# fails while the database is built\n");
	if (StillFails(c, table))
	{
		Shrink(c, table);
		printf("# the database, made smaller, items 0 .. %u:\n", table->nitems - 1);
	}
	else
		printf("# the database (it does not fail when tried alone), items 0 .. %u:\n", table->nitems - 1);
	PrintTable(table);
	printf("# end of the database\n");
}
