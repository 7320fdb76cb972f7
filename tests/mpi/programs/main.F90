! The engine: cases of the file cases.nml, or the fault that the first argument names.
program main
  use engine
  use special
  use faults
  implicit none
  integer :: input, status
  character(len=32) :: name
  character(len=8) :: number
  logical :: begun

  call get_command_argument(1, name)
  if (name /= '') then
    call fault(name)
    stop
  end if
  open (newunit=input, file='cases.nml', action='read', status='old')
  begun = .false.
  do
    call defaults()
    read (input, nml=case, iostat=status)
    if (status /= 0) exit
    if (kind /= 'grid') call decompose()
    if (.not. begun) then
      write (number, '(i0)') rank
      open (newunit=output, file='result.'//trim(number), access='stream', form='unformatted', action='write', status='replace')
      begun = .true.
    end if
    select case (kind)
    case ('grid')
      call grid_case()
    case ('inquire')
      call inquire_case()
    case ('swap')
      call swap_case()
    case ('pairs')
      call pairs_case()
    case ('growth')
      call growth_case()
    case ('sections')
      call sections_case()
    case ('sums')
      call sums_case()
    case ('exact')
      call exact_case()
    case default
      call field_case()
    end select
  end do
  close (output)
end program
