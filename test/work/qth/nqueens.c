/* nqueens.c - tasks with copied boards; how many there are follows from the board alone */
#include <qthread/qthread.h>
#include <qthread/sinc.h>
#include <stdio.h>

#define SIZE 7

struct board {
	int n;
	char row[SIZE];
};

static aligned_t solutions, tasks;

static int fits(const struct board *board, int row)
{
	for (int i = 0; i < board->n; i++)
		if (board->row[i] == row || board->row[i] - row == board->n - i ||
		    row - board->row[i] == board->n - i)
			return 0;
	return 1;
}

static aligned_t place(void *arg)
{
	struct board *board = arg;
	qt_sinc_t *sinc = qt_sinc_create(0, NULL, NULL, 1);

	qthread_incr(&tasks, 1);
	if (board->n == SIZE)
		qthread_incr(&solutions, 1);
	for (int row = 0; row < SIZE && board->n < SIZE; row++) {
		struct board next = *board;

		if (!fits(board, row))
			continue;
		next.row[next.n++] = (char)row;
		qt_sinc_expect(sinc, 1);
		qthread_spawn(place, &next, sizeof(next), sinc, 0, NULL, NO_SHEPHERD,
			      QTHREAD_SPAWN_RET_SINC_VOID);
	}
	qt_sinc_submit(sinc, NULL);
	qt_sinc_wait(sinc, NULL);
	qt_sinc_destroy(sinc);
	return 0;
}

int main(void)
{
	struct board board = { 0 };
	aligned_t ret;

	qthread_initialize();
	qthread_fork_copyargs(place, &board, sizeof(board), &ret);
	qthread_readFF(NULL, &ret);
	printf("%lu solutions\n", (unsigned long)solutions);
	printf("tptrace-edges join=%lu\n", (unsigned long)tasks);
	printf("tptrace-tasks %lu\n", (unsigned long)tasks);
	return 0;
}
