# Source packages of the distribution, for examples that are real programs; sourced after lib.sh.

# upstream_package NAME: prints the directory with the files of the source package NAME. They are fetched once, by apt,
# which verifies them, from the places that this machine gets its packages from; nothing else of apt is changed.
upstream_package() {
  local name=$1 kept="$repo/build/sources/$1"
  if ! compgen -G "$kept/*.dsc" >/dev/null; then fetch_source_package "$name" "$kept"; fi
  echo "$kept"
}

fetch_source_package() {
  local name=$1 kept=$2 work
  command -v apt-get >/dev/null || die 3 "the source package $name is fetched by apt, and there is none"
  work=$(mktemp -d)
  chmod 755 "$work"  # apt downloads as a user of its own
  mkdir -p "$work/parts" "$work/lists/partial" "$work/cache/archives/partial" "$work/files"
  if [ "$(id -u)" -eq 0 ] && id -u _apt >/dev/null 2>&1; then chown _apt "$work/files"; fi
  source_entries "$work/parts"
  say "fetching the source package $name (once)"
  local -a options=(-q -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$work/parts"
    -o Dir::State::lists="$work/lists" -o Dir::Cache="$work/cache")
  if ! (cd "$work/files" && apt-get "${options[@]}" update && apt-get "${options[@]}" source --download-only "$name") \
    >"$work/log" 2>&1 || ! compgen -G "$work/files/*.dsc" >/dev/null; then
    cat "$work/log" >&2
    rm -rf "$work"
    die 3 "the source package $name could not be fetched; it is needed once, then kept in build/sources"
  fi
  local staged
  mkdir -p "$repo/build/sources"
  staged=$(mktemp -d "$repo/build/sources/.$name.XXXXXX")
  cp "$work"/files/* "$staged/"
  chmod 755 "$staged"
  rm -rf "$work"
  mv -T "$staged" "$kept" 2>/dev/null || rm -rf "$staged"  # somebody else was faster
}

# The machine's own package sources, asked for sources instead of programs.
source_entries() {
  local into=$1 file etc=${APT_ETC:-/etc/apt}
  for file in "$etc"/sources.list.d/*.sources; do
    [ -f "$file" ] && sed -E 's/^Types:.*/Types: deb-src/' "$file" >"$into/$(basename "$file")"
  done
  for file in "$etc"/sources.list "$etc"/sources.list.d/*.list; do
    [ -f "$file" ] && sed -nE 's/^[[:space:]]*deb([[:space:]])/deb-src\1/p' "$file" >"$into/$(basename "$file" .list).list"
  done
  return 0
}

# replace_once FILE OLD NEW: exactly one place of FILE changes, or nothing does and it is an error.
replace_once() {
  /usr/bin/python3 - "$@" <<'PYTHON' || die 1 "the place to change is not in $1 exactly once"
import pathlib
import sys

file, old, new = sys.argv[1:]
text = pathlib.Path(file).read_bytes()
if text.count(old.encode()) != 1:
    sys.exit(1)
pathlib.Path(file).write_bytes(text.replace(old.encode(), new.encode()))
PYTHON
}
