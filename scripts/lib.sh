# Shared by the scripts beside it; sourced, not run.
set -euo pipefail
repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '%s\n' "$*" >&2; }
die() { local code=$1; shift; say "$(basename "$0"): $*"; exit "$code"; }

# show_usage_if_asked ARGUMENTS…: for a first -h or --help, the comment at the head of the script, and the end.
show_usage_if_asked() {
  case "${1:-}" in -h | --help) ;; *) return 0 ;; esac
  sed -n '2,${/^#/!q; s/^# \{0,1\}//p}' "$0"
  exit 0
}

# npm, ccache and git want a HOME; where there is none, one below build/ keeps the rest of the machine as it is.
if [ ! -d "${HOME:-}" ]; then
  export HOME="$repo/build/home"
  mkdir -p "$HOME"
fi

# One cache serves every clone: paths below the source directory are hashed as relative ones.
export CCACHE_BASEDIR="${CCACHE_BASEDIR:-$repo}" CCACHE_NOHASHDIR=1

# check_preset NAME: ends with 2 where CMakePresets.json has none of that name.
check_preset() {
  local names
  names=$(sed -n '/"hidden": true/d; /"configurePresets"/,/^  \]/s/.*{"name": "\([^"]*\)".*/\1/p' "$repo/CMakePresets.json")
  case $'\n'"$names"$'\n' in *$'\n'"$1"$'\n'*) ;; *) die 2 "there is no preset '$1'; there are: ${names//$'\n'/, }" ;; esac
}

# configure PRESET [OPTION…]: runs CMake only when it has not been run with exactly these options; later changes
# of the build files are noticed by ninja itself.
configure() {
  local preset=$1 dir="$repo/build/$1" wanted
  shift
  if command -v ccache >/dev/null; then
    set -- "$@" -DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache
  fi
  wanted="$repo $*"
  if [ -f "$dir/build.ninja" ] && [ "$(cat "$dir/configured-with" 2>/dev/null)" = "$wanted" ]; then
    return
  fi
  mkdir -p "$dir"
  if ! (cd "$repo" && cmake --preset "$preset" "$@") >"$dir/configure.log" 2>&1; then
    cat "$dir/configure.log" >&2
    die 1 "CMake could not configure the $preset build"
  fi
  printf '%s' "$wanted" >"$dir/configured-with"
}

# run_ninja DIR [TARGET…]: progress on a terminal; elsewhere a line for each tenth of the steps, and all that a step
# says; nothing when there is nothing to do.
run_ninja() {
  local dir=$1
  shift
  if [ -t 2 ]; then
    ninja -C "$dir" "$@" >&2 || die 1 "the build failed"
  else
    ninja -C "$dir" "$@" | each_tenth >&2 || die 1 "the build failed"
  fi
}

each_tenth() {
  awk '
    /: Entering directory / || /Re-checking globbed/ || /no work to do/ { next }
    match($0, /^\[[0-9]+\/[0-9]+\] /) {
      split(substr($0, 2, RLENGTH - 3), step, "/")
      tenth = int(10 * step[1] / step[2])
      if (tenth == told && step[1] > 1) next
      told = tenth
    }
    { print; fflush() }'
}

# A git that neither reads nor needs any configuration of this machine or its user.
plain_git() {
  GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null git -c user.name=Instar -c user.email=example@localhost \
    -c init.defaultBranch=main -c commit.gpgsign=false "$@"
}

# make_target DIR NAME: DIR's files, committed, as a git repository outside this one; prints where. The header that
# the tests of the C examples share becomes one of their files; a script `add-upstream` adds what is not ours.
make_target() {
  local parent=${INSTAR_EXAMPLES:-${TMPDIR:-/tmp}} target
  target=$(mktemp -d "$parent/instar-$2-XXXXXX")
  cp -R "$1/." "$target/"
  if grep -qs tap.h "$target/tests/run.c"; then cp "$repo/examples/support/tap.h" "$target/tests/"; fi
  if [ -x "$1/add-upstream" ]; then
    "$1/add-upstream" "$target" || exit
    rm "$target/add-upstream"
  fi
  plain_git -C "$target" init -q
  plain_git -C "$target" add -A
  plain_git -C "$target" commit -q -m "$2"
  echo "$target"
}

# show_run INSTAR TARGET: what the newest run of the target found, as its commands tell it; nothing where none began.
show_run() {
  [ -d "$2/.git/instar/runs" ] || return 0
  say ""
  say "What was found:"
  "$1" diff champion -C "$2" || say "(nothing better than the base)"
  say ""
  say "The checkpoints:"
  "$1" log -C "$2"
}

# say_how_to_remove TARGET
say_how_to_remove() {
  say ""
  say "The repository stays for a closer look. Remove it with:"
  say "  rm -rf $1"
}
