/*-------------------------------------------------------------------------
 *
 * stirling.h
 *	  The error of Stirling's formula, for the distributions that families compute.
 *
 *-------------------------------------------------------------------------
 */
#ifndef STIRLING_H
#define STIRLING_H

/* The error of x below this is taken from a table. */
#define FIM_STIRLING_TABLE	16

/*
 * log(x!) - log(sqrt(2 pi x) (x / e)^x), to 2e-16, for a whole number x > 0 or any number of at
 * least FIM_STIRLING_TABLE; 0 for 0.
 */
static inline double
FimStirlingError(double x)
{
	static const double table[FIM_STIRLING_TABLE] = {
		0, 0.08106146679532725822, 0.04134069595540929409, 0.02767792568499833915,
		0.02079067210376509311, 0.01664469118982119216, 0.01387612882307074800,
		0.01189670994589177010, 0.01041126526197209650, 0.00925546218271273292,
		0.00833056343336287126, 0.00757367548795184080, 0.00694284010720952987,
		0.00640899418800420707, 0.00595137011275884774, 0.00555473355196280137
	};
	double		square = 1 / (x * x);

	if (x < FIM_STIRLING_TABLE)
		return table[(int) x];
	return (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - (1.0 / 1680 - 1.0 / 1188 * square) * square) * square) * square) / x;
}

#endif							/* STIRLING_H */
