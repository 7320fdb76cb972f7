! row 32: select case on integers and on characters, once inside the loop
module r32
  implicit none
contains
  subroutine run()
    real(8) :: a(4,3)
    character(len=8) :: scheme
    integer :: i, j, n
    scheme = 'upwind'
    do n = 1, 2
      select case (trim(scheme))
      case ('upwind', "central")
        !@parallelRegion{domName(i,j), domSize(4,3)}
        do j = 1, 3
          do i = 1, 4
            select case (i + j)
            case (:3)
              a(i,j) = 1
            case (4, 6)
              a(i,j) = 2
            case (7:)
              a(i,j) = 3
            case default
              a(i,j) = 4
            end select
          end do
        end do
        !@end parallelRegion
      case default
        a(1,:) = 9
      end select
      scheme = 'other'
    end do
    print '(es24.16)', a
  end subroutine run
end module r32
