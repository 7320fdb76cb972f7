"""From a project to executables: reading projects, running compilers, and keeping what need not be made again."""
