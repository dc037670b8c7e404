/*-------------------------------------------------------------------------
 *
 * fimi_file.c
 *	  Reading files in FIMI form, see fimi_file.h.
 *
 *-------------------------------------------------------------------------
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fimi_file.h"
#include "gpu_library.h"

/* The items of the line being read; seen has for each item the last line that had it. */
typedef struct Line
{
	uint32_t   *items;
	uint32_t	length;
	uint32_t	room;
	uint32_t   *seen;
	uint32_t	nseen;
	uint32_t	number;			/* from 1 */
} Line;

static void
AddToLine(Line *line, uint32_t item)
{
	if (item >= line->nseen)
	{
		uint32_t	nseen = item * 2 + 64;

		line->seen = realloc(line->seen, nseen * sizeof(uint32_t));
		assert(line->seen != NULL);
		memset(line->seen + line->nseen, 0, (nseen - line->nseen) * sizeof(uint32_t));
		line->nseen = nseen;
	}
	if (line->seen[item] == line->number)
		return;
	line->seen[item] = line->number;
	if (line->length == line->room)
		line->items = realloc(line->items, (line->room = line->room * 2 + 64) * sizeof(uint32_t));
	assert(line->items != NULL);
	line->items[line->length++] = item;
}

void
ReadFimi(const char *name, Table *table)
{
	FILE	   *file = fopen(name, "r");
	Line		line = {.number = 1};
	bool		number = false;
	bool		any = false;
	uint32_t	item = 0;
	int			c;

	if (file == NULL)
		Die("there is no such file");
	TableInit(table, 0);
	do
	{
		c = getc_unlocked(file);
		if (c >= '0' && c <= '9')
		{
			item = (number ? item * 10 : 0) + (uint32_t) (c - '0');
			number = any = true;
			continue;
		}
		if (number)
		{
			AddToLine(&line, item);
			if (item >= table->nitems)
				table->nitems = item + 1;
			number = false;
		}
		if (c == '\n' || (c == EOF && any))
		{
			TableAdd(table, line.items, line.length);
			line.length = 0;
			line.number++;
			any = false;
		}
	} while (c != EOF);
	free(line.items);
	free(line.seen);
	fclose(file);
}
