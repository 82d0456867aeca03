! SPDX-License-Identifier: MIT
! fortran.f90 - a ring of messages and collective calls, of which one has a string, in tasks, by Fortran's entry points:
! those of mpif.h, or with -DF08 of mpi_f08, without the error that is optional there; with -DF08_LARGE also with counts of
! 64 bits.
#ifdef F08_LARGE
#define F08
#define ONE one
#else
#define ONE 1
#endif
#ifdef F08
#define ERROR
#define HANDLE(name) type(name)
#else
#define ERROR , error
#define HANDLE(name) integer
#endif
program ring
#ifdef F08
  use mpi_f08
  implicit none
#else
  implicit none
  include 'mpif.h'
#endif
  integer :: error, got, rank, n, k
  HANDLE(MPI_Request) :: request
  HANDLE(MPI_Comm) :: row
  HANDLE(MPI_File) :: file
  character(len=300) :: name
  real(8) :: x, y
#ifdef F08_LARGE
  integer(MPI_COUNT_KIND) :: one = 1
#endif
  call MPI_INIT_THREAD(MPI_THREAD_MULTIPLE, got ERROR)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank ERROR)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, n ERROR)
  call MPI_COMM_SPLIT(MPI_COMM_WORLD, 0, n - rank, row ERROR)
  x = rank
  !$omp parallel num_threads(2)
  !$omp single
  do k = 1, 3
    !$omp task shared(x, y, request) private(error)
    call MPI_IRECV(y, ONE, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 5, row, request ERROR)
    call MPI_SEND(x, ONE, MPI_DOUBLE_PRECISION, mod(n - 1 - rank + 1, n), 5, row ERROR)
    call MPI_WAIT(request, MPI_STATUS_IGNORE ERROR)
    x = y
    !$omp end task
    !$omp taskwait
  end do
  call get_command_argument(0, name)
  call MPI_FILE_OPEN(row, trim(name) // '.out', MPI_MODE_CREATE + MPI_MODE_WRONLY, MPI_INFO_NULL, file ERROR)
  call MPI_FILE_CLOSE(file ERROR)
  !$omp end single
  !$omp end parallel
  call MPI_ALLREDUCE(x, y, ONE, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD ERROR)
  call MPI_BARRIER(row ERROR)
  if (rank == 0) print '(f6.1)', y
  call MPI_FINALIZE(error)
end program ring
