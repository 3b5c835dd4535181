# The front door; meson and ninja do the work in build/.
#   make CC=clang      another compiler (glibc then), right after `make clean`
#   make install DESTDIR=/tmp/root PREFIX=/usr
PREFIX ?= /usr/local
# The environment's CC is not taken: the program is meant to be static musl unless one says otherwise.
ifneq ($(origin CC),command line)
CC := $(CURDIR)/tools/musl-cc
endif

all: build/build.ninja
	ninja -C build --quiet product

build/build.ninja: | sources
	CC='$(CC)' meson setup build

# Each time, since a new version may pin another one; without network when all are there.
sources:
	tools/fetch-sources

everything: build/build.ninja
	ninja -C build --quiet

demo:
	tools/install-deps build
	$(MAKE) --no-print-directory all
	sh tools/demo

check check-all:
	tools/install-deps test
	$(MAKE) --no-print-directory everything
	tests/run $@

bench: everything
	bench/run

lint: everything
	tests/lint/run

fmt:
	tools/fmt

install: build/build.ninja
	meson configure build -Dprefix='$(PREFIX)'
	ninja -C build --quiet product
	DESTDIR='$(DESTDIR)' meson install -C build --no-rebuild --skip-subprojects

clean:
	rm -rf build subprojects/*-*/

.PHONY: all sources everything demo check check-all bench lint fmt install clean
