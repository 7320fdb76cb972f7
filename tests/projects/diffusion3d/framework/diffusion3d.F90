#include "storage_order.F90"
program diffusion3d
	use diffusion
	use helper_functions
	use time_profiling
	implicit none
	integer, parameter :: nx = 16, ny = 12, nz = 10, steps = 40
	double precision :: lx, ly, lz, dx, dy, dz, dt, kappa, time, err, x0, y0, z0
	double precision, dimension(:,:,:), pointer :: f, fn
	integer :: i, j, k

	lx = 1.0d0; ly = 1.5d0; lz = 0.75d0
	dx = lx/nx; dy = ly/ny; dz = lz/nz
	kappa = 0.1d0
	dt = 0.1d0 * min(dx, dy, dz)**2 / kappa
	time = 0.0d0
	allocate(f(DOM(nx,ny,nz)), fn(DOM(nx,ny,nz)))
	do k = 1, nz; do j = 1, ny; do i = 1, nx
		x0 = (i - 0.5d0)*dx; y0 = (j - 0.5d0)*dy; z0 = (k - 0.5d0)*dz
		f(AT(i,j,k)) = exact(x0/lx, y0/ly, z0/lz, 0.0d0, 0.0d0, 0.0d0)
	end do; end do; end do
	fn = 0.0d0
	call integrate(nx, ny, nz, steps, f, fn, kappa, dt, dx, dy, dz, time)
	err = 0.0d0
	do k = 1, nz; do j = 1, ny; do i = 1, nx
		x0 = (i - 0.5d0)*dx; y0 = (j - 0.5d0)*dy; z0 = (k - 0.5d0)*dz
		err = err + (f(AT(i,j,k)) - exact(x0/lx, y0/ly, z0/lz, kappa*time/lx**2, kappa*time/ly**2, kappa*time/lz**2))**2
	end do; end do; end do
	err = sqrt(err/(nx*ny*nz))
	write(0,*) 'RMS error ', err, ' at time ', time
	if (err .gt. 1.0d-3) stop 2
	if (err .lt. 1.0d-8) stop 3	! too good to be true
	write(0,*) 'diffusion ok'
	deallocate(f); deallocate(fn)
end program
