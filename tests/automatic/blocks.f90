module cloud
  implicit none
  type :: tconst
    real(8) :: rg = 9.81d0, rcpd = 1004d0
  end type
  type(tconst) :: ydcst
contains
  subroutine cloudsc(kidia, kfdia, klon, klev, ptsphy, pt, pq, pap, prain)
    integer, intent(in) :: kidia, kfdia, klon, klev
    real(8), intent(in) :: ptsphy, pap(klon,klev)
    real(8), intent(inout) :: pt(klon,klev), pq(klon,klev), prain(klon)
    real(8) :: zqs(klon,klev), zflux(klon,klev+1), zcond(klon), zfac
    logical :: llflag(klon)
    integer :: jk, jl
    associate(rg => ydcst%rg, rcpd => ydcst%rcpd)
    zflux(:,1) = 0
    do jk = 1, klev
      do jl = kidia, kfdia
        zqs(jl,jk) = 0.001d0*exp(0.06d0*(pt(jl,jk) - 273d0))*1d5/pap(jl,jk)
        llflag(jl) = pq(jl,jk) > zqs(jl,jk)
      end do
      zfac = ptsphy/rcpd*jk
      do jl = kidia, kfdia
        if (llflag(jl)) then
          zcond(jl) = pq(jl,jk) - zqs(jl,jk)
        else
          zcond(jl) = 0
        end if
        pq(jl,jk) = pq(jl,jk) - zcond(jl)
        pt(jl,jk) = pt(jl,jk) + zcond(jl)*zfac*2.5d3
        zflux(jl,jk+1) = zflux(jl,jk)*0.9d0 + zcond(jl)*rg
      end do
    end do
    do jl = kidia, kfdia
      prain(jl) = prain(jl) + zflux(jl,klev+1)
    end do
    end associate
  end subroutine cloudsc
  subroutine driver(nproma, ngptot, nblocks, klev, pt, pq, pap, prain)
    integer, intent(in) :: nproma, ngptot, nblocks, klev
    real(8), intent(inout) :: pt(nproma,klev,nblocks), pq(nproma,klev,nblocks), prain(nproma,nblocks)
    real(8), intent(in) :: pap(nproma,klev,nblocks)
    integer :: jkglo, ibl, icend
    do jkglo = 1, ngptot, nproma
      ibl = (jkglo-1)/nproma + 1
      icend = min(nproma, ngptot-jkglo+1)
      call cloudsc(1, icend, nproma, klev, 30d0, pt(:,:,ibl), pq(:,:,ibl), pap(:,:,ibl), prain(:,ibl))
    end do
  end subroutine driver

  subroutine run()
    integer, parameter :: nproma = 16, ngptot = 100, klev = 12, nblocks = (ngptot+nproma-1)/nproma
    real(8) :: t(nproma,klev,nblocks), q(nproma,klev,nblocks), p(nproma,klev,nblocks), rain(nproma,nblocks)
    integer :: i, k, b, n
    do b = 1, nblocks
      do k = 1, klev
        do i = 1, nproma
          t(i,k,b) = 250 + 3.5d0*k + 0.001d0*mod(i+b,37)
          p(i,k,b) = 1d3 + 8d3*k
          q(i,k,b) = 0.002d0*k + 1d-5*mod(i*b,91)
        end do
      end do
    end do
    rain = 0
    do n = 1, 3
      call driver(nproma, ngptot, nblocks, klev, t, q, p, rain)
    end do
    print '(4es24.16)', (rain(mod(5*b,nproma)+1,b), t(mod(3*b,nproma)+1,klev,b), q(b,3,b), q(b,klev,b), b = 1, nblocks)
  end subroutine run
end module cloud
