# Sourced by the other scripts: makes sure that the Debian packages they need are there.

build_packages="g++ cmake ninja-build libeigen3-dev libboost-dev libcli11-dev nlohmann-json3-dev
libspectra-dev libtomlplusplus-dev libfmt-dev zlib1g-dev"

# need_packages NAME…: installs what is missing by apt, with sudo when not root. Elsewhere it says what
# is needed and goes on: the build itself tells what it does not find.
need_packages() {
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "This is not a Debian system; the build needs these packages or their like:" >&2
    echo "$*" >&2
    return 0
  fi
  missing=""
  for package in "$@"; do
    if ! dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed; then
      missing="$missing $package"
    fi
  done
  [ -n "$missing" ] || return 0
  as_root=""
  [ "$(id -u)" = 0 ] || as_root="sudo"
  if [ -n "$as_root" ] && ! command -v sudo >/dev/null; then
    echo "Install these packages as root, then run this again: apt-get install$missing" >&2
    return 1
  fi
  echo "Installing:$missing" >&2
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq
  # shellcheck disable=SC2086
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
}
