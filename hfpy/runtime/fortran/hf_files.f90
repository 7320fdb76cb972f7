! Where output goes: free units, folders that are made on the way, byte order.
module hf_files
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_null_char
  implicit none
  private
  public :: findNewFileHandle, open_for_writing, make_parent_folder

  integer, parameter :: highest_unit = 99, lowest_unit = 10

  interface
    integer(c_int) function c_mkdir(path, mode) bind(c, name='mkdir')
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int), value :: mode
    end function
  end interface

contains

  ! A unit that is not connected, looked for from 99 down; stops with status 98 if there is none.
  subroutine findNewFileHandle(mt)
    integer(4), intent(out) :: mt
    logical :: taken

    do mt = highest_unit, lowest_unit, -1
      inquire (unit=mt, opened=taken)
      if (.not. taken) return
    end do
    write (0, '(a)') 'no free unit is left for a file'
    stop 98
  end subroutine

  ! Connect a new unit to a new file for unformatted, sequential writing. The file's folder is made if it is
  ! missing, a file of the same name is replaced. The byte order is as in open(convert=), native by default.
  subroutine open_for_writing(path, unit, opt_endian)
    character(*), intent(in) :: path
    integer(4), intent(out) :: unit
    character(*), intent(in), optional :: opt_endian
    character(len=:), allocatable :: endian
    character(len=255) :: message
    integer :: status

    endian = 'native'
    if (present(opt_endian)) endian = trim(adjustl(opt_endian))
    call make_parent_folder(path)
    call findNewFileHandle(unit)
    open (unit=unit, file=trim(path), form='unformatted', access='sequential', action='write', status='replace', &
          convert=endian, iostat=status, iomsg=message)
    if (status /= 0) then
      write (0, '(4a)') 'cannot write ', trim(path), ': ', trim(message)
      stop 2
    end if
  end subroutine

  ! Make the folder of a file, and those that it is in, where they are missing. Whether it worked shows when
  ! the file is opened.
  subroutine make_parent_folder(path)
    character(*), intent(in) :: path
    integer, parameter :: for_all = int(o'777')
    integer(c_int) :: ignored
    integer :: i

    do i = 2, len_trim(path)
      if (path(i:i) == '/') ignored = c_mkdir(c_text(path(:i - 1)), for_all)
    end do
  end subroutine

  function c_text(text) result(chars)
    character(*), intent(in) :: text
    character(kind=c_char) :: chars(len(text) + 1)
    integer :: i

    do i = 1, len(text)
      chars(i) = text(i:i)
    end do
    chars(len(text) + 1) = c_null_char
  end function

end module hf_files
