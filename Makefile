# SPDX-License-Identifier: MIT
# Makefile - the whole of tptrace.  `make help` lists what it can do.

O      ?= build
CC     ?= cc
CFLAGS ?= -O2 -g

OUR_CPPFLAGS := -I. -D_GNU_SOURCE
OUR_CFLAGS   := -std=gnu11 -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes
SHIM_CFLAGS  := -fPIC -fvisibility=hidden -ftls-model=initial-exec -fexceptions -fno-plt
SHIM_LDFLAGS := -shared -Wl,-z,now -Wl,-z,relro -Wl,--no-undefined
ZSTD_CFLAGS  := $(shell pkg-config --cflags libzstd)
ZSTD_LIBS    := $(shell pkg-config --libs libzstd)
DW_LIBS      := $(shell pkg-config --libs libdw libelf)

# what is built, room by room
PRELOAD   := $(wildcard preload/*.c)
COLLECTOR := $(addprefix collector/,err.c defs.c encode.c file.c)
INPROC    := $(COLLECTOR) $(addprefix collector/,describe.c path.c inproc.c)
GOMP      := $(wildcard shims/gomp*.c)
READER    := $(COLLECTOR) $(addprefix collector/,decode.c reader.c text.c)
TOOLS     := $(wildcard tools/*.c tools/*/*.c)

pic = $(patsubst %.c,$(O)/pic/%.o,$(1))
obj = $(patsubst %.c,$(O)/obj/%.o,$(1))

all: $(O)/libtptrace.so $(O)/libtpshim_omp.so $(O)/tptrace

$(O)/libtptrace.so: $(call pic,$(PRELOAD) $(INPROC))
	$(Q)$(CC) $(SHIM_LDFLAGS) -Wl,-z,initfirst $(LDFLAGS) -o $@ $^ $(ZSTD_LIBS) -lpthread

$(O)/libtpshim_omp.so: $(call pic,$(GOMP)) $(O)/libtptrace.so
	$(Q)$(CC) $(SHIM_LDFLAGS) $(LDFLAGS) '-Wl,-rpath,$$ORIGIN' -o $@ $(call pic,$(GOMP)) \
		-L$(O) -ltptrace -ldl

$(O)/tptrace: $(call obj,$(READER) $(TOOLS))
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(ZSTD_LIBS) $(DW_LIBS) -lpthread -ldl

$(O)/pic/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(OUR_CPPFLAGS) $(CPPFLAGS) $(OUR_CFLAGS) $(SHIM_CFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<
$(O)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(OUR_CPPFLAGS) $(CPPFLAGS) $(OUR_CFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

-include $(shell find $(O) -name '*.d' 2>/dev/null)

V ?= 0
ifeq ($(V),0)
Q = @echo "  $(@F)";
endif
.PHONY: all
