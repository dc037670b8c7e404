/*-------------------------------------------------------------------------
 *
 * probable_faults.h
 *	  Faults that are injected while a GPU mines probable itemsets.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PROBABLE_FAULTS_H
#define PROBABLE_FAULTS_H

/* Returns 0, or 1 if something went wrong, which is printed. */
extern int	CheckProbableFaults(void);

#endif							/* PROBABLE_FAULTS_H */
