! sizes that declarations of called routines find in arrays, which kernels have set before: the host needs them
module state_sizes
  implicit none
  integer :: ms(3)
contains
  subroutine run()
    real(8) :: a(40)
    integer :: nn(2), k
    !@domainDependant{attribute(transferHere)}
    !@ nn, a, ms
    !@end domainDependant
    a = 0
    nn = 1
    do k = 2, 4
      call sizes(nn, k)
      call filled(a, nn, k)
      print '(9f8.2)', a
    end do
  end subroutine run
  subroutine sizes(nn, k)
    integer, intent(inout) :: nn(2)
    integer, intent(in) :: k
    integer :: i
    !@parallelRegion{domName(i), domSize(2)}
    do i = 1, 2
      nn(i) = i + k
    end do
    !@end parallelRegion
    !@parallelRegion{domName(i), domSize(3)}
    do i = 1, 3
      ms(i) = i + k
    end do
    !@end parallelRegion
  end subroutine sizes
  subroutine filled(a, nn, t)
    integer, intent(in) :: nn(2), t
    real(8), intent(inout) :: a(nn(1),nn(2))
    real(8) :: w(nn(1)), v(ms(2))
    integer :: i, j
    !@parallelRegion{domName(j), domSize(nn(2))}
    do j = 1, nn(2)
      w = j
      do i = 1, nn(1)
        a(i,j) = a(i,j) + w(i) + 10*i + t
      end do
    end do
    !@end parallelRegion
    v = 2
    !@parallelRegion{domName(i), domSize(ms(2))}
    do i = 1, ms(2)
      v(i) = v(i)*i
    end do
    !@end parallelRegion
    a(1,1) = sum(v)
    !@parallelRegion{domName(i), domSize(3)}
    do i = 1, 3
      ms(i) = ms(i) - 1
    end do
    !@end parallelRegion
    if (t > 2) then
      block
        real(8) :: u(ms(1))
        u = 3
        a(2,1) = sum(u)
      end block
    end if
  end subroutine filled
end module state_sizes
