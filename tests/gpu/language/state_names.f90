! Host statements that reach memory of the device under other names: those that an equivalence gives to parts of two
! arrays, a pointer that runs backwards, what statement functions read. A pointer is undefined until it is set.
module state_names
  use iso_c_binding, only: c_loc, c_f_pointer
  implicit none
  real(8), target :: field(6), level(6)
contains
  real(8) function read_there(n)
    integer, intent(in) :: n
    real(8) :: both
    integer :: k
    both(k) = field(k) + 2*level(k)
    read_there = both(n)
  end function read_there
  subroutine functions()
    real(8) :: sum_of
    integer :: i, k
    sum_of(k) = field(k) + 2*level(k)
    !@parallelRegion
    do i = 1, 6
      field(i) = i
      level(i) = i*i
    end do
    !@end parallelRegion
    print *, sum_of(3), read_there(4)
    if (sum_of(2) > 3) field(1) = sum_of(5)
    !@parallelRegion
    do i = 1, 6
      level(i) = level(i) + field(i)
    end do
    !@end parallelRegion
    print *, read_there(1) + sum_of(6)
  end subroutine functions
  subroutine joined()
    real(8) :: a(6), b(6), c(9)
    integer :: i
    common /joined_block/ a, b
    equivalence (a(4), c(1))
    !@parallelRegion
    do i = 1, 6
      a(i) = i
      b(i) = 10*i
    end do
    !@end parallelRegion
    print *, c
    do i = 2, 8
      c(i) = c(i) + c(i-1)
    end do
    !@parallelRegion
    do i = 1, 6
      a(i) = a(i) + 1
      b(i) = b(i)*2
    end do
    !@end parallelRegion
    print *, a, b
  end subroutine joined
  subroutine backwards()
    real(8), pointer :: p(:), late(:)
    integer :: i
    p => field(6:1:-1)
    !@parallelRegion
    do i = 1, 6
      field(i) = i
    end do
    !@end parallelRegion
    print *, p
    p(2) = 70
    call c_f_pointer(c_loc(level), late, [6])
    !@parallelRegion
    do i = 1, 6
      field(i) = field(i)*2
      late(i) = field(i) + 1
    end do
    !@end parallelRegion
    print *, p, level
  end subroutine backwards
  subroutine run()
    call functions()
    call joined()
    call backwards()
  end subroutine run
end module state_names
