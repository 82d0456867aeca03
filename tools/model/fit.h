/* SPDX-License-Identifier: MIT */
/*
 * fit.h - which distribution times follow: normal, lognormal, gamma, or none of them, and then
 * draws are from the times themselves.
 *
 *	parameters  normal: mean, standard deviation; lognormal: of the logarithms; gamma: shape,
 *		    scale.  By maximum likelihood; gamma's shape by Newton's method [Minka 2002]
 *	distance    the most that the distribution function and that of the times differ
 *[Kolmogorov]
 *	p	    how many of so many samples, drawn from what was fitted and fitted again, are as
 *		    far off or farther: parameters that come of the sample itself make tables of
 *		    the distance wrong [Lilliefors 1967]
 *
 * Of at most FIT_SAMPLE times, chosen by a seed; a zero counts as half a ns.  The best fit is the
 * nearest of those with a p of FIT_P or more.  Times are ns.  No state: any thread.
 */
#pragma once

#include <stdint.h>

#define FIT_LEAST 20u /* times, to be fitted at all */
#define FIT_SAMPLE 256u
#define FIT_P .05

enum family { FAMILY_EMPIRICAL, FAMILY_NORMAL, FAMILY_LOGNORMAL, FAMILY_GAMMA, FAMILIES };
extern const char *const family_name[FAMILIES]; /* "empirical", .. */

struct fit {
	double a, b; /* parameters */
	double distance, p;
};

/* The best family of n sorted times; fit[] gets all but the empirical one's. */
enum family fit_best(struct fit fit[FAMILIES], const uint64_t *sorted, uint64_t n, uint64_t seed);

double fit_cdf(enum family family, const struct fit *fit, double x);
/* The x > least of which fit_cdf() is u, 0 < u < 1; least if it has passed u there. */
double fit_quantile(enum family family, const struct fit *fit, double u, double least);

/* Equally likely, with the mean of the times but for half a ns.  `sorted` has n > 0. */
#define FIT_BINS 512u
void fit_bins(uint64_t bin[FIT_BINS], enum family family, const struct fit *fit,
	      const uint64_t *sorted, uint64_t n);
