/*-------------------------------------------------------------------------
 *
 * pictures.h
 *	  Aggregates that describe results in the languages of programs that draw: DOT, which Graphviz
 *	  reads, and Vega-Lite.
 *
 * The rows are kept by one transition function.  A picture does not depend on their order, since
 * each begins by sorting them.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_PICTURES_H
#define GPUFIM_PICTURES_H

#include "postgres.h"

#include "fmgr.h"
#include "lib/stringinfo.h"

/* The most arguments that one of the aggregates has. */
#define PICTURE_MAX_VALUES	6

/* A value in a row: a number, or texts.  An array has one for each element, a text has one, and NULL has none. */
typedef struct PictureValue
{
	double		number;
	int			ntexts;
	char	  **texts;
} PictureValue;

typedef struct PictureRow
{
	PictureValue values[PICTURE_MAX_VALUES];
} PictureRow;

/* What an aggregate was given. */
typedef struct PictureRows
{
	int			nvalues;		/* in a row */
	Oid			element_types[PICTURE_MAX_VALUES]; /* of arrays */
	FmgrInfo	output[PICTURE_MAX_VALUES]; /* makes texts of elements */
	int64		nrows;
	int64		room;
	PictureRow *rows;
	uint64		bytes;			/* that the rows take */
} PictureRows;

/*
 * rows.c: What an aggregate was given.
 */

/*
 * The rows of an aggregate whose final function is called; *nrows becomes their number.  The order
 * is a list of indexes of values, in which ~i stands for value i in descending order, and
 * PICTURE_END ends the list.
 */
#define PICTURE_END		PICTURE_MAX_VALUES

extern PictureRow **SortedPictureRows(FunctionCallInfo fcinfo, const int *order, int64 *nrows);

/* The type of the elements of an argument that is an array, if there is a row. */
extern Oid	PictureElementType(FunctionCallInfo fcinfo, int value);

/* "7 rules": so many of something, whose plural ends in s. */
extern char *CountedNoun(int64 number, const char *noun);

#endif							/* GPUFIM_PICTURES_H */
