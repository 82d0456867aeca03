/* SPDX-License-Identifier: MIT */
/* merge.c - draws the Mandelbrot set, a task for 16 points.  CHANGED: for 256. */
#include <stdio.h>

#define WIDTH 1024
#define HEIGHT 1600
#define DEPTH 200
#ifdef CHANGED
#define POINTS 256
#else
#define POINTS 16
#endif

static unsigned char image[HEIGHT][WIDTH];

static unsigned char escape(double re, double im)
{
	double x = 0, y = 0;
	int n = 0;

	for (; n < DEPTH && x * x + y * y < 4; n++) {
		double next = x * x - y * y + re;

		y = 2 * x * y + im;
		x = next;
	}
	return (unsigned char)n;
}

static void draw(int row, int from)
{
	for (int i = from; i < from + POINTS; i++)
		image[row][i] = escape(i * 3. / WIDTH - 2, row * 2. / HEIGHT - 1);
}

int main(void)
{
	unsigned long sum = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	for (int row = 0; row < HEIGHT; row++)
		for (int from = 0; from < WIDTH; from += POINTS) {
#pragma omp task
			draw(row, from);
		}
	for (int row = 0; row < HEIGHT; row++)
		for (int i = 0; i < WIDTH; i++)
			sum += image[row][i];
	printf("%lu\n", sum);
	return 0;
}
