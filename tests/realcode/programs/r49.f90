! row 49: namelist read, include, bind(C) interfaces
module r49
  use, intrinsic :: iso_c_binding, only: c_double, c_int
  implicit none
  interface
    function c_abs(n) bind(c, name='abs')
      import :: c_int
      integer(c_int), value :: n
      integer(c_int) :: c_abs
    end function c_abs
  end interface
contains
  subroutine run()
    include 'r49_decl.inc'
    real(c_double) :: a(4,3)
    integer :: i, j, levels
    real(8) :: rate
    character(len=40) :: text(1)
    namelist /control/ levels, rate
    levels = 1
    rate = 2
    text(1) = '&control levels = 3, rate = 0.25 /'
    read(text, nml=control)
    !@parallelRegion{domName(i,j), domSize(4,3)}
    do j = 1, 3
      do i = 1, 4
        a(i,j) = rate*i + levels*j + from_include
      end do
    end do
    !@end parallelRegion
    a(1,1) = c_abs(-5_c_int)
    print '(es24.16)', a
  end subroutine run
end module r49
