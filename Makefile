# The front door; meson and ninja do the work: in build/ of the program, in build-lib/ of the library, which is for the
# host's libc and so by the host's compiler.
#   make CC=clang      another compiler for both (glibc then), right after `make clean`
#   make install DESTDIR=/tmp/root PREFIX=/usr
PREFIX ?= /usr/local
# The environment's CC is not taken: the program is meant to be static musl unless one says otherwise.
ifneq ($(origin CC),command line)
CC := $(CURDIR)/tools/musl-cc
LIBRARY_CC := gcc
else
LIBRARY_CC := $(CC)
endif

all: build/build.ninja build-lib/build.ninja
	ninja -C build --quiet product
	ninja -C build-lib --quiet

build/build.ninja: | sources
	CC='$(CC)' meson setup build

# Each time, since a new version may pin another one; without network when all are there.
sources:
	tools/fetch-sources

build-lib/build.ninja:
	CC='$(LIBRARY_CC)' meson setup build-lib lib -Dprefix='$(PREFIX)'

everything: build/build.ninja build-lib/build.ninja
	ninja -C build --quiet
	ninja -C build-lib --quiet

demo:
	tools/install-deps build
	$(MAKE) --no-print-directory all
	sh tools/demo

check-all: projects
check check-all:
	tools/install-deps test
	$(MAKE) --no-print-directory everything
	tests/run $@

# The real projects of tests/work/test_debian_projects.py: what they need, and their sources.
projects:
	tools/install-deps projects
	tools/fetch-sources tests/work/projects/*.wrap

bench: everything
	bench/run

mutate: everything
	tests/mutation/run

lint: everything
	tests/lint/run

fmt:
	tools/fmt

# The library has the program's path in it, so it is built for its place here.
install: build/build.ninja build-lib/build.ninja
	meson configure build -Dprefix='$(PREFIX)'
	ninja -C build --quiet product
	DESTDIR='$(DESTDIR)' meson install -C build --no-rebuild --skip-subprojects
	meson configure build-lib -Dprefix='$(PREFIX)'
	ninja -C build-lib --quiet
	DESTDIR='$(DESTDIR)' meson install -C build-lib --no-rebuild
	[ -n '$(DESTDIR)' ] || [ "$$(id -u)" != 0 ] || ldconfig

# What the last `make install` put there, by meson's lists; in reverse, since a folder goes when it is empty.
uninstall:
	ninja -C build-lib uninstall
	ninja -C build uninstall
	[ "$$(id -u)" != 0 ] || ldconfig

clean:
	rm -rf build build-lib subprojects/*-*/

.PHONY: all sources everything demo check check-all projects bench mutate lint fmt install uninstall clean
