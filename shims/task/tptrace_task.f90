! SPDX-License-Identifier: MIT
!
! tptrace_task.f90 - the marks of tptrace_task.h, by which a task runtime in Fortran tells tptrace what it does.
!
! Compile this file with yours.  Nothing is to be linked (before glibc 2.34, -ldl): the first mark looks for the recorder,
! which is there if the program runs under `tptrace record`.  tptrace-task(7) says what each mark means.
!
!     type(tptrace_runtime), save, target :: trace
!     type(tptrace_here) :: here
!     integer(tptrace_task_t) :: task
!
!     call tptrace_task_runtime(trace, "my runtime", "1.0")
!     call tptrace_task_create(trace, task, here, "dgemm")    ! reports call it so
!     call tptrace_task_resume(here)
!     call tptrace_task_begin(task, here)
!     call tptrace_task_end(here)
!
! There is no code address at hand as in C: a creation and a wait give a name, by which reports show them, or a site with a
! name, a file and line, and values.  Blanks at the end of a name do not count.
!
!     call tptrace_task_create(trace, task, here, site=tptrace_task_value(tptrace_task_name(c_null_ptr, "dgemm"), "n", 512))
!
module tptrace_task
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: tptrace_task_t, tptrace_runtime, tptrace_here, tptrace_task_runtime, tptrace_task_workers, &
      tptrace_task_no_worker, tptrace_task_create, tptrace_task_group, tptrace_task_after, tptrace_task_needs, &
      tptrace_task_access, tptrace_task_data, tptrace_task_discard, tptrace_task_begin, tptrace_task_end, &
      tptrace_task_wait, tptrace_task_wait_for, tptrace_task_release, tptrace_task_release_by, tptrace_task_resume, &
      tptrace_task_name, tptrace_task_place, tptrace_task_value, tptrace_task_priority, tptrace_device, &
      tptrace_task_device, tptrace_task_clock, tptrace_task_operation

  integer, parameter :: tptrace_task_t = c_int64_t

  ! What a task waits for, and how it uses an object: as in tptrace_task.h.
  integer(c_int), parameter, public :: TPTRACE_WAIT_CHILDREN = 0, TPTRACE_WAIT_GROUP = 1, TPTRACE_WAIT_OBJECT = 2, &
      TPTRACE_WAIT_LOCK = 3, TPTRACE_WAIT_BARRIER = 4, TPTRACE_WAIT_YIELD = 5, TPTRACE_WAIT_DEVICE = 7
  integer(c_int), parameter, public :: TPTRACE_ACCESS_READ = 1, TPTRACE_ACCESS_WRITE = 2, TPTRACE_ACCESS_UNORDERED = 3

  type, bind(c) :: c_runtime
    type(c_ptr) :: name, version
    integer(c_int32_t) :: number
  end type

  ! A variable of the program's that stays: save, target.
  type :: tptrace_runtime
    private
    character(kind=c_char) :: name(33), version(33)
    type(c_runtime) :: of_c = c_runtime(c_null_ptr, c_null_ptr, 0)
  end type

  type, bind(c) :: c_device
    type(c_runtime) :: runtime
    integer(c_int64_t) :: ticks_per_s, zero_ns
  end type

  ! Likewise.
  type :: tptrace_device
    private
    character(kind=c_char) :: name(33), version(1)
    type(c_device) :: of_c = c_device(c_runtime(c_null_ptr, c_null_ptr, 0), 0, 0)
  end type

  ! Where a task left its code.  It belongs to that task until it is resumed, or ends.
  type, bind(c) :: tptrace_here
    private
    integer(c_int64_t) :: task = 0, below = 0
    type(c_ptr) :: left = c_null_ptr
  end type

  ! struct tptrace_task_calls
  type, bind(c) :: calls_t
    type(c_funptr) :: workers, create, group, needs, discard, begin, end, wait, release, resume, name, value, release_by, &
        no_worker, access, data, clock, operation
  end type

  abstract interface
    subroutine workers_call(runtime, n) bind(c)
      import :: c_runtime, c_int32_t
      type(c_runtime), intent(inout) :: runtime
      integer(c_int32_t), value :: n
    end subroutine
    subroutine create_call(runtime, task, here, code, site) bind(c)
      import :: c_runtime, c_int64_t, tptrace_here, c_funptr, c_ptr
      type(c_runtime), intent(inout) :: runtime
      integer(c_int64_t), intent(inout) :: task
      type(tptrace_here), intent(inout) :: here
      type(c_funptr), value :: code
      type(c_ptr), value :: site
    end subroutine
    subroutine needs_call(task, object, is_task) bind(c)
      import :: c_int64_t, c_int
      integer(c_int64_t), value :: task, object
      integer(c_int), value :: is_task
    end subroutine
    subroutine task_call(task) bind(c)
      import :: c_int64_t
      integer(c_int64_t), intent(inout) :: task
    end subroutine
    subroutine begin_call(task, here) bind(c)
      import :: c_int64_t, tptrace_here
      integer(c_int64_t), intent(inout) :: task
      type(tptrace_here), intent(inout) :: here
    end subroutine
    subroutine here_call(here) bind(c)
      import :: tptrace_here
      type(tptrace_here), intent(inout) :: here
    end subroutine
    subroutine wait_call(runtime, here, what, object, site) bind(c)
      import :: c_runtime, tptrace_here, c_int, c_int64_t, c_ptr
      type(c_runtime), intent(inout) :: runtime
      type(tptrace_here), intent(inout) :: here
      integer(c_int), value :: what
      integer(c_int64_t), value :: object
      type(c_ptr), value :: site
    end subroutine
    subroutine release_call(here, object) bind(c)
      import :: tptrace_here, c_int64_t
      type(tptrace_here), intent(inout) :: here
      integer(c_int64_t), value :: object
    end subroutine
    subroutine name_call(site, name, file, line) bind(c)
      import :: c_ptr, c_char, c_int32_t
      type(c_ptr), intent(inout) :: site
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), value :: file
      integer(c_int32_t), value :: line
    end subroutine
    subroutine value_call(site, key, value) bind(c)
      import :: c_ptr, c_char, c_int64_t
      type(c_ptr), intent(inout) :: site
      character(kind=c_char), intent(in) :: key(*)
      integer(c_int64_t), value :: value
    end subroutine
    subroutine clock_call(device, ticks) bind(c)
      import :: c_device, c_int64_t
      type(c_device), intent(inout) :: device
      integer(c_int64_t), value :: ticks
    end subroutine
    subroutine operation_call(device, begin, end, bytes, site) bind(c)
      import :: c_device, c_int64_t, c_ptr
      type(c_device), intent(inout) :: device
      integer(c_int64_t), value :: begin, end, bytes
      type(c_ptr), value :: site
    end subroutine
    subroutine pair_call(task, object) bind(c)
      import :: c_int64_t
      integer(c_int64_t), value :: task, object
    end subroutine
    subroutine data_call(task, object, access, bytes, node) bind(c)
      import :: c_int64_t, c_int
      integer(c_int64_t), value :: task, object, bytes
      integer(c_int), value :: access, node
    end subroutine
    subroutine plain_call() bind(c)
    end subroutine
    function find_call(bytes) bind(c) result(found)
      import :: c_int32_t, c_ptr
      integer(c_int32_t), value :: bytes
      type(c_ptr) :: found
    end function
  end interface

  interface
    function look_up(handle, name) bind(c, name="dlsym") result(found)
      import :: c_char, c_funptr, c_ptr
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: name(*)
      type(c_funptr) :: found
    end function
  end interface

  type(calls_t), pointer, save :: calls => null()
  logical, save :: has_looked = .false.

contains

  ! Two threads that look at once find the same.
  logical function is_recorded()
    procedure(find_call), pointer :: find
    type(c_funptr) :: found
    type(c_ptr) :: table

    if (.not. has_looked) then
      found = look_up(c_null_ptr, "tptrace_task_find" // c_null_char)
      if (c_associated(found)) then
        call c_f_procpointer(found, find)
        table = find(int(storage_size(calls) / 8, c_int32_t))
        if (c_associated(table)) call c_f_pointer(table, calls)
      end if
      has_looked = .true.
    end if
    is_recorded = associated(calls)
  end function

  integer(c_int64_t) function address(object)
    type(c_ptr), intent(in) :: object

    address = transfer(object, 0_c_int64_t)
  end function

  ! What a creation or a wait was given: by neither, the mark itself.
  type(c_ptr) function site_of(name, site)
    character(*), intent(in), optional :: name
    type(c_ptr), intent(in), optional :: site

    site_of = c_null_ptr
    if (present(site)) site_of = site
    if (present(name)) site_of = tptrace_task_name(site_of, name)
  end function

  ! These four give a site.  Theirs is c_null_ptr, or such a site again.
  type(c_ptr) function tptrace_task_name(site, name)
    type(c_ptr), intent(in) :: site
    character(*), intent(in) :: name
    procedure(name_call), pointer :: call_it

    tptrace_task_name = site
    if (.not. is_recorded()) return
    call c_f_procpointer(calls%name, call_it)
    call call_it(tptrace_task_name, trim(name) // c_null_char, c_null_ptr, 0_c_int32_t)
  end function

  type(c_ptr) function tptrace_task_place(site, function, file, line)
    type(c_ptr), intent(in) :: site
    character(*), intent(in) :: function, file
    integer, intent(in) :: line
    character(kind=c_char), target :: path(len_trim(file) + 1)
    procedure(name_call), pointer :: call_it

    tptrace_task_place = site
    if (.not. is_recorded()) return
    call keep(file, path)
    call c_f_procpointer(calls%name, call_it)
    call call_it(tptrace_task_place, trim(function) // c_null_char, c_loc(path), int(line, c_int32_t))
  end function

  type(c_ptr) function tptrace_task_value(site, key, value)
    type(c_ptr), intent(in) :: site
    character(*), intent(in) :: key
    integer, intent(in) :: value
    procedure(value_call), pointer :: call_it

    tptrace_task_value = site
    if (.not. is_recorded()) return
    call c_f_procpointer(calls%value, call_it)
    call call_it(tptrace_task_value, trim(key) // c_null_char, int(value, c_int64_t))
  end function

  type(c_ptr) function tptrace_task_priority(site, priority)
    type(c_ptr), intent(in) :: site
    integer, intent(in) :: priority

    tptrace_task_priority = tptrace_task_value(site, "priority", priority)
  end function

  subroutine keep(text, into)
    character(*), intent(in) :: text
    character(kind=c_char), intent(out) :: into(:)
    integer :: i, n

    n = min(len_trim(text), size(into) - 1)
    do i = 1, n
      into(i) = text(i:i)
    end do
    into(n + 1) = c_null_char
  end subroutine

  ! Once, before all other marks of the runtime.
  subroutine tptrace_task_runtime(runtime, name, version)
    type(tptrace_runtime), intent(inout), target :: runtime
    character(*), intent(in) :: name, version

    call keep(name, runtime%name)
    call keep(version, runtime%version)
    runtime%of_c = c_runtime(c_loc(runtime%name), c_loc(runtime%version), 0)
  end subroutine

  subroutine tptrace_task_workers(runtime, n)
    type(tptrace_runtime), intent(inout) :: runtime
    integer, intent(in) :: n
    procedure(workers_call), pointer :: call_it

    if (.not. is_recorded()) return
    call c_f_procpointer(calls%workers, call_it)
    call call_it(runtime%of_c, int(n, c_int32_t))
  end subroutine

  subroutine tptrace_task_no_worker()
    procedure(plain_call), pointer :: call_it

    if (.not. is_recorded()) return
    call c_f_procpointer(calls%no_worker, call_it)
    call call_it()
  end subroutine

  ! code: c_funloc() of what the task runs.
  subroutine tptrace_task_create(runtime, task, here, name, code, site)
    type(tptrace_runtime), intent(inout) :: runtime
    integer(tptrace_task_t), intent(inout) :: task
    type(tptrace_here), intent(inout) :: here
    character(*), intent(in), optional :: name
    type(c_funptr), intent(in), optional :: code
    type(c_ptr), intent(in), optional :: site
    procedure(create_call), pointer :: call_it
    type(c_funptr) :: runs

    task = 0
    if (.not. is_recorded()) return
    runs = c_null_funptr
    if (present(code)) runs = code
    call c_f_procpointer(calls%create, call_it)
    call call_it(runtime%of_c, task, here, runs, site_of(name, site))
  end subroutine

  subroutine tptrace_task_group(task, group)
    integer(tptrace_task_t), intent(in) :: task
    type(c_ptr), intent(in) :: group
    procedure(pair_call), pointer :: call_it

    if (.not. is_recorded()) return
    call c_f_procpointer(calls%group, call_it)
    call call_it(task, address(group))
  end subroutine

  subroutine tptrace_task_after(task, other)
    integer(tptrace_task_t), intent(in) :: task, other
    procedure(needs_call), pointer :: call_it

    if (.not. is_recorded()) return
    call c_f_procpointer(calls%needs, call_it)
    call call_it(task, other, 1_c_int)
  end subroutine

  subroutine tptrace_task_needs(task, object)
    integer(tptrace_task_t), intent(in) :: task
    type(c_ptr), intent(in) :: object
    procedure(needs_call), pointer :: call_it

    if (.not. is_recorded()) return
    call c_f_procpointer(calls%needs, call_it)
    call call_it(task, address(object), 0_c_int)
  end subroutine

  subroutine tptrace_task_access(task, object, access)
    integer(tptrace_task_t), intent(in) :: task
    type(c_ptr), intent(in) :: object
    integer(c_int), intent(in) :: access
    procedure(needs_call), pointer :: call_it

    if (.not. is_recorded()) return
    call c_f_procpointer(calls%access, call_it)
    call call_it(task, address(object), access)
  end subroutine

  subroutine tptrace_task_data(task, object, access, bytes, node)
    integer(tptrace_task_t), intent(in) :: task
    type(c_ptr), intent(in) :: object
    integer(c_int), intent(in) :: access
    integer(c_int64_t), intent(in) :: bytes
    integer, intent(in), optional :: node
    procedure(data_call), pointer :: call_it
    integer(c_int) :: memory

    if (.not. is_recorded()) return
    memory = -1
    if (present(node)) memory = int(node, c_int)
    call c_f_procpointer(calls%data, call_it)
    call call_it(task, address(object), access, bytes, memory)
  end subroutine

  subroutine tptrace_task_discard(task)
    integer(tptrace_task_t), intent(inout) :: task
    procedure(task_call), pointer :: call_it

    if (.not. is_recorded()) return
    call c_f_procpointer(calls%discard, call_it)
    call call_it(task)
  end subroutine

  subroutine tptrace_task_begin(task, here)
    integer(tptrace_task_t), intent(inout) :: task
    type(tptrace_here), intent(inout) :: here
    procedure(begin_call), pointer :: call_it

    if (.not. is_recorded()) return
    call c_f_procpointer(calls%begin, call_it)
    call call_it(task, here)
  end subroutine

  subroutine tptrace_task_end(here)
    type(tptrace_here), intent(inout) :: here
    procedure(here_call), pointer :: call_it

    if (.not. is_recorded()) return
    call c_f_procpointer(calls%end, call_it)
    call call_it(here)
  end subroutine

  ! what: TPTRACE_WAIT_..; object: what it waits for, where there is one.
  subroutine tptrace_task_wait(runtime, here, what, object, name, site)
    type(tptrace_runtime), intent(inout) :: runtime
    type(tptrace_here), intent(inout) :: here
    integer(c_int), intent(in) :: what
    type(c_ptr), intent(in), optional :: object, site
    character(*), intent(in), optional :: name
    procedure(wait_call), pointer :: call_it
    integer(c_int64_t) :: waited

    if (.not. is_recorded()) return
    waited = 0
    if (present(object)) waited = address(object)
    call c_f_procpointer(calls%wait, call_it)
    call call_it(runtime%of_c, here, what, waited, site_of(name, site))
  end subroutine

  subroutine tptrace_task_wait_for(runtime, here, task, name, site)
    type(tptrace_runtime), intent(inout) :: runtime
    type(tptrace_here), intent(inout) :: here
    integer(tptrace_task_t), intent(in) :: task
    character(*), intent(in), optional :: name
    type(c_ptr), intent(in), optional :: site
    procedure(wait_call), pointer :: call_it

    if (.not. is_recorded()) return
    call c_f_procpointer(calls%wait, call_it)
    call call_it(runtime%of_c, here, 6_c_int, task, site_of(name, site))
  end subroutine

  subroutine tptrace_task_release(here, object)
    type(tptrace_here), intent(inout) :: here
    type(c_ptr), intent(in) :: object
    procedure(release_call), pointer :: call_it

    if (.not. is_recorded()) return
    call c_f_procpointer(calls%release, call_it)
    call call_it(here, address(object))
  end subroutine

  subroutine tptrace_task_release_by(task, object)
    integer(tptrace_task_t), intent(in) :: task
    type(c_ptr), intent(in) :: object
    procedure(pair_call), pointer :: call_it

    if (.not. is_recorded()) return
    call c_f_procpointer(calls%release_by, call_it)
    call call_it(task, address(object))
  end subroutine

  subroutine tptrace_task_resume(here)
    type(tptrace_here), intent(inout) :: here
    procedure(here_call), pointer :: call_it

    if (.not. is_recorded()) return
    call c_f_procpointer(calls%resume, call_it)
    call call_it(here)
  end subroutine

  ! Once, before all other marks of the device.  Without ticks_per_s its clock is CLOCK_MONOTONIC, in ns.
  subroutine tptrace_task_device(device, name, ticks_per_s)
    type(tptrace_device), intent(inout), target :: device
    character(*), intent(in) :: name
    integer(c_int64_t), intent(in), optional :: ticks_per_s

    call keep(name, device%name)
    call keep("", device%version)
    device%of_c = c_device(c_runtime(c_loc(device%name), c_loc(device%version), 0), 0, 0)
    if (present(ticks_per_s)) device%of_c%ticks_per_s = ticks_per_s
  end subroutine

  subroutine tptrace_task_clock(device, ticks)
    type(tptrace_device), intent(inout) :: device
    integer(c_int64_t), intent(in) :: ticks
    procedure(clock_call), pointer :: call_it

    if (.not. is_recorded()) return
    call c_f_procpointer(calls%clock, call_it)
    call call_it(device%of_c, ticks)
  end subroutine

  subroutine tptrace_task_operation(device, begin, end, bytes, name, site)
    type(tptrace_device), intent(inout) :: device
    integer(c_int64_t), intent(in) :: begin, end, bytes
    character(*), intent(in), optional :: name
    type(c_ptr), intent(in), optional :: site
    procedure(operation_call), pointer :: call_it

    if (.not. is_recorded()) return
    call c_f_procpointer(calls%operation, call_it)
    call call_it(device%of_c, begin, end, bytes, site_of(name, site))
  end subroutine
end module
