! SPDX-License-Identifier: MIT
! marked.f90 - tasks that main creates, which it runs while it waits: the marks of tptrace_task.f90.
program marked
  use, intrinsic :: iso_c_binding
  use tptrace_task
  implicit none
  type(tptrace_runtime), save, target :: trace
  type(tptrace_device), save, target :: gpu
  type(tptrace_here) :: here, inner
  integer(tptrace_task_t) :: leaf(3), last, never
  integer, target, save :: block(4), group
  type(c_ptr) :: site
  integer :: i

  call tptrace_task_runtime(trace, "fortran", "2.5")
  call tptrace_task_workers(trace, 1)
  call tptrace_task_device(gpu, "gpu", 1000_c_int64_t)
  do i = 1, 3
    call tptrace_task_create(trace, leaf(i), here, "leaf  ")
    call tptrace_task_group(leaf(i), c_loc(group))
    call tptrace_task_access(leaf(i), c_loc(block), TPTRACE_ACCESS_READ)
    call tptrace_task_data(leaf(i), c_loc(block), TPTRACE_ACCESS_READ, 16_c_int64_t, i)
    call tptrace_task_resume(here)
  end do
  site = tptrace_task_priority(tptrace_task_value(tptrace_task_place(c_null_ptr, "last ", "solve.f90 ", 12), "n", 512), 3)
  call tptrace_task_create(trace, last, here, site=site)
  call tptrace_task_after(last, leaf(1))
  call tptrace_task_access(last, c_loc(block), TPTRACE_ACCESS_WRITE)
  call tptrace_task_resume(here)
  call tptrace_task_create(trace, never, here, "never")
  call tptrace_task_resume(here)
  call tptrace_task_discard(never)
  call tptrace_task_wait(trace, here, TPTRACE_WAIT_GROUP, c_loc(group))
  do i = 1, 3
    call run(leaf(i), i)
  end do
  call tptrace_task_resume(here)
  call tptrace_task_wait_for(trace, here, last)
  call run(last, 4)
  call tptrace_task_resume(here)
  print '(i0)', sum(block)

contains

  subroutine run(task, n)
    integer(tptrace_task_t), intent(inout) :: task
    integer, intent(in) :: n

    call tptrace_task_begin(task, inner)
    block(n) = n
    call tptrace_task_clock(gpu, 7000_c_int64_t)
    call tptrace_task_operation(gpu, 6990_c_int64_t, 7000_c_int64_t, 64_c_int64_t, "kernel")
    call tptrace_task_end(inner)
  end subroutine
end program
