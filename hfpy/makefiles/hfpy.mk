# Rules that build annotated Fortran with hfpy; include them with:  include $(shell hfpy makefile)
#
# Set before the include, all optional:
#   HFPY_SOURCES   folders and files; default: those that hfpy.toml names
#   HFPY_TARGET    cpu (default) or gpu
#   HFPY_OPTIONS   further options of `hfpy transpile`, such as --backend sequential -D NX=256
#   HFPY_BUILD     folder for everything that is made; default build/make-$(HFPY_TARGET)
#   HFPY           the command; default hfpy
#   FC FFLAGS CC CFLAGS LDFLAGS LDLIBS   as usual
# Given back: HFPY_EXECUTABLES, the executables; the targets hfpy-all (makes them), hfpy-source and hfpy-clean.
#
# How it works: `hfpy transpile` writes the generated sources (only those that change) and then a fragment with
# the dependencies, which is included here; make remakes it, and starts over, when a source changes. Objects and
# module files come under a temporary name and are renamed when whole. A module file is replaced only if it
# differs, so an edit in the body of a routine compiles one file.

ifneq ($(filter 3.% 4.0 4.1,$(MAKE_VERSION)),)
  $(error hfpy.mk needs GNU make 4.2 or newer, this is $(MAKE_VERSION))
endif

HFPY ?= hfpy
HFPY_TARGET ?= cpu
HFPY_BUILD ?= build/make-$(HFPY_TARGET)
ifeq ($(origin FC),default)
  FC := gfortran
endif

ifeq ($(.DEFAULT_GOAL),)
  .DEFAULT_GOAL := hfpy-all
endif

.PHONY: hfpy-all hfpy-source hfpy-clean hfpy-again

hfpy-clean:
	rm -rf $(HFPY_BUILD)

# Nothing is translated just to be removed.
ifneq ($(filter-out clean distclean hfpy-clean,$(or $(MAKECMDGOALS),$(.DEFAULT_GOAL))),)

# The command lines, in a file that is written when they change; what was made with others is made again.
HFPY_STATE := $(strip $(HFPY) $(HFPY_TARGET) $(HFPY_SOURCES) $(HFPY_OPTIONS) : $(FC) $(FFLAGS) : $(CC) $(CFLAGS))
ifneq ($(file <$(HFPY_BUILD)/flags),$(HFPY_STATE))
  $(shell mkdir -p $(HFPY_BUILD)/objects $(HFPY_BUILD)/modules)
  $(file >$(HFPY_BUILD)/flags,$(HFPY_STATE))
endif

# The last makefile read is this one: a new hfpy makes all sources anew.
$(HFPY_BUILD)/hfpy.d: $(HFPY_BUILD)/flags $(lastword $(MAKEFILE_LIST))
	@FC='$(FC)' CC='$(CC)' FFLAGS= CFLAGS= LDFLAGS= $(HFPY) transpile $(HFPY_SOURCES) --target $(HFPY_TARGET) \
	  $(HFPY_OPTIONS) -o $(HFPY_BUILD)/generated --depfile $@

include $(HFPY_BUILD)/hfpy.d

# Generated files that somebody removed.
ifneq ($(sort $(wildcard $(HFPY_GENERATED))),$(sort $(HFPY_GENERATED)))
$(HFPY_BUILD)/hfpy.d: hfpy-again
endif

hfpy-source: $(HFPY_BUILD)/hfpy.d
hfpy-all: $(or $(strip $(HFPY_EXECUTABLES)),$(HFPY_BUILD)/libhfpy.a)

# Runs a compiler ($1) on $<; what it says leads back to the user's lines.
define HFPY_COMPILE
	@echo '$(subst ','\'',$(strip $1)) -o $@ $<'
	@mkdir -p $(@D); $1 -o $@.tmp $< >$@.log 2>&1; status=$$?; \
	  if test -s $@.log; then $(HFPY) map-messages $(HFPY_BUILD) $(<:$(HFPY_BUILD)/generated/%=%) <$@.log || cat $@.log >&2; fi; \
	  rm -f $@.log; exit $$status
endef

# The module files go into place before the object: an object that is there was compiled to its end.
$(HFPY_BUILD)/objects/%.o: $(HFPY_BUILD)/generated/% $(HFPY_BUILD)/flags
	@rm -rf $@.modules; mkdir -p $@.modules
	$(call HFPY_COMPILE,$(FC) -c $(HFPY_FILE_FLAGS) $(HFPY_INCLUDES) $(FFLAGS) $(HFPY_PARALLEL) \
	  $(HFPY_MODULE_OUT) $@.modules -I$@.modules -I$(HFPY_BUILD)/modules)
	@for file in $@.modules/*; do \
	  there=$(HFPY_BUILD)/modules/$${file##*/}; \
	  if test -e "$$file" && ! cmp -s "$$file" "$$there"; then mv -f "$$file" "$$there" || exit 1; fi; \
	done
	@rm -rf $@.modules; mv -f $@.tmp $@

# A module file comes with its object. It keeps its time when it does not change; if it is lost, the object goes.
$(HFPY_BUILD)/modules/%.mod:
	@test -e $@ || { rm -f $(firstword $^); $(MAKE) --no-print-directory $(firstword $^); }

define HFPY_COMPILE_C
$(call HFPY_COMPILE,$(CC) -c $(HFPY_DEFINES) $(HFPY_INCLUDES) $(CFLAGS))
	@mv -f $@.tmp $@
endef

$(HFPY_BUILD)/libhfpy.a: $(HFPY_MEMBERS)
	@rm -f $@.tmp; ar qcs $@.tmp $^; mv -f $@.tmp $@

$(HFPY_EXECUTABLES): $(HFPY_ALWAYS) $(if $(HFPY_MEMBERS),$(HFPY_BUILD)/libhfpy.a)
	$(FC) $(FFLAGS) $(HFPY_PARALLEL) $(LDFLAGS) -o $@.tmp $(filter %.o,$^) $(filter %.a,$^) $(LDLIBS)
	@mv -f $@.tmp $@

endif
