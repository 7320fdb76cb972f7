! arrays on the device under other names: arguments, internal procedures, namelists, common blocks, equivalence, pointers
module state_handed
  use handed_wrap, only: through, maybe
  use handed_kernels, only: add
  implicit none
  integer, parameter :: n = 5
  type object
    real(8), pointer :: p(:) => null()
    integer :: k = 0
  end type object
  real(8), target :: field(n)
  real(8), pointer :: window(:) => null()
  namelist /all/ field
contains
  subroutine run()
    real(8), target :: a(n), b(n)
    real(8) :: s
    type(object) :: o
    integer :: i
    do i = 1, n
      a(i) = i
      b(i) = 0.5d0*i
      field(i) = -i
    end do
    window => field
    do i = 1, 2
      call top(a, b, o, s)
      print '(5es24.16)', a, b, field, s
    end do
  end subroutine run

  subroutine top(a, b, o, s)
    real(8), intent(inout), target :: a(n), b(n)
    type(object), intent(inout) :: o
    real(8), intent(out) :: s
    real(8), pointer :: q(:)
    real(8) :: kept(n), c(n), d(2,2), e(4)
    integer :: i
    character(400) :: text(9)
    common /block/ c
    equivalence (d, e)
    namelist /few/ a, kept
    !@domainDependant{attribute(transferHere)}
    !a, b, field
    !@end domainDependant
    c = a
    d = 3
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      a(i) = 2*a(i)
      b(i) = b(i) + a(i)
      kept(i) = a(i) + i
      c(i) = c(i) + kept(i)
      field(i) = field(i)*3
    end do
    !@end parallelRegion
    !@parallelRegion{domName(i), domSize(4)}
    do i = 1, 4
      e(i) = e(i) + i
    end do
    !@end parallelRegion
    ! through routines that do not know of the device
    call through(n, a)
    call maybe(n, a, b)
    call maybe(n, a)
    ! in internal procedures
    call inner()
    s = summed()
    ! input and output by name
    write (text, nml=few)
    text(1) = '&few'
    text(2) = 'a(2) = 17'
    text(3:) = ''
    text(4) = '/'
    read (text, few)
    call show()
    ! by other names of the same memory
    s = s + d(2,1)
    d(1,2) = 20
    call other()
    q => a(2:4)
    q(1) = q(2) + 1
    call add(3, q, 1.d-1)
    q => b(::2)
    q(2) = 12
    call add(3, q, 1.d-2)
    o%p => a
    o%p(3) = sum(o%p) + 1
    call elsewhere()
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      a(i) = a(i) + kept(i) + c(i)
      b(i) = b(i) + field(i)
    end do
    !@end parallelRegion
    !@parallelRegion{domName(i), domSize(4)}
    do i = 1, 4
      a(i) = a(i) + e(i)
    end do
    !@end parallelRegion
  contains
    subroutine inner()
      a(1) = kept(2) + 1
      kept(3) = b(3)
      call add(n, kept, 1.d0)
      kept(4) = kept(3)
    end subroutine inner
    real(8) function summed()
      summed = sum(a) + sum(kept)
    end function summed
  end subroutine top

  subroutine other()
    real(8) :: z(n)
    common /block/ z
    z(2) = z(1) + 5
  end subroutine other

  subroutine show()
    write (*, nml=all)
  end subroutine show

  subroutine elsewhere()
    window(4) = window(5) + 40
    window(1) = 2*window(1)
  end subroutine elsewhere
end module state_handed
