! Texts that all points share: comparisons and choices.
module texts
  implicit none
  character(len=6), parameter :: north = 'north'
  character(len=8) :: scheme = 'upwind'
contains
  subroutine rows(n, a, kind, way)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n,4)
    character(len=*), intent(in) :: kind
    character(len=3), intent(in) :: way
    integer :: i, k
    logical, parameter :: on = .true.
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      if (kind == 'up') a(i,1) = a(i,1) + 1
      if (kind /= 'up' .and. on) then
        a(i,1) = a(i,1) - i
      else if (trim(kind)//'x' == 'upx') then
        a(i,1) = a(i,1)*2
      end if
      select case (kind)
      case ('up')
        a(i,2) = i
      case ('down', 'none')
        a(i,2) = -i
      case default
        a(i,2) = 0.5d0
      end select
      do k = 3, 4
        select case (scheme(1:2))
        case ('a':'m')
          a(i,k) = 1
        case ('n':)
          a(i,k) = a(i,k)*k
          if (way(1:1) < 'n') a(i,k) = a(i,k) - 3
        end select
      end do
      if (north == way .or. way == 'so ') a(i,4) = a(i,4) + 100
    end do
    !@end parallelRegion
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      if (kind == 'up') a(i,3) = a(i,3) + a(i,2)
    end do
    !@end parallelRegion
  end subroutine rows

  subroutine run()
    real(8) :: a(5,4)
    a = 2
    call rows(5, a, 'up', 'no ')
    print *, a
    call rows(5, a, 'none  ', 'so ')
    scheme = 'central'
    call rows(5, a, 'other', 'm  ')
    print *, a
  end subroutine run
end module texts
