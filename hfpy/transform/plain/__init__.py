"""The plain form of what kernels are made of: constructs that the language has for people, in terms of simpler ones."""
