/*-------------------------------------------------------------------------
 *
 * columns.h
 *	  The transactions of each item, which cpu_prepare() adds to the data.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_PROBABLE_COLUMNS_H
#define FIM_PROBABLE_COLUMNS_H

#include "probable.h"

/* The entries starts[i] .. starts[i + 1] - 1 of rows and factors are those of item i. */
#define COLUMN_STARTS(data)		((uint64_t *) ((char *) (data) + (data)->column_at))
#define COLUMN_ROWS(data)		((uint32_t *) ((char *) (data) + (data)->row_at))
#define COLUMN_FACTORS(data)	((double *) ((char *) (data) + (data)->factor_at))

/* cpu_size() and cpu_prepare() of the family. */
extern size_t ColumnsSize(const FimData *data);
extern bool ColumnsMake(FimData *data, FimHost *host);

#endif							/* FIM_PROBABLE_COLUMNS_H */
