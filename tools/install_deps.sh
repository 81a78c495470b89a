#!/usr/bin/env bash
# Installs what building and testing need: Debian packages that are missing, and the virtual
# environment .venv. Costs nothing when everything is there.
set -euo pipefail
cd "$(dirname "$0")/.."

log=build/deps.log
mkdir -p build

# Runs a command with its output in the log, which is shown if it fails.
quietly() {
  if ! "$@" >>"$log" 2>&1 </dev/null; then
    tail -n 30 "$log" >&2
    echo "deps: '$*' failed, see $log" >&2
    exit 1
  fi
}

missing_packages() {
  local package
  for package in $(sed 's/#.*//' tools/apt-packages.txt); do
    dpkg-query -W -f='${Status}\n' "$package" 2>/dev/null | grep -q ' installed$' || echo "$package"
  done
}

install_packages() {
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    if ! sudo -n true 2>/dev/null; then
      echo "deps: as root, run: apt-get install $*" >&2
      exit 1
    fi
    as_root=(sudo -n)
  fi
  echo "deps: installing Debian packages: $*"
  # A package that is a service (nginx) must not start it: tests run their own.
  local policy=/usr/sbin/policy-rc.d
  if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" install -m 755 /dev/stdin "$policy"
    # shellcheck disable=SC2064
    trap "${as_root[*]} rm -f $policy" EXIT
  fi
  quietly "${as_root[@]}" apt-get update -qq
  quietly "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "$@"
}

make_venv() {
  echo "deps: making .venv with $(python3 --version)"
  # A pip younger than Debian's: it must know dependency groups.
  quietly python3 -m venv --upgrade-deps .venv
  echo "deps: installing Python packages (pyproject.toml, group dev)"
  quietly .venv/bin/python -m pip install --group dev
  # The package is used from the source tree: the release build puts its extension module there.
  echo "$PWD/python" >"$(.venv/bin/python -c 'import site; print(site.getsitepackages()[0])')/penstock.pth"
}

if command -v dpkg-query >/dev/null; then
  missing=$(missing_packages)
  # shellcheck disable=SC2086
  [ -z "$missing" ] || install_packages $missing
else
  echo "deps: not a Debian system; tools/apt-packages.txt says what must be installed"
fi

# The environment is brought up to date when its packages, its Python or its place change.
groups=$(sed -n '/^\[dependency-groups\]/,/^\[tool/p' pyproject.toml)
key=$(echo "$groups $(python3 --version) $PWD" | sha256sum)
if [ "$key" != "$(cat .venv/.key 2>/dev/null)" ]; then
  make_venv
  echo "$key" >.venv/.key
fi
