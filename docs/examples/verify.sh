# Two masks for block diffusion, [noisy 0-3 | clean 4-7] in blocks of two tokens. A noisy row must not
# be reached from the clean copy of its own block or a later one: own_block.json lists these pairs.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here"/*.txt "$here"/*.json "$work"
ln -s "$here/../../proofs" "$work/proofs"
cd "$work"

show() { # exit code, command
  expected=$1
  shift
  printf '\n$ %s\n' "$*"
  code=0
  "$@" || code=$?
  if [ "$code" -ne "$expected" ]; then
    printf 'exit code %s, expected %s\n' "$code" "$expected" >&2
    exit 1
  fi
}

show 0 attnproof verify block_diffusion.txt --forbid own_block.json --certificate holds.json
show 0 attnproof check holds.json --mask block_diffusion.txt
show 1 attnproof verify two_layer_leak.txt --forbid own_block.json --certificate leaks.json
show 0 attnproof check leaks.json --mask two_layer_leak.txt
show 0 python -I -S proofs/checker leaks.json
printf '\nAs it should be: the first mask holds, the second leaks at depth two, and both proofs check.\n'
