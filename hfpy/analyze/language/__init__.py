"""What a statement says by itself: names, types, kinds, intrinsic procedures, and every reference."""
