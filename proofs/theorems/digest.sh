#!/bin/sh
# The digest of all theorem and checker sources; it is committed, as `digest`, once Coq accepts them.
set -eu
cd "$(dirname "$0")/.."
LC_ALL=C
export LC_ALL
files=$(sed -n '/\.v$/s|^|theorems/|p' theorems/_CoqProject)
sha256sum checker/*.py $files theorems/*.sh theorems/*.py theorems/Makefile theorems/_CoqProject |
  sha256sum | cut -d ' ' -f 1
