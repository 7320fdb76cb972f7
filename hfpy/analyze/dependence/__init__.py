"""Dependences between the points of a region: exact where indices are affine, and told apart where they are not."""
