! SPDX-License-Identifier: MIT
! fortran.f90 - a ring of messages and two collective calls, in tasks, by Fortran's entry points.
program ring
  implicit none
  include 'mpif.h'
  integer :: error, got, rank, n, k, request, row
  integer :: status(MPI_STATUS_SIZE)
  real(8) :: x, y
  call MPI_INIT_THREAD(MPI_THREAD_MULTIPLE, got, error)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, error)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, n, error)
  call MPI_COMM_SPLIT(MPI_COMM_WORLD, 0, n - rank, row, error)
  x = rank
  !$omp parallel num_threads(2)
  !$omp single
  do k = 1, 3
    !$omp task shared(x, y, request, status) private(error)
    call MPI_IRECV(y, 1, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 5, row, request, error)
    call MPI_SEND(x, 1, MPI_DOUBLE_PRECISION, mod(n - 1 - rank + 1, n), 5, row, error)
    call MPI_WAIT(request, MPI_STATUS_IGNORE, error)
    x = y
    !$omp end task
    !$omp taskwait
  end do
  !$omp end single
  !$omp end parallel
  call MPI_ALLREDUCE(x, y, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  call MPI_BARRIER(row, error)
  if (rank == 0) print '(f6.1)', y
  call MPI_FINALIZE(error)
end program ring
