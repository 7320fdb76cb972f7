! the caller of regions in fixed form
module fixed
  use fixed_steps
  implicit none
contains
  subroutine run()
    real(8) :: a(8,6), b(8,6), total, most, last
    integer :: i, j
    do j = 1, 6
      do i = 1, 8
        a(i,j) = i + 0.1d0*j
        b(i,j) = i*i*i - j
      end do
    end do
    scale_factor = 3
    diffusion_of_the_water = [(i*0.5d0, i = 1, 5)]
    total = 0
    most = -1
    call step(8, 5, a, b, total, most, last)
    print '(4es22.14)', a, b, total, most, last
    call fixed_jumps(8, 6, a, last)
    print '(4es22.14)', a, last
  end subroutine run
end module fixed
