#!/bin/sh
# Installs Chromium for the workbench's tests from Debian's packages, as root or through sudo; --check only looks for it.
for name in chromium chromium-browser google-chrome; do
  command -v "$name" >/dev/null 2>&1 && exit 0
done
[ "$1" = --check ] && exit 1
command -v apt-get >/dev/null 2>&1 || { echo "No apt-get here: install chromium your system's way." >&2; exit 1; }
as_root=""
[ "$(id -u)" = 0 ] || as_root="sudo"
$as_root apt-get update -qq && $as_root apt-get install -y -qq --no-install-recommends chromium >/dev/null ||
  { echo "chromium could not be installed; without it 'make test' skips the workbench's tests." >&2; exit 1; }
