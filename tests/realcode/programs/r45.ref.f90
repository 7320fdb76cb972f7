! row 45: associate with 90 names over components of three types
module r45
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
  type a_t
    real(8) :: v(30) = 1
  end type a_t
  type b_t
    real(8) :: v(30) = 2
  end type b_t
  type c_t
    real(8) :: v(30) = 3
  end type c_t
  type all_t
    type(a_t) :: first
    type(b_t) :: second
    type(c_t) :: third
  end type all_t
contains
  subroutine run()
    type(all_t) :: s
    real(8) :: a(nx,ny,nz)
    integer :: n, i9, j9, k9
    integer :: x, y
    do k9 = 1, nz; do j9 = 1, ny; do i9 = 1, nx
      n = i9 + nx*(j9 - 1) + nx*ny*(k9 - 1)
      a(i9,j9,k9) = 1 + 0.1d0*n
    end do; end do; end do
    s%second%v(5) = 7
    associate( &
      & c00 => s%first%v(1), &
      & c01 => s%second%v(1), &
      & c02 => s%third%v(1), &
      & c03 => s%first%v(2), &
      & c04 => s%second%v(2), &
      & c05 => s%third%v(2), &
      & c06 => s%first%v(3), &
      & c07 => s%second%v(3), &
      & c08 => s%third%v(3), &
      & c09 => s%first%v(4), &
      & c10 => s%second%v(4), &
      & c11 => s%third%v(4), &
      & c12 => s%first%v(5), &
      & c13 => s%second%v(5), &
      & c14 => s%third%v(5), &
      & c15 => s%first%v(6), &
      & c16 => s%second%v(6), &
      & c17 => s%third%v(6), &
      & c18 => s%first%v(7), &
      & c19 => s%second%v(7), &
      & c20 => s%third%v(7), &
      & c21 => s%first%v(8), &
      & c22 => s%second%v(8), &
      & c23 => s%third%v(8), &
      & c24 => s%first%v(9), &
      & c25 => s%second%v(9), &
      & c26 => s%third%v(9), &
      & c27 => s%first%v(10), &
      & c28 => s%second%v(10), &
      & c29 => s%third%v(10), &
      & c30 => s%first%v(11), &
      & c31 => s%second%v(11), &
      & c32 => s%third%v(11), &
      & c33 => s%first%v(12), &
      & c34 => s%second%v(12), &
      & c35 => s%third%v(12), &
      & c36 => s%first%v(13), &
      & c37 => s%second%v(13), &
      & c38 => s%third%v(13), &
      & c39 => s%first%v(14), &
      & c40 => s%second%v(14), &
      & c41 => s%third%v(14), &
      & c42 => s%first%v(15), &
      & c43 => s%second%v(15), &
      & c44 => s%third%v(15), &
      & c45 => s%first%v(16), &
      & c46 => s%second%v(16), &
      & c47 => s%third%v(16), &
      & c48 => s%first%v(17), &
      & c49 => s%second%v(17), &
      & c50 => s%third%v(17), &
      & c51 => s%first%v(18), &
      & c52 => s%second%v(18), &
      & c53 => s%third%v(18), &
      & c54 => s%first%v(19), &
      & c55 => s%second%v(19), &
      & c56 => s%third%v(19), &
      & c57 => s%first%v(20), &
      & c58 => s%second%v(20), &
      & c59 => s%third%v(20), &
      & c60 => s%first%v(21), &
      & c61 => s%second%v(21), &
      & c62 => s%third%v(21), &
      & c63 => s%first%v(22), &
      & c64 => s%second%v(22), &
      & c65 => s%third%v(22), &
      & c66 => s%first%v(23), &
      & c67 => s%second%v(23), &
      & c68 => s%third%v(23), &
      & c69 => s%first%v(24), &
      & c70 => s%second%v(24), &
      & c71 => s%third%v(24), &
      & c72 => s%first%v(25), &
      & c73 => s%second%v(25), &
      & c74 => s%third%v(25), &
      & c75 => s%first%v(26), &
      & c76 => s%second%v(26), &
      & c77 => s%third%v(26), &
      & c78 => s%first%v(27), &
      & c79 => s%second%v(27), &
      & c80 => s%third%v(27), &
      & c81 => s%first%v(28), &
      & c82 => s%second%v(28), &
      & c83 => s%third%v(28), &
      & c84 => s%first%v(29), &
      & c85 => s%second%v(29), &
      & c86 => s%third%v(29), &
      & c87 => s%first%v(30), &
      & c88 => s%second%v(30), &
      & c89 => s%third%v(30) &
      & )
    do y = 1, ny; do x = 1, nx
    a(x,y,1) = a(x,y,2)*c00 + c13 + c89*c20+c23+c26+c29+c32+c35+c38+c41+c44+c47
    associate(low => a(x,y,1), high => c40 + x)
      a(x,y,3) = low + high
    end associate
    end do; end do
    c00 = a(1,1,1)
    end associate
    print '(es24.16)', (((a(i9,j9,k9), i9=1,nx), j9=1,ny), k9=1,nz), s%first%v(1)
  end subroutine run
end module r45
