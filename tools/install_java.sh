#!/bin/sh
# Installs Java 17 for the tests of Spark from Debian's packages, as root or through sudo; --check only looks for it.
command -v java >/dev/null 2>&1 && exit 0
[ -n "$JAVA_HOME" ] && [ -x "$JAVA_HOME/bin/java" ] && exit 0
[ "$1" = --check ] && exit 1
command -v apt-get >/dev/null 2>&1 || { echo "No apt-get here: install Java 17 your system's way." >&2; exit 1; }
as_root=""
[ "$(id -u)" = 0 ] || as_root="sudo"
$as_root apt-get update -qq && $as_root apt-get install -y -qq --no-install-recommends openjdk-17-jre-headless >/dev/null ||
  { echo "Java could not be installed; without it 'make test' skips the tests of Spark." >&2; exit 1; }
