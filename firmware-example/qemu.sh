#!/bin/sh
# Boots an ELF file in QEMU with the UART on standard input and output: qemu.sh MACHINE ELF [QEMU OPTIONS]
# The firmware's log messages go to standard error.
set -eu
machine=$1
elf=$2
shift 2
"$(dirname "$0")/setup.sh" qemu
exec qemu-system-arm -M "$machine" -display none -monitor none -serial stdio \
    -semihosting-config enable=on,target=native -kernel "$elf" "$@"
