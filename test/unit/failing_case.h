/*-------------------------------------------------------------------------
 *
 * failing_case.h
 *	  A case that fails, on a table that is as small as can be.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FAILING_CASE_H
#define FAILING_CASE_H

#include "engine_cases.h"

/*
 * Make the table smaller as long as the case still fails on it, and print what is left in FIMI form
 * with the command that tries it again.
 */
extern void ReportCase(const Case *c, Table *table);

#endif							/* FAILING_CASE_H */
