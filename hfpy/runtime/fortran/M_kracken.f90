! Reads command lines of the form  program -name value -other value  into named texts.
!
! call kracken('cmd', '-nx 200 -title "a b" -verbose #N#') declares the names with their defaults and reads the command
! line; iget('cmd_nx'), rget, dget, lget and sget then give the values. Words before the first name go to 'cmd_oo'.
! '#N#' means that a flag is not set; a name without a value on the command line sets it.
module M_kracken
  implicit none
  private
  public :: kracken, iget, rget, dget, lget, sget, retrev, delim, string_to_real

  integer, parameter :: max_entries = 256, name_length = 64, value_length = 255
  character(len=*), parameter :: not_set = '#N#', unnamed = 'oo'
  integer, parameter :: double = kind(1.d0)

  type :: entry_type
    character(len=name_length) :: name = ''
    character(len=value_length) :: value = ''
  end type

  type(entry_type), save :: entries(max_entries)
  integer, save :: used = 0

  interface sget
    module procedure sget_all, sget_some
  end interface

contains

  ! Declare the names in string, with what follows each as its default, and read the command line over them.
  ! Stops with status 2 if the command line holds a name that is not declared. With error_return the number of
  ! names that are not declared is given instead.
  subroutine kracken(verb, string, error_return)
    character(*), intent(in) :: verb, string
    integer, intent(out), optional :: error_return
    character(len=value_length) :: word
    integer :: i, length, wrong
    character(len=name_length) :: name

    name = entry_name(verb, unnamed)
    call store(name, '', .true., wrong)
    call store_defaults(verb, string)
    wrong = 0
    name = entry_name(verb, unnamed)
    do i = 1, command_argument_count()
      call get_command_argument(i, word, length)
      call take(verb, word, length, name, wrong)
    end do
    if (present(error_return)) then
      error_return = wrong
    else if (wrong > 0) then
      stop 2
    end if
  end subroutine

  integer function iget(keyword)
    character(*), intent(in) :: keyword

    iget = nint(dget(keyword))
  end function

  real function rget(keyword)
    character(*), intent(in) :: keyword

    rget = real(dget(keyword))
  end function

  real(double) function dget(keyword)
    character(*), intent(in) :: keyword
    character(len=value_length) :: value
    integer :: length, status

    call needed(keyword, value, length)
    call string_to_real(value(:length), dget, status)
    if (status == 0) return
    write (0, '(5a)') 'the value of ', trim(keyword), ' is no number: "', value(:length), '"'
    stop 2
  end function

  ! True for a name that was given without a value, or with one that says yes.
  logical function lget(keyword)
    character(*), intent(in) :: keyword
    character(len=value_length) :: value
    integer :: length

    call needed(keyword, value, length)
    value = adjustl(value)
    if (value(1:1) == '.') value = value(2:)
    lget = value == '' .or. index('tTyY1', value(1:1)) > 0
  end function

  function sget_all(name) result(value)
    character(*), intent(in) :: name
    character(len=value_length) :: value
    integer :: length

    call needed(name, value, length)
  end function

  function sget_some(name, length) result(value)
    character(*), intent(in) :: name
    integer, intent(in) :: length
    character(len=length) :: value

    value = sget_all(name)
  end function

  ! The text of a name and its length; ier is 0, or not if there is no such name.
  subroutine retrev(name, val, len, ier)
    character(*), intent(in) :: name
    character(*), intent(out) :: val
    integer, intent(out) :: len, ier
    integer :: i

    val = ''
    len = 0
    i = place_of(name)
    ier = merge(0, -1, i > 0)
    if (i == 0) return
    val = entries(i)%value
    len = len_trim(entries(i)%value)
  end subroutine

  ! Split line0 at any of the characters of dlim. The first n words go to array; icount says how many there are,
  ! ibegin and iterm where each begins and ends, ilen where the last character that is no blank is.
  subroutine delim(line0, array, n, icount, ibegin, iterm, ilen, dlim)
    character(*), intent(in) :: line0, dlim
    integer, intent(in) :: n
    character(*), intent(inout) :: array(n)
    integer, intent(out) :: icount, ilen
    integer, intent(inout) :: ibegin(n), iterm(n)
    integer :: at, first, last

    icount = 0
    ilen = len_trim(line0)
    at = 1
    do while (at <= ilen .and. icount < n)
      first = verify(line0(at:ilen), dlim)
      if (first == 0) exit
      first = at + first - 1
      last = scan(line0(first:ilen), dlim)
      last = merge(ilen, first + last - 2, last == 0)
      icount = icount + 1
      array(icount) = line0(first:last)
      ibegin(icount) = first
      iterm(icount) = last
      at = last + 1
    end do
  end subroutine

  ! The number in a text, whole or real in any form that Fortran reads; ierr is 0, or not if it is none.
  subroutine string_to_real(chars, valu, ierr)
    character(*), intent(in) :: chars
    real(double), intent(out) :: valu
    integer, intent(out) :: ierr
    character(len=len(chars)) :: text

    valu = 0.d0
    text = adjustl(chars)
    ierr = -1
    ! A list-directed read would take "1/2" for 1 and "1 2" for 1.
    if (text == '' .or. verify(trim(text), '+-.0123456789eEdD') > 0) return
    read (text, *, iostat=ierr) valu
  end subroutine

  ! A word of the command line: a name, or a part of the value of the name before it.
  subroutine take(verb, word, length, name, wrong)
    character(*), intent(in) :: verb, word
    integer, intent(in) :: length
    character(len=name_length), intent(inout) :: name
    integer, intent(inout) :: wrong
    integer :: i, status

    if (is_name(word)) then
      name = entry_name(verb, word(2:length))
      call store(name, '', .false., status)
      if (status == 0) return
      wrong = wrong + 1
      write (0, '(3a)') 'unknown option ', word(:length), '; known are:'
      do i = 1, used
        if (index(entries(i)%name, trim(verb)//'_') == 1 .and. entries(i)%name /= entry_name(verb, unnamed)) &
          write (0, '(2a)') '  -', trim(entries(i)%name(len_trim(verb) + 2:))
      end do
    else
      i = place_of(name)
      if (i == 0) return
      entries(i)%value = adjustl(trim(entries(i)%value)//' '//word(:length))
    end if
  end subroutine

  ! Cut the defaults into names and what follows each up to the next; a text in double quotes is one word.
  subroutine store_defaults(verb, string)
    character(*), intent(in) :: verb, string
    character(len=name_length) :: name
    character(len=value_length) :: value
    integer :: at, last, total, closed, status

    total = len_trim(string)
    name = entry_name(verb, unnamed)
    value = ''
    at = 1
    do while (at <= total)
      if (string(at:at) == ' ') then
        at = at + 1
        cycle
      end if
      last = word_end(string, at, total)
      if (is_name(string(at:last))) then
        name = entry_name(verb, string(at + 1:last))
        value = ''
      else if (string(at:at) == '"') then
        closed = merge(1, 0, last > at .and. string(last:last) == '"')
        value = adjustl(trim(value)//' '//string(at + 1:last - closed))
      else
        value = adjustl(trim(value)//' '//string(at:last))
      end if
      call store(name, value, .true., status)
      at = last + 1
    end do
  end subroutine

  integer function word_end(string, begin, total)
    character(*), intent(in) :: string
    integer, intent(in) :: begin, total
    character :: closing

    closing = merge('"', ' ', string(begin:begin) == '"')
    word_end = index(string(begin + 1:total), closing)
    if (word_end == 0) then
      word_end = total
    else if (closing == '"') then
      word_end = begin + word_end
    else
      word_end = begin + word_end - 1
    end if
  end function

  ! A word that names an option: a minus sign and no number.
  logical function is_name(word)
    character(*), intent(in) :: word

    is_name = .false.
    if (len(word) < 2) return
    is_name = word(1:1) == '-' .and. index('0123456789. ', word(2:2)) == 0
  end function

  function entry_name(verb, word) result(name)
    character(*), intent(in) :: verb, word
    character(len=name_length) :: name

    name = trim(verb)//'_'//trim(word)
  end function

  ! Set a value; a name that is not there yet is added if it is a declaration. status is 0 if the value was set.
  subroutine store(name, value, declared, status)
    character(*), intent(in) :: name, value
    logical, intent(in) :: declared
    integer, intent(out) :: status
    integer :: i

    status = -1
    i = place_of(name)
    if (i == 0 .and. declared .and. used < max_entries) then
      used = used + 1
      i = used
    end if
    if (i == 0) return
    entries(i) = entry_type(name, value)
    status = 0
  end subroutine

  integer function place_of(name)
    character(*), intent(in) :: name

    do place_of = used, 1, -1
      if (entries(place_of)%name == name) return
    end do
    place_of = 0
  end function

  ! The value of a name; stops with status 2 if the name was not declared. A flag that is not set is '#N#'.
  subroutine needed(name, value, length)
    character(*), intent(in) :: name
    character(len=value_length), intent(out) :: value
    integer, intent(out) :: length
    integer :: status

    call retrev(name, value, length, status)
    if (status == 0) return
    write (0, '(2a)') 'no such option was declared: ', trim(name)
    stop 2
  end subroutine

end module M_kracken
