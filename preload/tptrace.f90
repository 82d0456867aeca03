! SPDX-License-Identifier: MIT
!
! tptrace.f90 - what a program in Fortran may say to tptrace about itself: as tptrace.h, but for tptrace_name().
!
! Compile this file with yours.  Nothing is to be linked (before glibc 2.34, -ldl): each call finds the recorder if the
! program is traced, and else does nothing.  Blanks at the end of a name do not count.
!
!     use tptrace
!     call tptrace_phase("solve")
!     call tptrace_region_begin("sweep")
!     call tptrace_region_end("sweep")
!
module tptrace
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_f_procpointer, c_funptr, c_int, c_null_char, c_null_ptr, &
      c_null_funptr, c_ptr
  implicit none
  private
  public :: tptrace_start, tptrace_stop, tptrace_snapshot, tptrace_phase, tptrace_region_begin, tptrace_region_end

  abstract interface
    subroutine control(what, name) bind(c)
      import :: c_char, c_int
      integer(c_int), value :: what
      character(kind=c_char), intent(in) :: name(*)
    end subroutine
  end interface

  interface
    function look_up(handle, name) bind(c, name="dlsym") result(found)
      import :: c_char, c_funptr, c_ptr
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: name(*)
      type(c_funptr) :: found
    end function
  end interface

  type(c_funptr), save :: recorder = c_null_funptr

contains

  ! What: as enum tptrace_what of tptrace.h has it.
  subroutine tell(what, name)
    integer(c_int), intent(in) :: what
    character(*), intent(in) :: name
    procedure(control), pointer :: call_it

    if (.not. c_associated(recorder)) recorder = look_up(c_null_ptr, "tptrace_control" // c_null_char)
    if (.not. c_associated(recorder)) return
    call c_f_procpointer(recorder, call_it)
    call call_it(what, trim(name) // c_null_char)
  end subroutine

  subroutine tptrace_start()
    call tell(0_c_int, "")
  end subroutine

  subroutine tptrace_stop()
    call tell(1_c_int, "")
  end subroutine

  subroutine tptrace_snapshot()
    call tell(2_c_int, "")
  end subroutine

  subroutine tptrace_phase(name)
    character(*), intent(in) :: name

    call tell(3_c_int, name)
  end subroutine

  subroutine tptrace_region_begin(name)
    character(*), intent(in) :: name

    call tell(4_c_int, name)
  end subroutine

  subroutine tptrace_region_end(name)
    character(*), intent(in) :: name

    call tell(5_c_int, name)
  end subroutine
end module
