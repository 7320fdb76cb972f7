# hfpy's rules for make. The rules themselves are in the Python package, so that an installed hfpy has them;
# in your Makefile write:  include $(shell hfpy makefile)
include $(dir $(lastword $(MAKEFILE_LIST)))../hfpy/makefiles/hfpy.mk
