/* SPDX-License-Identifier: MIT */
/*
 * uts.c - unbalanced tree search [Olivier et al., LCPC 2006]: how many nodes a tree has whose
 * shape nobody knows before.  N children of the root; of any other node, 8 with a probability
 * of 0.1225, else none, as its SHA-1 hash says, which is made of the parent's and the child's
 * number.  A task a node, and no cut-off.
 */
#define PORT_SIZE 40000
#define PORT_SMALL 100
#include "test/bench/bots/bots.h"

#define CHILDREN 8
#define PROBABILITY 0.1225

struct node {
	struct port_task task;
	uint32_t hash[5];
	long n_nodes;
	bool alone; /* its children are no tasks: the check */
};
PORT_BODY(search, struct node)

static uint32_t rotate(uint32_t x, int by)
{
	return x << by | x >> (32 - by);
}

/* SHA-1 of 24 bytes, one block [FIPS 180-4, 6.1.2]. */
static void sha1_of_words(const uint32_t *word, uint32_t *hash)
{
	uint32_t a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476, e = 0xc3d2e1f0;
	uint32_t w[80] = { word[0], word[1], word[2], word[3], word[4], word[5], 0x80000000 };

	w[15] = 24 * 8;
	for (int t = 16; t < 80; t++)
		w[t] = rotate(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
	for (int t = 0; t < 80; t++) {
		uint32_t f = t < 20   ? ((b & c) | (~b & d)) + 0x5a827999
			     : t < 40 ? (b ^ c ^ d) + 0x6ed9eba1
			     : t < 60 ? ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc
				      : (b ^ c ^ d) + 0xca62c1d6;
		uint32_t next = rotate(a, 5) + f + e + w[t];

		e = d;
		d = c;
		c = rotate(b, 30);
		b = a;
		a = next;
	}
	hash[0] = a + 0x67452301;
	hash[1] = b + 0xefcdab89;
	hash[2] = c + 0x98badcfe;
	hash[3] = d + 0x10325476;
	hash[4] = e + 0xc3d2e1f0;
}

static void node_child(const struct node *node, uint32_t number, struct node *child)
{
	uint32_t word[6];

	memcpy(word, node->hash, sizeof(node->hash));
	word[5] = number;
	memset(child, 0, sizeof(*child));
	child->alone = node->alone;
	sha1_of_words(word, child->hash);
}

static int node_children(const struct node *node)
{
	return (double)(node->hash[4] >> 1) / 2147483648.0 < PROBABILITY ? CHILDREN : 0;
}

static void search(struct node *at)
{
	struct node child[CHILDREN];
	int n = node_children(at);

	at->n_nodes = 1;
	if (n == 0)
		return;
	PORT_OPEN(group);
	for (int i = 0; i < n; i++) {
		node_child(at, (uint32_t)i, &child[i]);
		if (at->alone)
			search(&child[i]);
		else
			PORT_CREATE(group, search, &child[i]);
	}
	if (!at->alone) {
		PORT_WAIT(group);
	}
	for (int i = 0; i < n; i++)
		at->n_nodes += child[i].n_nodes;
	PORT_CLOSE(group);
}

/* The first of them once more, by itself. */
static void check(const struct node *root, const struct node *first)
{
	struct node again, from = *root;

	from.alone = true;
	node_child(&from, 0, &again);
	search(&again);
	bots_check(again.n_nodes == first->n_nodes, "the nodes of the first subtree");
}

static long port_program(long size, long *n_tasks)
{
	struct node root, *child = (struct node *)bots_alloc((size_t)size, sizeof(*child));
	long n_nodes = 1;

	memset(&root, 0, sizeof(root));
	root.hash[0] = 42;
	PORT_OPEN(group);
	for (long i = 0; i < size; i++) {
		node_child(&root, (uint32_t)i, &child[i]);
		PORT_CREATE(group, search, &child[i]);
	}
	PORT_WAIT(group);
	for (long i = 0; i < size; i++)
		n_nodes += child[i].n_nodes;
	check(&root, &child[0]);
	*n_tasks = n_nodes - 1;
	free(child);
	PORT_CLOSE(group);
	return n_nodes;
}
