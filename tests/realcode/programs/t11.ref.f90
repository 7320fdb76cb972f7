! trap: variables with names that a generator might choose
module t11
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
contains
  subroutine run()
    real(8) :: a(nx,ny,nz), hf_x, hf_loop, hf_point, outerparallelloop0, a_hfdev, hf_body, hf_run_0
    integer :: n, i9, j9, k9, hf_i, hf_1
    integer :: x, y
    do k9 = 1, nz; do j9 = 1, ny; do i9 = 1, nx
      n = i9 + nx*(j9 - 1) + nx*ny*(k9 - 1)
      a(i9,j9,k9) = 1 + 0.1d0*n
    end do; end do; end do
    hf_x = 1; hf_loop = 2; hf_point = 3; outerparallelloop0 = 4; a_hfdev = 5; hf_i = 6; hf_1 = 7; hf_body = 8; hf_run_0 = 9
    do y = 1, ny; do x = 1, nx
    a(x,y,1) = hf_x + hf_loop*hf_point + outerparallelloop0*a_hfdev + hf_i*hf_1 + hf_body + hf_run_0
    call hfk0_run(a(x,y,:))
    end do; end do
    call run_region_1(a)
    print '(es24.16)', (((a(i9,j9,k9), i9=1,nx), j9=1,ny), k9=1,nz)
  end subroutine run
  subroutine hfk0_run(a)
    real(8), intent(inout) :: a(nz)
    a(2) = 2
  end subroutine hfk0_run
  subroutine run_region_1(a)
    real(8), intent(inout) :: a(nx,ny,nz)
    a(1,1,3) = 3
  end subroutine run_region_1
end module t11
