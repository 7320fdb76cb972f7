! Fields over many processes: decompositions, halo exchange, reductions, gather and scatter. One interface in three
! builds:
!   -DHFPY_MPI                    on MPI's module mpi_f08
!   -DHFPY_MPI -DHFPY_MPI_OLD     on MPI's module mpi
!   without either                one process, no MPI: exchanges wrap periodic dimensions
!
! Below them is hfpy_exact, in a folder of its own.
! The sources in the order of compilation: hfpy_halo_job, _grid, _waits, _links, _messages, _decomposition, _swaps, _boxes,
! _exchanges, _sums, _exact, _gathers, hfpy_halo.
!
! A decomposition:
!   call hf_decompose(dec, name, global, local, halo_low, halo_high, periodic, grid [, stagger] [, comm])
!   hf_before(dec, dim), hf_owned(dec, dim), hf_global(dec, dim), hf_edge(dec, dim, side), hf_process(dec),
!   hf_processes(dec), hf_coordinate(dec, dim), hf_neighbour(dec, direction), hf_release(dec)
!
! Exchange of buffers that others pack and unpack:
!   call hf_swap_plan(dec, plan, directions, send_offset, send_length, recv_offset, recv_length [, site])
!   call hf_swap_start(dec, plan, send, recv);  call hf_progress(plan [, done]);  call hf_swap_finish(plan)
!
! Fields (real, integer, logical, complex; 1 to 4 dimensions). `dims` has the field's dimension for each decomposed one,
! or 0 where the field does not have it; `first` and `last` are the bounds of those dimensions where the first owned
! point has the index 1, so that a field declared as u(0:nx+1) has 0 and nx+1:
!   call hf_exchange(dec, field, dims, first, last [, low] [, high] [, corners] [, outer])
!     the halo becomes what its owners have; `low` and `high` are widths, at most those of the decomposition, whose
!     widths are taken without them; `corners` (true): diagonal neighbours too. What lies beyond a physical boundary
!     is left alone; with `outer` (false), what a neighbour has there beside its part of the halo comes along.
!   call hf_poison(dec, field, dims, first, last [, outer])
!     the halo becomes NaN (huge integers, true), so that what reads it before an exchange is seen
!   call hf_gather(dec, local, global, dims, first, last);  call hf_scatter(dec, global, local, dims, first, last)
!     between the owned points of all processes and the whole field at process 0
!
! Reductions, in place, of numbers and arrays with up to 3 dimensions, in the order of the processes:
!   call hf_sum_all(dec, x), hf_product_all, hf_max_all, hf_min_all, hf_and_all, hf_or_all
! Sums without rounding, so that their bits depend neither on the order nor on the number of processes:
!   total = hf_sum_exact(dec, values);  type(hf_exact) with hf_exact_clear, hf_exact_add,
!   hf_exact_merge, hf_exact_total
module hfpy_halo
  use hfpy_halo_decomposition, only: hf_decomposition, hf_decompose, hf_release, hf_owned, hf_before, hf_global, hf_edge, &
    hf_process, hf_processes, hf_coordinate, hf_neighbour
  use hfpy_halo_swaps, only: hf_plan, hf_swap_plan, hf_swap_start, hf_progress, hf_swap_finish
  use hfpy_halo_fields, only: hf_exchange, hf_poison
  use hfpy_halo_sums, only: hf_sum_all, hf_product_all, hf_max_all, hf_min_all, hf_and_all, hf_or_all
  use hfpy_halo_exact, only: hf_sum_exact, hf_exact, hf_exact_clear, hf_exact_add, hf_exact_merge, hf_exact_total
  use hfpy_halo_gathers, only: hf_gather, hf_scatter
  implicit none
  public
end module hfpy_halo
