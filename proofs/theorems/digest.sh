#!/bin/sh
# The digest of all theorem and checker sources; it is committed, as `digest`, once Coq accepts them.
set -eu
cd "$(dirname "$0")/.."
LC_ALL=C
export LC_ALL
sha256sum checker/*.py theorems/*.v theorems/*.sh theorems/*.py theorems/Makefile theorems/_CoqProject |
  sha256sum | cut -d ' ' -f 1
