/* SPDX-License-Identifier: MIT */
/*
 * mpi_functions.h - the functions of MPI that send, receive or wait, and where their arguments are.
 *
 * F(name, Fortran's, number of arguments, what it does, ..): behind that the places of arguments,
 * from 1.  All arguments are integers or pointers, in C; in Fortran they are pointers, and there is
 * one more, the error, and behind it the lengths of strings.  [MPI 4.0, Annex A]
 */
#pragma once

#include "shims/mpi/mpi_collectives.h"

/* Of a window: that of its ranks which access others, and of those which are accessed. */
enum mpi_epoch { MPI_ACCESS = 1, MPI_EXPOSURE = 2 };

enum mpi_kind { MPI_OF_COMM, MPI_OF_WINDOW, MPI_OF_FILE, MPI_KINDS };

/* clang-format off */
#define MPI_AT .count = 2, .type = 3, .peer = 4, .tag = 5, .comm = 6
#define MPI_SENDING(F) \
	MPI_SENDING_COUNTED(F) \
	F(Psend_init, psend_init, 9, PREPARES, .rule = WIRE_MESSAGE_TO, .parts = 2, .count = 3, \
	  .type = 4, .peer = 5, .tag = 6, .comm = 7, .request = 9) \
	F(Pready, pready, 2, READIES, .request = 2) \
	F(Pready_range, pready_range, 3, READIES, .index = 1, .done = 2, .request = 3) \
	F(Pready_list, pready_list, 3, READIES, .count = 1, .request = 3)

/* Those that have a large form, too, with a count of 64 bits. */
#define MPI_SENDING_COUNTED(F) \
	F(Send, send, 6, SENDS, MPI_AT) F(Bsend, bsend, 6, SENDS, MPI_AT) \
	F(Ssend, ssend, 6, SENDS, MPI_AT) F(Rsend, rsend, 6, SENDS, MPI_AT) \
	F(Isend, isend, 7, SENDS, MPI_AT, .request = 7) \
	F(Ibsend, ibsend, 7, SENDS, MPI_AT, .request = 7) \
	F(Issend, issend, 7, SENDS, MPI_AT, .request = 7) \
	F(Irsend, irsend, 7, SENDS, MPI_AT, .request = 7) \
	F(Send_init, send_init, 7, PREPARES, .rule = WIRE_MESSAGE_TO, MPI_AT, .request = 7) \
	F(Bsend_init, bsend_init, 7, PREPARES, .rule = WIRE_MESSAGE_TO, MPI_AT, .request = 7) \
	F(Ssend_init, ssend_init, 7, PREPARES, .rule = WIRE_MESSAGE_TO, MPI_AT, .request = 7) \
	F(Rsend_init, rsend_init, 7, PREPARES, .rule = WIRE_MESSAGE_TO, MPI_AT, .request = 7) \
	F(Sendrecv, sendrecv, 12, EXCHANGES, .count = 2, .type = 3, .peer = 4, .tag = 5, \
	  .from = 9, .from_tag = 10, .comm = 11, .status = 12) \
	F(Sendrecv_replace, sendrecv_replace, 9, EXCHANGES, .count = 2, .type = 3, .peer = 4, \
	  .tag = 5, .from = 6, .from_tag = 7, .comm = 8, .status = 9) \
	F(Isendrecv, isendrecv, 12, EXCHANGES, .count = 2, .type = 3, .peer = 4, .tag = 5, \
	  .from = 9, .from_tag = 10, .comm = 11, .request = 12) \
	F(Isendrecv_replace, isendrecv_replace, 9, EXCHANGES, .count = 2, .type = 3, .peer = 4, \
	  .tag = 5, .from = 6, .from_tag = 7, .comm = 8, .request = 9)

#define MPI_RECEIVING_COUNTED(F) \
	F(Recv, recv, 7, RECEIVES, MPI_AT, .status = 7) \
	F(Irecv, irecv, 7, POSTS, MPI_AT, .request = 7) \
	F(Recv_init, recv_init, 7, PREPARES, .rule = WIRE_MESSAGE_FROM, MPI_AT, .request = 7) \
	F(Mrecv, mrecv, 5, TAKES, .request = 4) \
	F(Imrecv, imrecv, 5, TAKES, .request = 4)
#define MPI_RECEIVING(F) \
	MPI_RECEIVING_COUNTED(F) \
	F(Precv_init, precv_init, 9, PREPARES, .rule = WIRE_MESSAGE_FROM, .parts = 2, .count = 3, \
	  .type = 4, .peer = 5, .tag = 6, .comm = 7, .request = 9) \
	F(Parrived, parrived, 3, PEEKS, .request = 1, .flag = 3) \
	F(Probe, probe, 4, PEEKS, .comm = 3, .status = 4) \
	F(Iprobe, iprobe, 5, PEEKS, .comm = 3, .flag = 4, .status = 5) \
	F(Mprobe, mprobe, 5, MATCHES, .comm = 3, .request = 4, .status = 5) \
	F(Improbe, improbe, 6, MATCHES, .comm = 3, .flag = 4, .request = 5, .status = 6)

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
	F(Request_get_status, request_get_status, 3, PEEKS, .request = 1, .flag = 2) \
	F(Request_get_status_all, request_get_status_all, 4, WAITS, .flag = 3) \
	F(Request_get_status_any, request_get_status_any, 5, WAITS, .flag = 4) \
	F(Request_get_status_some, request_get_status_some, 5, WAITS, .done = 3, .flag = 3) \
	F(Start, start, 1, STARTS, .request = 1) \
	F(Startall, startall, 2, STARTS, .count = 1, .request = 2) \
	F(Cancel, cancel, 1, CANCELS, .request = 1) \
	F(Request_free, request_free, 1, FORGETS, .request = 1)

#define MPI_EPOCH(F, name, lower, n, rule_, epoch_, comm_, group_, flag_) \
	F(name, lower, n, EPOCHS, .rule = WIRE_MESSAGE_##rule_, .epoch = MPI_##epoch_, \
	  .of = MPI_OF_WINDOW, .comm = comm_, .group = group_, .flag = flag_)
#define MPI_EXPOSING(F) \
	MPI_EPOCH(F, Win_post, win_post, 3, TO, EXPOSURE, 3, 1, 0) \
	MPI_EPOCH(F, Win_start, win_start, 3, FROM, ACCESS, 3, 1, 0) \
	MPI_EPOCH(F, Win_complete, win_complete, 1, TO, ACCESS, 1, 0, 0) \
	MPI_EPOCH(F, Win_wait, win_wait, 1, FROM, EXPOSURE, 1, 0, 0) \
	MPI_EPOCH(F, Win_test, win_test, 2, FROM, EXPOSURE, 1, 0, 2)

/* They wait for ranks that their arguments do not name. */
#define MPI_WAIT_ONLY(F, name, lower, n) F(name, lower, n, WAITS, .rule = 0)
#define MPI_WAITING(F) \
	MPI_WAITING_COUNTED(F) \
	MPI_WAIT_ONLY(F, Session_init, session_init, 3) \
	MPI_WAIT_ONLY(F, Session_finalize, session_finalize, 1) \
	MPI_WAIT_ONLY(F, Buffer_flush, buffer_flush, 0) \
	MPI_WAIT_ONLY(F, Comm_flush_buffer, comm_flush_buffer, 1) \
	MPI_WAIT_ONLY(F, Session_flush_buffer, session_flush_buffer, 1) \
	MPI_WAIT_ONLY(F, Comm_set_info, comm_set_info, 2) \
	MPI_WAIT_ONLY(F, Win_set_info, win_set_info, 2) \
	MPI_WAIT_ONLY(F, File_set_info, file_set_info, 2) \
	MPI_WAIT_ONLY(F, File_set_view, file_set_view, 6) \
	MPI_WAIT_ONLY(F, File_set_atomicity, file_set_atomicity, 2) \
	MPI_WAIT_ONLY(F, File_preallocate, file_preallocate, 2) \
	MPI_WAIT_ONLY(F, File_seek_shared, file_seek_shared, 3) \
	MPI_WAIT_ONLY(F, Win_lock, win_lock, 4) \
	MPI_WAIT_ONLY(F, Win_unlock, win_unlock, 2) \
	MPI_WAIT_ONLY(F, Win_lock_all, win_lock_all, 2) \
	MPI_WAIT_ONLY(F, Win_unlock_all, win_unlock_all, 1) \
	MPI_WAIT_ONLY(F, Win_flush, win_flush, 2) \
	MPI_WAIT_ONLY(F, Win_flush_all, win_flush_all, 1) \
	MPI_WAIT_ONLY(F, Win_flush_local, win_flush_local, 2) \
	MPI_WAIT_ONLY(F, Win_flush_local_all, win_flush_local_all, 1)

/* Those that have a large form, too. */
#define MPI_WAITING_COUNTED(F) \
	MPI_WAIT_ONLY(F, Buffer_detach, buffer_detach, 2) \
	MPI_WAIT_ONLY(F, Comm_detach_buffer, comm_detach_buffer, 3) \
	MPI_WAIT_ONLY(F, Session_detach_buffer, session_detach_buffer, 3) \
	MPI_WAIT_ONLY(F, File_read, file_read, 5) \
	MPI_WAIT_ONLY(F, File_read_at, file_read_at, 6) \
	MPI_WAIT_ONLY(F, File_read_shared, file_read_shared, 5) \
	MPI_WAIT_ONLY(F, File_write, file_write, 5) \
	MPI_WAIT_ONLY(F, File_write_at, file_write_at, 6) \
	MPI_WAIT_ONLY(F, File_write_shared, file_write_shared, 5)
/* In Fortran they have fewer arguments: F(.., in C, .., in Fortran). */
#define MPI_BEGINNING(F) \
	F(Init, init, 2, WAITS, 0) \
	F(Init_thread, init_thread, 4, WAITS, 2)

#define MPI_FUNCTIONS(F) \
	MPI_SENDING(F) MPI_RECEIVING(F) MPI_COMPLETING(F) MPI_COLLECTING(F) MPI_GROUPING(F) \
	MPI_TOGETHER(F) MPI_EXPOSING(F) MPI_WAITING(F)
#define MPI_LARGE_FUNCTIONS(F) \
	MPI_SENDING_COUNTED(F) MPI_RECEIVING_COUNTED(F) MPI_COLLECTING_COUNTED(F) \
	MPI_WINDOWS_COUNTED(F) MPI_TOGETHER_COUNTED(F) MPI_WAITING_COUNTED(F)
/* clang-format on */
