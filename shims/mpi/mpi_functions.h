/* SPDX-License-Identifier: MIT */
/*
 * mpi_functions.h - the functions of MPI that send, receive or wait, and where their arguments are.
 *
 * F(name, Fortran's, number of arguments, what it does, ..): behind that the places of arguments,
 * from 1.  All arguments are integers or pointers, in C; in Fortran they are pointers, and there is
 * one more, the error.  [MPI 4.0, Annex A]
 */
#pragma once

/* clang-format off */
#define MPI_AT .count = 2, .type = 3, .peer = 4, .tag = 5, .comm = 6
#define MPI_SENDING(F) \
	F(Send, send, 6, SENDS, MPI_AT) F(Bsend, bsend, 6, SENDS, MPI_AT) \
	F(Ssend, ssend, 6, SENDS, MPI_AT) F(Rsend, rsend, 6, SENDS, MPI_AT) \
	F(Isend, isend, 7, SENDS, MPI_AT) F(Ibsend, ibsend, 7, SENDS, MPI_AT) \
	F(Issend, issend, 7, SENDS, MPI_AT) F(Irsend, irsend, 7, SENDS, MPI_AT) \
	F(Send_init, send_init, 7, PREPARES, .rule = WIRE_MESSAGE_TO, MPI_AT, .request = 7) \
	F(Bsend_init, bsend_init, 7, PREPARES, .rule = WIRE_MESSAGE_TO, MPI_AT, .request = 7) \
	F(Ssend_init, ssend_init, 7, PREPARES, .rule = WIRE_MESSAGE_TO, MPI_AT, .request = 7) \
	F(Rsend_init, rsend_init, 7, PREPARES, .rule = WIRE_MESSAGE_TO, MPI_AT, .request = 7) \
	F(Sendrecv, sendrecv, 12, EXCHANGES, .count = 2, .type = 3, .peer = 4, .tag = 5, \
	  .from = 9, .from_tag = 10, .comm = 11, .status = 12) \
	F(Sendrecv_replace, sendrecv_replace, 9, EXCHANGES, .count = 2, .type = 3, .peer = 4, \
	  .tag = 5, .from = 6, .from_tag = 7, .comm = 8, .status = 9) \
	F(Psend_init, psend_init, 9, PREPARES, .rule = WIRE_MESSAGE_TO, .count = 3, .type = 4, \
	  .peer = 5, .tag = 6, .comm = 7, .request = 9)

#define MPI_RECEIVING(F) \
	F(Recv, recv, 7, RECEIVES, MPI_AT, .status = 7) \
	F(Irecv, irecv, 7, POSTS, MPI_AT, .request = 7) \
	F(Recv_init, recv_init, 7, PREPARES, .rule = WIRE_MESSAGE_FROM, MPI_AT, .request = 7) \
	F(Precv_init, precv_init, 9, PREPARES, .rule = WIRE_MESSAGE_FROM, .count = 3, .type = 4, \
	  .peer = 5, .tag = 6, .comm = 7, .request = 9) \
	F(Probe, probe, 4, WAITS, .rule = 0) \
	F(Mprobe, mprobe, 5, MATCHES, .comm = 3, .request = 4, .status = 5) \
	F(Improbe, improbe, 6, MATCHES, .comm = 3, .flag = 4, .request = 5, .status = 6) \
	F(Mrecv, mrecv, 5, TAKES, .request = 4) \
	F(Imrecv, imrecv, 5, TAKES, .request = 4)

#define MPI_COMPLETING(F) \
	F(Wait, wait, 2, COMPLETES, .request = 1, .status = 2) \
	F(Waitall, waitall, 3, COMPLETES, .count = 1, .request = 2, .status = 3) \
	F(Waitany, waitany, 4, COMPLETES_ONE, .count = 1, .request = 2, .index = 3, .status = 4) \
	F(Waitsome, waitsome, 5, COMPLETES_SOME, .count = 1, .request = 2, .done = 3, .index = 4, \
	  .status = 5) \
	F(Test, test, 3, COMPLETES, .request = 1, .flag = 2, .status = 3) \
	F(Testall, testall, 4, COMPLETES, .count = 1, .request = 2, .flag = 3, .status = 4) \
	F(Testany, testany, 5, COMPLETES_ONE, .count = 1, .request = 2, .index = 3, .flag = 4, \
	  .status = 5) \
	F(Testsome, testsome, 5, COMPLETES_SOME, .count = 1, .request = 2, .done = 3, .flag = 3, \
	  .index = 4, .status = 5) \
	F(Start, start, 1, STARTS, .request = 1) \
	F(Startall, startall, 2, STARTS, .count = 1, .request = 2) \
	F(Request_free, request_free, 1, FORGETS, .request = 1)

/* Collective calls: F(.., rule, communicator, root or 0, count and type or 0), and the form that
 * does not block, which has a request last.  A count and a type that MPI ignores, with MPI_IN_PLACE
 * or on some ranks, may be anything: they are not named. */
#define MPI_BOTH_FORMS(F, upper, lower, n, next, rule_, comm_, root_, count_, type_) \
	MPI_ONE_FORM(F, upper, lower, n, rule_, comm_, root_, count_, type_, 0) \
	MPI_ONE_FORM(F, I##lower, i##lower, next, rule_, comm_, root_, count_, type_, next)
#define MPI_ONE_FORM(F, name, lower, n, rule_, comm_, root_, count_, type_, request_) \
	F(name, lower, n, COLLECTS, .rule = WIRE_MESSAGE_##rule_, .comm = comm_, .peer = root_, \
	  .count = count_, .type = type_, .request = request_)
#define MPI_COLLECTING(F) \
	MPI_BOTH_FORMS(F, Barrier, barrier, 1, 2, ALL, 1, 0, 0, 0) \
	MPI_BOTH_FORMS(F, Bcast, bcast, 5, 6, FROM_ROOT, 5, 4, 2, 3) \
	MPI_BOTH_FORMS(F, Gather, gather, 8, 9, TO_ROOT, 8, 7, 0, 0) \
	MPI_BOTH_FORMS(F, Gatherv, gatherv, 9, 10, TO_ROOT, 9, 8, 0, 0) \
	MPI_BOTH_FORMS(F, Scatter, scatter, 8, 9, FROM_ROOT, 8, 7, 0, 0) \
	MPI_BOTH_FORMS(F, Scatterv, scatterv, 9, 10, FROM_ROOT, 9, 8, 0, 0) \
	MPI_BOTH_FORMS(F, Allgather, allgather, 7, 8, ALL, 7, 0, 0, 0) \
	MPI_BOTH_FORMS(F, Allgatherv, allgatherv, 8, 9, ALL, 8, 0, 0, 0) \
	MPI_BOTH_FORMS(F, Alltoall, alltoall, 7, 8, ALL, 7, 0, 0, 0) \
	MPI_BOTH_FORMS(F, Alltoallv, alltoallv, 9, 10, ALL, 9, 0, 0, 0) \
	MPI_BOTH_FORMS(F, Alltoallw, alltoallw, 9, 10, ALL, 9, 0, 0, 0) \
	MPI_BOTH_FORMS(F, Reduce, reduce, 7, 8, TO_ROOT, 7, 6, 3, 4) \
	MPI_BOTH_FORMS(F, Allreduce, allreduce, 6, 7, ALL, 6, 0, 3, 4) \
	MPI_BOTH_FORMS(F, Reduce_scatter, reduce_scatter, 6, 7, ALL, 6, 0, 0, 0) \
	MPI_BOTH_FORMS(F, Reduce_scatter_block, reduce_scatter_block, 6, 7, ALL, 6, 0, 3, 4) \
	MPI_BOTH_FORMS(F, Scan, scan, 6, 7, SCAN, 6, 0, 3, 4) \
	MPI_BOTH_FORMS(F, Exscan, exscan, 6, 7, SCAN, 6, 0, 3, 4) \
	MPI_BOTH_FORMS(F, Neighbor_allgather, neighbor_allgather, 7, 8, NEAR, 7, 0, 2, 3) \
	MPI_BOTH_FORMS(F, Neighbor_allgatherv, neighbor_allgatherv, 8, 9, NEAR, 8, 0, 2, 3) \
	MPI_BOTH_FORMS(F, Neighbor_alltoall, neighbor_alltoall, 7, 8, NEAR, 7, 0, 2, 3) \
	MPI_BOTH_FORMS(F, Neighbor_alltoallv, neighbor_alltoallv, 9, 10, NEAR, 9, 0, 0, 0) \
	MPI_BOTH_FORMS(F, Neighbor_alltoallw, neighbor_alltoallw, 9, 10, NEAR, 9, 0, 0, 0)

#define MPI_GROUPING(F) \
	F(Comm_dup, comm_dup, 2, MAKES_COMM, .comm = 2) \
	F(Comm_dup_with_info, comm_dup_with_info, 3, MAKES_COMM, .comm = 3) \
	F(Comm_create, comm_create, 3, MAKES_COMM, .comm = 3) \
	F(Comm_create_group, comm_create_group, 4, MAKES_COMM, .comm = 4) \
	F(Comm_split, comm_split, 4, MAKES_COMM, .comm = 4) \
	F(Comm_split_type, comm_split_type, 5, MAKES_COMM, .comm = 5) \
	F(Cart_create, cart_create, 6, MAKES_COMM, .comm = 6) \
	F(Cart_sub, cart_sub, 3, MAKES_COMM, .comm = 3) \
	F(Graph_create, graph_create, 6, MAKES_COMM, .comm = 6) \
	F(Dist_graph_create, dist_graph_create, 9, MAKES_COMM, .comm = 9) \
	F(Dist_graph_create_adjacent, dist_graph_create_adjacent, 10, MAKES_COMM, .comm = 10) \
	F(Intercomm_create, intercomm_create, 6, MAKES_COMM, .comm = 6) \
	F(Intercomm_merge, intercomm_merge, 3, MAKES_COMM, .comm = 3) \
	F(Comm_free, comm_free, 1, FORGETS, .comm = 1) \
	F(Comm_disconnect, comm_disconnect, 1, FORGETS, .comm = 1)

/* They wait for others, of whom nothing is known. */
#define MPI_WAIT_ONLY(F, name, lower, n) F(name, lower, n, WAITS, .rule = 0)
#define MPI_WAITING(F) \
	MPI_WAIT_ONLY(F, Finalize, finalize, 0) \
	MPI_WAIT_ONLY(F, Win_create, win_create, 6) \
	MPI_WAIT_ONLY(F, Win_allocate, win_allocate, 6) \
	MPI_WAIT_ONLY(F, Win_fence, win_fence, 2) \
	MPI_WAIT_ONLY(F, Win_free, win_free, 1) \
	MPI_WAIT_ONLY(F, Win_start, win_start, 3) \
	MPI_WAIT_ONLY(F, Win_complete, win_complete, 1) \
	MPI_WAIT_ONLY(F, Win_post, win_post, 3) \
	MPI_WAIT_ONLY(F, Win_wait, win_wait, 1) \
	MPI_WAIT_ONLY(F, Win_lock, win_lock, 4) \
	MPI_WAIT_ONLY(F, Win_unlock, win_unlock, 2) \
	MPI_WAIT_ONLY(F, Win_lock_all, win_lock_all, 2) \
	MPI_WAIT_ONLY(F, Win_unlock_all, win_unlock_all, 1) \
	MPI_WAIT_ONLY(F, Win_flush, win_flush, 2) \
	MPI_WAIT_ONLY(F, Win_flush_all, win_flush_all, 1) \
	MPI_WAIT_ONLY(F, Win_flush_local, win_flush_local, 2) \
	MPI_WAIT_ONLY(F, Win_flush_local_all, win_flush_local_all, 1) \
	MPI_WAIT_ONLY(F, File_read, file_read, 5) \
	MPI_WAIT_ONLY(F, File_read_all, file_read_all, 5) \
	MPI_WAIT_ONLY(F, File_read_at, file_read_at, 6) \
	MPI_WAIT_ONLY(F, File_read_at_all, file_read_at_all, 6) \
	MPI_WAIT_ONLY(F, File_read_shared, file_read_shared, 5) \
	MPI_WAIT_ONLY(F, File_read_ordered, file_read_ordered, 5) \
	MPI_WAIT_ONLY(F, File_write, file_write, 5) \
	MPI_WAIT_ONLY(F, File_write_all, file_write_all, 5) \
	MPI_WAIT_ONLY(F, File_write_at, file_write_at, 6) \
	MPI_WAIT_ONLY(F, File_write_at_all, file_write_at_all, 6) \
	MPI_WAIT_ONLY(F, File_write_shared, file_write_shared, 5) \
	MPI_WAIT_ONLY(F, File_write_ordered, file_write_ordered, 5) \
	MPI_WAIT_ONLY(F, File_close, file_close, 1) \
	MPI_WAIT_ONLY(F, File_sync, file_sync, 1) \
	MPI_WAIT_ONLY(F, File_set_size, file_set_size, 2)
/* clang-format on */

#define MPI_FUNCTIONS(F)                                                                           \
	MPI_SENDING(F)                                                                             \
	MPI_RECEIVING(F)                                                                           \
	MPI_COMPLETING(F)                                                                          \
	MPI_COLLECTING(F)                                                                          \
	MPI_GROUPING(F)                                                                            \
	MPI_WAITING(F)
