module whole_away_state
  implicit none
  integer :: calls = 0, nx, ny
  real(4), allocatable :: field(:,:)
end module
module whole_away_io
  implicit none
contains
  subroutine put(n)
    use whole_away_state, only: calls, field
    integer, intent(in) :: n
    calls = calls + n
    if (.not. allocated(field)) allocate(field(n, 2))
    field = n
  end subroutine
end module
