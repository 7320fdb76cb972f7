subroutine commons_point(k, l, gravity)
  implicit real*8 (a-h,o-z)
  logical wet, dry
  character(len=1) letter
  complex*16 wave
  common /commons_state/ g, prof(0:3,2), iorder, wet, letter, dry, wave, cube(-1:1,2,0:1)
  common /commons_other/ irun
  scaled(y) = g*y + iorder
  nudged(y) = y*0.3d0
  gravity = gravity + scaled(prof(mod(k, 4), 1 + mod(l, 2))) + 0.5d0*nudged(gravity)
  if (wet) gravity = gravity - 0.25d0*aimag(wave)
  if (.not. wet .and. dry) gravity = 0.5d0*gravity + dble(wave)
  do 10 i = -1, 1
    gravity = gravity + cube(i, 2, mod(k + l, 2))
10 continue
  if (irun > 1) gravity = gravity + deeper_of_commons(k, cube)
end subroutine commons_point

real*8 function deeper_of_commons(k, values)
  implicit none
  integer, intent(in) :: k
  real(8), intent(in) :: values(-1:1,2,0:1)
  real(8) :: wave
  integer :: n
  real(8) :: gravity(0:4)
  common /commons_other/ n, gravity
  wave = gravity(mod(k, 5)) + values(0,1,0)
  deeper_of_commons = wave*n
end function deeper_of_commons
