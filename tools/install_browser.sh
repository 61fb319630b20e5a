#!/bin/sh
# Chromium for the workbench's tests, from the system's own packages. Where it cannot be had, the tests say so and skip.
for name in chromium chromium-browser google-chrome; do
  command -v "$name" >/dev/null 2>&1 && exit 0
done
command -v apt-get >/dev/null 2>&1 || { echo "No chromium here: the workbench's tests will be skipped."; exit 0; }
as_root=""
[ "$(id -u)" = 0 ] || as_root="sudo -n"
{ $as_root apt-get update -qq && $as_root apt-get install -y -qq --no-install-recommends chromium; } >/dev/null 2>&1 ||
  echo "chromium could not be installed: the workbench's tests will be skipped."
exit 0
