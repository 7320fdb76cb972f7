C     common blocks by an include file with the sizes, in fixed form: block data, calls without arguments, automatic arrays
      block data comfi3
      include 'old_commons_sizes.inc'
      data dz /1.0d0, 2.0d0, 0.5d0, 0.25d0/, eddy /0.75d0/,
     1     ktop /3/, lwarm /.true./
      data tlocal /3*0.125d0/
      end

      real*8 function comfi4()
      include 'old_commons_sizes.inc'
      comfi4 = eddy + dz(ktop)
      end

      subroutine comfi5(k, x)
      include 'old_commons_sizes.inc'
      integer k, i
      real*8 x, comfi4
      real*8 work(ktop)
      do 10 i = 1, ktop
        work(i) = tcoef(k,i)*dz(i)
   10 continue
      do 20 i = 2, ktop
        work(i) = work(i) + 0.5d0*work(i-1)
   20 continue
      if (lwarm) call comfi6(work(ktop), tlocal, nvar, x)
      if (.not. lwarm) x = x - work(1)*comfi4()
      end

      subroutine comfi6(w, v, n, x)
      implicit real*8 (a-h,o-z)
      dimension v(n)
      common /comfi7/ shift
      do 10 i = 1, n
   10 x = x + w*v(i)
      x = x + shift
      end

      subroutine comfi8(n, a)
      integer n, i, k
      real*8 a(n,3), given, comfi4
      common /comfi7/ given
      external comfi4
!@parallelRegion
      do 20 k = 1, 3
        do 20 i = 1, n
          call comfi5(k, a(i,k))
          a(i,k) = a(i,k) + given + comfi4()
   20 continue
      given = 2*given
!@parallelRegion
      do i = 1, n
        if (a(i,1) .gt. 3) call comfi5(1, a(i,1))
      end do
      end

      subroutine comfi9(step, a)
      include 'old_commons_sizes.inc'
      integer step, i, k
      real*8 a(5,3), shift
      common /comfi7/ shift
      shift = 0.0625d0*step
      do 10 k = 1, nlev
        do 10 i = 1, nvar
          tcoef(i,k) = i + 0.5d0*k - step
   10 continue
      call comfi8(5, a)
      eddy = eddy + step
      lwarm = .not. lwarm
      ktop = 2 + mod(step, 2)
      tlocal(2) = tlocal(2) + dz(1)
      end
