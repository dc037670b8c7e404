/*-------------------------------------------------------------------------
 *
 * kind.h
 *	  Which of the itemsets that are selected a task is to give.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_KIND_H
#define FIM_KIND_H

typedef enum FimKind
{
	FIM_ALL,
	FIM_CLOSED,					/* no superset has the same support */
	FIM_MAXIMAL					/* no superset is selected */
} FimKind;

#endif							/* FIM_KIND_H */
