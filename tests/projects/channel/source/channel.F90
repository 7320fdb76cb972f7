#include "storage_order.F90"
program channel
use flow
use fields
use helper_functions
implicit none
real, dimension(DOM(NX,NY,NZ)) :: q
real, dimension(DOM4(NX,NY,NZ,nt)) :: t
real :: p(NX,NY,NZ), old(NX,NY,NZ), s(NX,NY,NZ,nt), total, worst
integer :: x, y, z, n, step_number
call init_hf()
call make_fields()
do y = 1, NY; do x = 1, NX; do z = 1, NZ
  p(x,y,z) = x + 10.0*y + 100.0*z
  q(AT(x,y,z)) = p(x,y,z)
  do n = 1, nt
    s(x,y,z,n) = n*x - z
    t(AT4(x,y,z,n)) = s(x,y,z,n)
  end do
end do; end do; end do
do step_number = 1, 3
  call step(q, t, total)
  call by_hand()
  worst = 0
  do y = 1, NY; do x = 1, NX; do z = 1, NZ
    worst = max(worst, abs(q(AT(x,y,z)) - p(x,y,z)))
    do n = 1, nt
      worst = max(worst, abs(t(AT4(x,y,z,n)) - s(x,y,z,n)))
    end do
  end do; end do; end do
  if (worst > 1e-9 .or. abs(total - sum(p)) > 1e-6) then
    write(0,*) 'channel failed', step_number, worst, total, sum(p)
    stop 2
  end if
  write(0,*) 'step ok', step_number
end do
call write3DToFile('./out/q.dat', q, NX, NY, NZ)
contains
subroutine by_hand()
real :: w
old = p
do y = 1, NY; do x = 1, NX; do z = 1, NZ
  w = 0.1*x - 0.05*y*z
  p(x,y,z) = p(x,y,z) + 0.5*w
  p(x,y,z) = p(x,y,z) - 0.125*w
end do; end do; end do
do y = 2, NY-1; do x = 2, NX-1; do z = 1, NZ
  p(x,y,z) = p(x,y,z) + 0.1*(old(x-1,y,z) + old(x+1,y,z) + old(x,y-1,z) + old(x,y+1,z) - 4.0*old(x,y,z))
  do n = 1, nt
    s(x,y,z,n) = s(x,y,z,n) + n*p(x,y,z)
  end do
end do; end do; end do
p(:,1,:) = p(:,2,:)
p(:,NY,:) = -p(:,NY-1,:)
p(1,:,:) = 0.5*p(2,:,:)
do z = 1, NZ
  if (z**2 > 3.0) p(2:,:,z) = p(2:,:,z) + 0.01*z**2
end do
end subroutine
end program
