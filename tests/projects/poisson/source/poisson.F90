program poisson2d
  use field
  use solver
  implicit none
  integer :: i, j, iter
  real(r8) :: defect
  call create(12, 9)
  do j = 0, ny+1
    do i = 0, nx+1
      rhs(i,j) = 0.1_r8*sin(0.5_r8*i)*j
      if (i == 0) u(i,j) = 0.01_r8*j
    end do
  end do
  call solve(nx, ny, u, unew, rhs, 1.0e-6_r8, 400, iter, defect)
  ! counted by a plain program with the same loops
  if (iter /= 256 .or. abs(defect - 9.17757814897224e-07_r8) > 1.0e-15_r8) then
    print *, 'poisson failed', iter, defect
    stop 2
  end if
  print *, 'poisson ok'
end program poisson2d
