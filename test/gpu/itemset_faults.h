/*-------------------------------------------------------------------------
 *
 * itemset_faults.h
 *	  Faults that are injected while a GPU mines itemsets.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ITEMSET_FAULTS_H
#define ITEMSET_FAULTS_H

/* Returns 0, or 1 if something went wrong, which is printed. */
extern int	CheckItemsetFaults(void);

#endif							/* ITEMSET_FAULTS_H */
