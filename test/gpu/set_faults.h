/*-------------------------------------------------------------------------
 *
 * set_faults.h
 *	  Faults that are injected while a GPU multiplies sets.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SET_FAULTS_H
#define SET_FAULTS_H

/* Tries them with every strategy.  Returns 0, or 1 if something went wrong, which is printed. */
extern int	CheckSetFaults(void);

#endif							/* SET_FAULTS_H */
