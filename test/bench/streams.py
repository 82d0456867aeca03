# SPDX-License-Identifier: MIT
"""streams.py - how fast the collector takes the recorded streams of many workers, and how long those would wait for it."""
import os
from statistics import median


def measure(bench):
    tasks = bench.traced("fib", 22, OMP_NUM_THREADS="2", TPTRACE_COLLAPSE="off")["tasks"]
    events_a_task = bench.figures("encode", bench.trace, 1)["events"] / tasks
    for how in ("full", "collapsed", "thinned"):
        for workers in (64, 256):
            turns = [[taken(bench, how, workers, threads) for threads in (1, 2)]
                     for _ in range(bench.n_turns(7, 3))]
            rates = [1e3 / one["ns_per_event"] for one, _ in turns]
            bench.row(f"streams: {how}, {workers} workers", rates, "M events/s a thread", 40,
                      least=True, note=f"{median(t['cpu_ns_per_event'] for t, _ in turns):.2f} ns of "
                      f"processor time; {turns[0][0]['taken_of_1000'] / 10:.1f} % came to a ring")
            bench.row(f"streams: {how}, {workers} workers, 2 threads",
                      [one["ns_per_event"] / two["ns_per_event"] for one, two in turns],
                      "x as fast as one", 1.8, least=True)
        waits(bench, how, median(rates) * 1e6, events_a_task)


def taken(bench, how, workers, threads):
    out = os.path.join(bench.tmp, "streams.tpt")
    try:
        return bench.figures("streams", how, bench.trace, workers, threads, 320 // workers + 1, out)
    finally:
        os.unlink(out)


def waits(bench, how, rate, events_a_task):
    """By a worker that records all the time that it does not wait."""
    for workers in (16, 64, 256):
        for grain_us in (.1, 1, 10):
            made = events_a_task / (grain_us * 1e-6 + events_a_task * 11e-9)
            one = simulated_waits(workers, rate, made)
            bench.row(f"streams: {how}, {workers} workers, {grain_us:g} us a task",
                      [100 * simulated_waits(16, rate, made)], "% waiting, simulated",
                      note=f"{100 * one:.1f} % with one thread for all")


def simulated_waits(streams, rate, made, seconds=.5):
    """The share of their time that workers wait for the thread of the collector that has so many, and takes
    `rate` events a second while a worker makes `made`: rings of 65536 events, taken in turns once they are
    a quarter full, in blocks of 32768 at most."""
    ring, block, step = 65536, 32768, 2e-4
    rings, waited, at, now, busy_until = [0.0] * streams, 0.0, 0, 0.0, 0.0
    while now < seconds:
        waited += sum(max(0, n + made * step - ring) for n in rings) / made
        rings = [min(ring, n + made * step) for n in rings]
        now += step
        while busy_until <= now and max(rings) >= ring / 4:
            while rings[at] < ring / 4:
                at = (at + 1) % streams
            n = min(block, rings[at])
            rings[at] -= n
            busy_until = max(busy_until, now - step) + n / rate
            at = (at + 1) % streams
    return waited / now / streams
