module r04_kinds
  implicit none
  integer, parameter :: sp = selected_real_kind(6), dp = selected_real_kind(13), ik = selected_int_kind(9)
  integer, parameter :: wp = dp
end module r04_kinds
