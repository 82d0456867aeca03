// SPDX-License-Identifier: MIT
// most.js - a heap, and the items of many that have the most of something.

// A heap: what comes before all others on top.
export function heap_push(heap, item, before) {
    let i = heap.push(item) - 1;
    for (let up; i > 0 && before(item, heap[(up = (i - 1) >> 1)]); i = up) heap[i] = heap[up];
    heap[i] = item;
}

// Puts an item in the place of the top.
function heap_sink(heap, item, before) {
    let i = 0;
    for (;;) {
        let down = 2 * i + 1;
        if (down + 1 < heap.length && before(heap[down + 1], heap[down])) down++;
        if (down >= heap.length || !before(heap[down], item)) break;
        heap[i] = heap[down];
        i = down;
    }
    heap[i] = item;
}

export function heap_pop(heap, before) {
    const top = heap[0],
        last = heap.pop();
    if (heap.length) heap_sink(heap, last, before);
    return top;
}

const is_less = (a, b) => a[0] < b[0] || (a[0] === b[0] && a[1] > b[1]);

// At most n numbers or other items, those of the greatest values; of equal ones the first.
export class Most {
    constructor(n) {
        this.n = n;
        this.heap = [];
    }
    add(value, item) {
        const { heap } = this;
        if (heap.length < this.n) heap_push(heap, [value, item], is_less);
        else if (heap[0][0] < value) heap_sink(heap, [value, item], is_less);
    }
    // The greatest first, equal ones in that order.
    take(by = (a, b) => a - b) {
        return this.heap.sort((a, b) => b[0] - a[0] || by(a[1], b[1])).map(([, item]) => item);
    }
}
