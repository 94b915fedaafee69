#!/bin/sh
# Cargo calls this instead of rustc (`build.rustc-wrapper`), so that the first `cargo build` for a missing bare-metal
# target installs it (setup.sh). If rustup has the target, this only passes the call on. $1 is the real rustc.
set -eu
here=$(dirname "$0")
rustc=$1
shift
# `cargo clippy` puts its driver in front of rustc, which only works with rustup's targets.
case $rustc in *clippy-driver) exec "$rustc" "$@" ;; esac

target=
previous=
for argument in "$@"; do
    case $previous in --target) target=$argument ;; esac
    case $argument in --target=*) target=${argument#--target=} ;; esac
    previous=$argument
done
case $target in thumb*) ;; *) target= ;; esac

# Is there a directory for the target thumb$1, or for any of them?
installed() { ls -d "$("$rustc" --print sysroot)/lib/rustlib/thumb"${1:-*} >/dev/null 2>&1; }

# Calls for host crates (build scripts, derive macros) and `-vV` name no bare-metal target, but must use the same
# compiler as the rest: for them, the example's default target decides.
if ! installed "${target#thumb}"; then
    "$here/setup.sh" target "${target:-thumbv7em-none-eabihf}"
    if ! installed "${target#thumb}"; then
        rustc=/usr/bin/rustc
        [ -z "$target" ] || set -- "$@" --sysroot "$("$here/setup.sh" sysroot)"
    fi
fi
exec "$rustc" "$@"
