#!/bin/sh
# Installs what the firmware needs besides Rust: QEMU, and `core` for a bare-metal target.
#
#   setup.sh qemu             make sure qemu-system-arm runs
#   setup.sh target TRIPLE    make sure rustc can build for TRIPLE
#   setup.sh browser          make sure Chromium runs, for testing training reports, and print its name
#   setup.sh                  QEMU, and every target of the example
#
# Does nothing if nothing is missing, and announces every installation. Targets normally come from rustup. If rustup
# cannot reach its server, `core` is built once from the sources of Debian's rustc-web, and kept in our cache for
# rustc.sh.
set -eu
# Inherited if cargo calls this: its job server is not for us.
unset CARGO_MAKEFLAGS MAKEFLAGS

targets="thumbv7em-none-eabihf thumbv7m-none-eabi thumbv6m-none-eabi thumbv8m.main-none-eabihf"
cache=${PUAL_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/pual}
debian_rustc=/usr/bin/rustc

say() { printf 'setup: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }

# apt-get as root, or with sudo if that needs no password; otherwise it fails, and the caller says what to do.
apt_install() {
    command -v apt-get >/dev/null 2>&1 || return 1
    as_root=
    if [ "$(id -u)" != 0 ]; then
        sudo -n true 2>/dev/null || return 1
        as_root="sudo -n"
    fi
    say "installing with apt-get: $*"
    $as_root apt-get update -qq >&2 || say "apt-get update failed; trying with the existing package lists"
    # shellcheck disable=SC2086 # an empty $as_root must vanish
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >&2
}

# Two commands must not install the same thing at the same time.
lock() {
    mkdir -p "$cache"
    if command -v flock >/dev/null 2>&1; then
        exec 9>"$cache/setup.lock"
        flock 9
    fi
}

need_qemu() {
    command -v qemu-system-arm >/dev/null 2>&1 && return
    lock
    command -v qemu-system-arm >/dev/null 2>&1 && return
    apt_install qemu-system-arm && return
    fail "qemu-system-arm is missing and could not be installed. Install QEMU's ARM system emulator:
    Debian, Ubuntu   apt-get install qemu-system-arm
    Fedora           dnf install qemu-system-arm
    Arch             pacman -S qemu-system-arm
    macOS            brew install qemu
    Windows          winget install SoftwareFreedomConservancy.QEMU"
}

browser() {
    for name in chromium chromium-browser google-chrome-stable google-chrome; do
        command -v "$name" && return
    done
    return 1
}

need_browser() {
    browser && return
    lock
    browser && return
    apt_install chromium && browser && return
    fail "Chromium is missing and could not be installed. Install it:
    Debian           apt-get install chromium
    Ubuntu           snap install chromium
    Fedora           dnf install chromium
    Arch             pacman -S chromium
    macOS            brew install --cask chromium"
}

rustup_has() { [ -d "$(rustc --print sysroot)/lib/rustlib/$1/lib" ]; }

debian_sysroot() { echo "$cache/sysroot-$("$debian_rustc" --version | tr ' ' '\n' | sed -n 2p)"; }

debian_has() { [ -x "$debian_rustc" ] && [ -f "$(debian_sysroot)/lib/rustlib/$1/complete" ]; }

# Builds `core` for $1 with Debian's compiler from Debian's sources. (Cargo can do that on the fly with
# -Zbuild-std, but then every cargo command would need the flag; a sysroot needs it only once.)
build_core() {
    sysroot=$(debian_sysroot)
    say "building core for $1 (once)"
    work=$(mktemp -d)
    mkdir -p "$work/src"
    printf '#![no_std]\n' >"$work/src/lib.rs"
    printf '[package]\nname = "core-for-%s"\nversion = "0.0.0"\nedition = "2021"\n[workspace]\n' "$(echo "$1" | tr . _)" >"$work/Cargo.toml"
    (
        cd "$work"
        unset RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER CARGO_ENCODED_RUSTFLAGS CARGO_BUILD_TARGET CARGO_TARGET_DIR
        # With bitcode, for link-time optimisation, like rustup's.
        RUSTC=$debian_rustc RUSTC_BOOTSTRAP=1 RUSTFLAGS="-C embed-bitcode=yes" cargo build --quiet --release -Zbuild-std=core --target "$1" >&2
    ) || fail "core for $1 could not be built"
    library=$sysroot/lib/rustlib/$1/lib
    mkdir -p "$library"
    cp "$work/target/$1"/release/deps/lib*.rlib "$library/"
    rm -f "$library"/libcore_for_*.rlib
    rm -rf "$work"

    # The bare-metal targets link with rust-lld, which rustc looks for in its sysroot.
    host=$("$debian_rustc" -vV | sed -n 's/^host: //p')
    tools=$sysroot/lib/rustlib/$host/bin
    mkdir -p "$tools"
    lld=$(rustc --print sysroot)/lib/rustlib/$host/bin/rust-lld
    if [ ! -x "$lld" ]; then
        command -v ld.lld >/dev/null 2>&1 || apt_install lld || fail "no linker: install lld"
        lld=$(command -v ld.lld)
    fi
    ln -sf "$lld" "$tools/rust-lld"
    : >"$sysroot/lib/rustlib/$1/complete"
}

need_target() {
    rustup_has "$1" && return
    debian_has "$1" && return
    lock
    if rustup_has "$1" || debian_has "$1"; then return; fi
    # Once Debian's compiler is in use, it serves every target: the two compilers must not be mixed.
    if [ ! -d "$(debian_sysroot 2>/dev/null)" ] && command -v rustup >/dev/null 2>&1; then
        say "rustup target add $1"
        if rustup target add "$1" >&2 && rustup_has "$1"; then return; fi
        say "rustup could not download it; falling back to Debian's rustc-web, which brings the sources"
    fi
    if [ ! -x "$debian_rustc" ] || [ ! -d "$("$debian_rustc" --print sysroot)/lib/rustlib/src/rust/library/core" ]; then
        apt_install rustc-web rust-web-src || fail "cannot build for $1. Either make this work:
    rustup target add $1
or, on Debian or Ubuntu, install the packages rustc-web and rust-web-src."
    fi
    build_core "$1"
}

case ${1-} in
qemu) need_qemu ;;
target) need_target "${2:?setup.sh target TRIPLE}" ;;
sysroot) debian_sysroot ;;
browser) need_browser ;;
'')
    need_qemu
    for target in $targets; do need_target "$target"; done
    ;;
*) fail "usage: setup.sh [qemu | target TRIPLE | browser]" ;;
esac
