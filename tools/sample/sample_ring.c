/* SPDX-License-Identifier: MIT */
/* sample_ring.c - perf_event_open() of a thread's CPU clock, and what it writes. */
#include "tools/sample/sample_ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tools/sample/sample_machine.h"

#define RING_MOST                                                                                  \
	65536u /* 30 samples: 60 ms of CPU time at 500 Hz, longer than the collector rests */
#define HELD_OFF 2u /* samples of faults for each that was inside: two thirds of all, measured */
#define RING_LEAST 16384u /* 7: where many threads share what may be locked in memory */

static int event_open(struct perf_event_attr *attr, uint32_t thread, int group)
{
	int fd = (int)syscall(SYS_perf_event_open, attr, (int)thread, -1, group,
			      PERF_FLAG_FD_CLOEXEC);

	if (fd < 0 && errno == EINVAL && attr->remove_on_exec) {
		attr->remove_on_exec = 0; /* kernels before 5.13 */
		fd = (int)syscall(SYS_perf_event_open, attr, (int)thread, -1, group,
				  PERF_FLAG_FD_CLOEXEC);
	}
	return fd < 0 ? -errno : fd;
}

/* Counts the thread's page faults, for each sample to say: else an interrupt looks like one. */
static int faults_open(uint32_t thread, int group)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_SW_PAGE_FAULTS,
					.exclude_kernel = 1,
					.exclude_hv = 1,
					.use_clockid = 1, /* as its group */
					.clockid = CLOCK_MONOTONIC,
					.remove_on_exec = 1 };

	return event_open(&attr, thread, group);
}

int sample_ring_open(struct sample_ring *ring, uint32_t thread, uint64_t period_ns, bool kernel)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_SW_CPU_CLOCK,
					.sample_period = period_ns,
					.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME,
					.exclude_kernel = !kernel,
					.exclude_hv = 1,
					.use_clockid = 1,
					.clockid = CLOCK_MONOTONIC,
					.watermark = 1, /* nobody is woken up */
					.wakeup_watermark = RING_MOST,
					.remove_on_exec = 1 };
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	int error = 0;

	*ring = (struct sample_ring){ .fd = -1, .faults_fd = -1 };
	if (kernel) {
		attr.sample_type |= PERF_SAMPLE_READ;
		attr.read_format = PERF_FORMAT_GROUP;
	}
	if (MACHINE_UNWINDS) {
		attr.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
		attr.sample_regs_user = MACHINE_REGS;
		attr.sample_stack_user = SAMPLE_STACK;
	}
	ring->fd = event_open(&attr, thread, -1);
	if (ring->fd < 0)
		return ring->fd;
	ring->counts = kernel;
	if (kernel)
		ring->faults_fd = faults_open(thread, ring->fd);
	for (uint64_t bytes = RING_MOST; bytes >= RING_LEAST && !ring->map; bytes /= 2) {
		void *map =
			mmap(NULL, page + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);

		error = map == MAP_FAILED ? -ENOMEM : 0; /* EPERM here is of the memory, too */
		ring->map = error ? NULL : map;
		ring->bytes = bytes;
	}
	if (error)
		sample_ring_close(ring);
	return error;
}

/* Copies what is at a place of the ring, which may go on at its begin. */
static void copy_out(const struct sample_ring *ring, uint64_t at, void *to, uint64_t n)
{
	const char *data = (const char *)ring->map + sysconf(_SC_PAGESIZE);
	uint64_t from = at & (ring->bytes - 1);
	uint64_t first = n < ring->bytes - from ? n : ring->bytes - from;

	memcpy(to, data + from, first);
	memcpy((char *)to + first, data, n - first);
}

void sample_set_registers(struct sample *sample, const uint64_t *reg)
{
	static const uint8_t number[] = MACHINE_INSN_REGS;

	sample->at.ip = reg[MACHINE_IP];
	sample->at.sp = reg[MACHINE_SP];
	sample->at.bp = reg[MACHINE_BP];
	sample->at.has_bp = true;
	for (size_t i = 0; i < sizeof(number); i++)
		sample->reg[i] = reg[number[i]];
}

/* ABI and registers, bytes of the stack, how many count. */
static bool read_stack(struct sample *sample, const char *at, uint64_t n)
{
	uint64_t head[2 + MACHINE_N_REGS], stack_bytes;

	if (n < sizeof(head))
		return false;
	memcpy(head, at, sizeof(head));
	if (head[0] == PERF_SAMPLE_REGS_ABI_NONE) /* as of a thread of the kernel */
		return false;
	sample_set_registers(sample, &head[1]);
	stack_bytes = head[1 + MACHINE_N_REGS];
	sample->at.stack = at + sizeof(head);
	if (stack_bytes && n >= sizeof(head) + stack_bytes + sizeof(uint64_t))
		memcpy(&sample->at.bytes, at + sizeof(head) + stack_bytes,
		       sizeof(sample->at.bytes));
	if (sample->at.bytes > stack_bytes)
		sample->at.bytes = 0;
	return true;
}

/* How many counters, the CPU clock, page faults; as faults_open() made them. */
static uint64_t read_faults(struct sample_ring *ring, struct sample *sample, const char *at,
			    uint64_t n)
{
	uint64_t counter[3] = { 0 };

	memcpy(counter, at, n < sizeof(counter) ? n : sizeof(counter));
	if (counter[0] > 1) {
		sample->has_faulted = counter[2] != ring->n_faults;
		ring->n_faults = counter[2];
	}
	return counter[0] > 1 ? sizeof(counter) : 2 * sizeof(uint64_t);
}

/* IP, time, and, as they were asked for, counters and the stack. */
static bool read_sample(struct sample_ring *ring, struct sample *sample, uint64_t n, bool in_kernel)
{
	uint64_t head[2], at = sizeof(head);

	if (n < sizeof(head))
		return false;
	memcpy(head, sample->bytes, sizeof(head));
	sample->what = SAMPLE_TAKEN;
	sample->ns = head[1];
	sample->in_kernel = in_kernel;
	sample->at = (struct unwind_start){ .ip = head[0] };
	if (ring->counts)
		at += read_faults(ring, sample, sample->bytes + at, n - at);
	if (!MACHINE_UNWINDS || at >= n || !read_stack(sample, sample->bytes + at, n - at))
		return !in_kernel;
	/* an interrupt that was held off until the fault was over comes before the instruction that
	 * faulted is begun again; but a hot loop is there, too, while pages fault elsewhere */
	if (!in_kernel && sample->has_faulted && sample->at.ip == ring->fault_at &&
	    ring->n_held_off) {
		ring->n_held_off--;
		sample->in_kernel = true;
	}
	/* a fault may take longer than the next sample does to come: it is counted once */
	sample->has_faulted |= in_kernel && sample->at.ip == ring->fault_ip;
	ring->fault_ip = in_kernel && sample->has_faulted ? sample->at.ip : 0;
	if (ring->fault_ip)
		ring->n_held_off += HELD_OFF;
	ring->fault_at = ring->fault_ip ?: ring->fault_at;
	return true;
}

/* The next record: false if it is none that counts. */
static bool read_record(struct sample_ring *ring, uint64_t tail,
			const struct perf_event_header *header, struct sample *sample)
{
	uint64_t n = header->size - sizeof(*header), lost[2];

	if (n > sizeof(sample->bytes))
		return false;
	copy_out(ring, tail + sizeof(*header), sample->bytes, n);
	if (header->type == PERF_RECORD_SAMPLE)
		return read_sample(ring, sample, n,
				   (header->misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
					   PERF_RECORD_MISC_KERNEL);
	if (header->type != PERF_RECORD_LOST || n < sizeof(lost))
		return false;
	memcpy(lost, sample->bytes, sizeof(lost));
	sample->what = SAMPLE_LOST;
	sample->n_lost = lost[1];
	return true;
}

void sample_ring_take(struct sample_ring *ring, struct sample *sample)
{
	struct perf_event_mmap_page *page = ring->map;
	uint64_t head, tail;

	sample->what = SAMPLE_NONE;
	if (!page)
		return;
	tail = page->data_tail;
	head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	while (sample->what == SAMPLE_NONE && head - tail >= sizeof(struct perf_event_header)) {
		struct perf_event_header header;
		bool is_good;

		copy_out(ring, tail, &header, sizeof(header));
		if (header.size < sizeof(header))
			break; /* no record is so short */
		is_good = read_record(ring, tail, &header, sample);
		if (!is_good)
			sample->what = SAMPLE_NONE;
		tail += header.size;
	}
	__atomic_store_n(&page->data_tail, tail, __ATOMIC_RELEASE);
}

void sample_ring_close(struct sample_ring *ring)
{
	if (ring->map)
		munmap(ring->map, (uint64_t)sysconf(_SC_PAGESIZE) + ring->bytes);
	if (ring->map || ring->fd > 0)
		close(ring->fd);
	if (ring->faults_fd > 0)
		close(ring->faults_fd);
	*ring = (struct sample_ring){ .fd = -1, .faults_fd = -1 };
}
