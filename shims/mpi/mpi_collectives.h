/* SPDX-License-Identifier: MIT */
/*
 * mpi_collectives.h - of the list of MPI's functions, those that all ranks of a communicator call
 * together, or all that have a window or a file open; most that make one of these are.
 */
#pragma once

/* clang-format off */
/* F(.., rule, communicator, root or 0, count and type or 0); the form that does not block, which
 * has a request last; and the persistent one, which has hints before that.  A count and a type that
 * MPI ignores, with MPI_IN_PLACE or on some ranks, may be anything: they are not named. */
#define MPI_ALL_FORMS(F, upper, lower, n, next, last, rule_, comm_, root_, count_, type_) \
	MPI_ONE_FORM(F, upper, lower, n, COLLECTS, rule_, comm_, root_, count_, type_, 0) \
	MPI_ONE_FORM(F, I##lower, i##lower, next, COLLECTS, rule_, comm_, root_, count_, type_, \
		     next) \
	MPI_ONE_FORM(F, upper##_init, lower##_init, last, PREPARES, rule_, comm_, root_, count_, \
		     type_, last)
#define MPI_ONE_FORM(F, name, lower, n, does, rule_, comm_, root_, count_, type_, request_) \
	F(name, lower, n, does, .rule = WIRE_MESSAGE_##rule_, .comm = comm_, .peer = root_, \
	  .count = count_, .type = type_, .request = request_)
#define MPI_COLLECTING(F) \
	MPI_ALL_FORMS(F, Barrier, barrier, 1, 2, 3, ALL, 1, 0, 0, 0) \
	MPI_COLLECTING_COUNTED(F)
#define MPI_COLLECTING_COUNTED(F) \
	MPI_ALL_FORMS(F, Bcast, bcast, 5, 6, 7, FROM_ROOT, 5, 4, 2, 3) \
	MPI_ALL_FORMS(F, Gather, gather, 8, 9, 10, TO_ROOT, 8, 7, 0, 0) \
	MPI_ALL_FORMS(F, Gatherv, gatherv, 9, 10, 11, TO_ROOT, 9, 8, 0, 0) \
	MPI_ALL_FORMS(F, Scatter, scatter, 8, 9, 10, FROM_ROOT, 8, 7, 0, 0) \
	MPI_ALL_FORMS(F, Scatterv, scatterv, 9, 10, 11, FROM_ROOT, 9, 8, 0, 0) \
	MPI_ALL_FORMS(F, Allgather, allgather, 7, 8, 9, ALL, 7, 0, 0, 0) \
	MPI_ALL_FORMS(F, Allgatherv, allgatherv, 8, 9, 10, ALL, 8, 0, 0, 0) \
	MPI_ALL_FORMS(F, Alltoall, alltoall, 7, 8, 9, ALL, 7, 0, 0, 0) \
	MPI_ALL_FORMS(F, Alltoallv, alltoallv, 9, 10, 11, ALL, 9, 0, 0, 0) \
	MPI_ALL_FORMS(F, Alltoallw, alltoallw, 9, 10, 11, ALL, 9, 0, 0, 0) \
	MPI_ALL_FORMS(F, Reduce, reduce, 7, 8, 9, TO_ROOT, 7, 6, 3, 4) \
	MPI_ALL_FORMS(F, Allreduce, allreduce, 6, 7, 8, ALL, 6, 0, 3, 4) \
	MPI_ALL_FORMS(F, Reduce_scatter, reduce_scatter, 6, 7, 8, ALL, 6, 0, 0, 0) \
	MPI_ALL_FORMS(F, Reduce_scatter_block, reduce_scatter_block, 6, 7, 8, ALL, 6, 0, 3, 4) \
	MPI_ALL_FORMS(F, Scan, scan, 6, 7, 8, SCAN, 6, 0, 3, 4) \
	MPI_ALL_FORMS(F, Exscan, exscan, 6, 7, 8, SCAN, 6, 0, 3, 4) \
	MPI_ALL_FORMS(F, Neighbor_allgather, neighbor_allgather, 7, 8, 9, NEAR, 7, 0, 2, 3) \
	MPI_ALL_FORMS(F, Neighbor_allgatherv, neighbor_allgatherv, 8, 9, 10, NEAR, 8, 0, 2, 3) \
	MPI_ALL_FORMS(F, Neighbor_alltoall, neighbor_alltoall, 7, 8, 9, NEAR, 7, 0, 2, 3) \
	MPI_ALL_FORMS(F, Neighbor_alltoallv, neighbor_alltoallv, 9, 10, 11, NEAR, 9, 0, 0, 0) \
	MPI_ALL_FORMS(F, Neighbor_alltoallw, neighbor_alltoallw, 9, 10, 11, NEAR, 9, 0, 0, 0)

/* F(.., communicator or 0, the new one): a collective call of the communicator's ranks. */
#define MPI_NEW(F, name, lower, n, comm_, kind, made_) \
	F(name, lower, n, MAKES, .rule = (comm_) ? WIRE_MESSAGE_ALL : 0, .comm = comm_, \
	  .makes = MPI_OF_##kind, .made = made_)
#define MPI_GROUPING(F) \
	MPI_NEW(F, Comm_dup, comm_dup, 2, 1, COMM, 2) \
	MPI_NEW(F, Comm_dup_with_info, comm_dup_with_info, 3, 1, COMM, 3) \
	F(Comm_idup, comm_idup, 3, COLLECTS, .rule = WIRE_MESSAGE_ALL, .comm = 1, .made = 2, \
	  .request = 3) \
	F(Comm_idup_with_info, comm_idup_with_info, 4, COLLECTS, .rule = WIRE_MESSAGE_ALL, \
	  .comm = 1, .made = 3, .request = 4) \
	MPI_NEW(F, Comm_create, comm_create, 3, 1, COMM, 3) \
	MPI_NEW(F, Comm_create_group, comm_create_group, 4, 0, COMM, 4) \
	MPI_NEW(F, Comm_create_from_group, comm_create_from_group, 5, 0, COMM, 5) \
	MPI_NEW(F, Comm_split, comm_split, 4, 1, COMM, 4) \
	MPI_NEW(F, Comm_split_type, comm_split_type, 5, 1, COMM, 5) \
	MPI_NEW(F, Cart_create, cart_create, 6, 1, COMM, 6) \
	MPI_NEW(F, Cart_sub, cart_sub, 3, 1, COMM, 3) \
	MPI_NEW(F, Graph_create, graph_create, 6, 1, COMM, 6) \
	MPI_NEW(F, Dist_graph_create, dist_graph_create, 9, 1, COMM, 9) \
	MPI_NEW(F, Dist_graph_create_adjacent, dist_graph_create_adjacent, 10, 1, COMM, 10) \
	MPI_NEW(F, Intercomm_create, intercomm_create, 6, 1, COMM, 6) \
	MPI_NEW(F, Intercomm_create_from_groups, intercomm_create_from_groups, 8, 0, COMM, 8) \
	MPI_NEW(F, Intercomm_merge, intercomm_merge, 3, 1, COMM, 3) \
	F(Comm_free, comm_free, 1, FORGETS, .comm = 1) \
	F(Comm_disconnect, comm_disconnect, 1, FORGETS, .comm = 1) \
	MPI_NEW(F, Comm_spawn, comm_spawn, 8, 6, COMM, 7) \
	MPI_NEW(F, Comm_spawn_multiple, comm_spawn_multiple, 9, 7, COMM, 8) \
	MPI_NEW(F, Comm_accept, comm_accept, 5, 4, COMM, 5) \
	MPI_NEW(F, Comm_connect, comm_connect, 5, 4, COMM, 5) \
	MPI_NEW(F, Comm_join, comm_join, 2, 0, COMM, 2) \
	MPI_NEW(F, Win_create_dynamic, win_create_dynamic, 3, 2, WINDOW, 3) \
	MPI_WINDOWS_COUNTED(F) \
	MPI_NEW(F, File_open, file_open, 5, 1, FILE, 5) \
	F(Win_free, win_free, 1, FORGETS, .rule = WIRE_MESSAGE_ALL, .of = MPI_OF_WINDOW, \
	  .comm = 1) \
	F(File_close, file_close, 1, FORGETS, .rule = WIRE_MESSAGE_ALL, .of = MPI_OF_FILE, \
	  .comm = 1)

/* Those that have a large form, too. */
#define MPI_WINDOWS_COUNTED(F) \
	MPI_NEW(F, Win_create, win_create, 6, 5, WINDOW, 6) \
	MPI_NEW(F, Win_allocate, win_allocate, 6, 4, WINDOW, 6) \
	MPI_NEW(F, Win_allocate_shared, win_allocate_shared, 6, 4, WINDOW, 6)

/* Collective calls without a communicator: of all ranks, or of those of a window or a file. */
#define MPI_MEETING(F, name, lower, n, kind, place) \
	F(name, lower, n, COLLECTS, .rule = WIRE_MESSAGE_ALL, .of = MPI_OF_##kind, .comm = place)
#define MPI_TOGETHER(F) \
	MPI_MEETING(F, Finalize, finalize, 0, COMM, 0) \
	MPI_MEETING(F, Win_fence, win_fence, 2, WINDOW, 2) \
	MPI_MEETING(F, File_read_all_end, file_read_all_end, 3, FILE, 1) \
	MPI_MEETING(F, File_read_at_all_end, file_read_at_all_end, 3, FILE, 1) \
	MPI_MEETING(F, File_read_ordered_end, file_read_ordered_end, 3, FILE, 1) \
	MPI_MEETING(F, File_write_all_end, file_write_all_end, 3, FILE, 1) \
	MPI_MEETING(F, File_write_at_all_end, file_write_at_all_end, 3, FILE, 1) \
	MPI_MEETING(F, File_write_ordered_end, file_write_ordered_end, 3, FILE, 1) \
	MPI_TOGETHER_COUNTED(F) \
	MPI_MEETING(F, File_sync, file_sync, 1, FILE, 1) \
	MPI_MEETING(F, File_set_size, file_set_size, 2, FILE, 1)

/* Those that have a large form, too.  The beginning of a split call may do all that it does. */
#define MPI_TOGETHER_COUNTED(F) \
	MPI_MEETING(F, File_read_all_begin, file_read_all_begin, 4, FILE, 1) \
	MPI_MEETING(F, File_read_at_all_begin, file_read_at_all_begin, 5, FILE, 1) \
	MPI_MEETING(F, File_read_ordered_begin, file_read_ordered_begin, 4, FILE, 1) \
	MPI_MEETING(F, File_write_all_begin, file_write_all_begin, 4, FILE, 1) \
	MPI_MEETING(F, File_write_at_all_begin, file_write_at_all_begin, 5, FILE, 1) \
	MPI_MEETING(F, File_write_ordered_begin, file_write_ordered_begin, 4, FILE, 1) \
	MPI_MEETING(F, File_read_all, file_read_all, 5, FILE, 1) \
	MPI_MEETING(F, File_read_at_all, file_read_at_all, 6, FILE, 1) \
	MPI_MEETING(F, File_read_ordered, file_read_ordered, 5, FILE, 1) \
	MPI_MEETING(F, File_write_all, file_write_all, 5, FILE, 1) \
	MPI_MEETING(F, File_write_at_all, file_write_at_all, 6, FILE, 1) \
	MPI_MEETING(F, File_write_ordered, file_write_ordered, 5, FILE, 1)
/* clang-format on */
