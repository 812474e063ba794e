#!/usr/bin/env bash
# Installs what pip cannot: `setup.sh run` for using tripletick, `setup.sh test` for its tests.
# Debian packages, only those that are missing; where apt may not be used, the one command to type is printed.
set -euo pipefail

missing=()
needs() { # PROGRAM PACKAGE
    command -v "$1" >/dev/null || missing+=("$2")
}
library() { # FILE PACKAGE
    [ -e "$1" ] || missing+=("$2")
}

needs bwrap bubblewrap
needs git git
"${PYTHON:-python3}" -c 'import ensurepip' 2>/dev/null || missing+=(python3-venv)
if [ "${1:-run}" = test ]; then
    needs gcc gcc
    needs g++ g++
    needs go golang-go
    needs javac default-jdk-headless
    needs node nodejs
    needs tsc node-typescript
    needs rustc rustc
    needs sqlite3 sqlite3
    needs php php-cli
    needs ruby ruby
    needs lua lua5.4
    needs Rscript r-base-core
    needs gawk gawk
    needs gfortran gfortran
    needs tmux tmux
    needs curl curl
    needs chromium chromium
    needs setpriv util-linux
    library /usr/include/stdio.h libc6-dev
    library /usr/include/nlohmann/json.hpp nlohmann-json3-dev
    library /usr/include/stb/stb_image.h libstb-dev
fi
if [ ${#missing[@]} -gt 0 ]; then
    install="apt-get install -y --no-install-recommends ${missing[*]}"
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        apt-get update -qq
        DEBIAN_FRONTEND=noninteractive $install -qq >/dev/null
    elif [ "${1:-run}" = run ]; then
        # tripletick works without them: it then asks before each block.
        echo "For the sandbox and for undo, type once: sudo ${install//-get/}" >&2
    else
        echo "The tests need: ${missing[*]}. Type: sudo ${install//-get/}" >&2
        exit 1
    fi
fi

# Servers of tools as people install them, each where its installer is; what cannot be had now is skipped by its tests.
servers() {
    local cache="${TRIPLETICK_TEST_CACHE:-$HOME/.cache/tripletick-tests}/servers"
    mkdir -p "$cache"
    if [ ! -e "$cache/pypi/2026.10" ]; then
        { "${PYTHON:-python3}" -m venv "$cache/pypi" && "$cache/pypi/bin/pip" install --quiet --disable-pip-version-check \
            mcp-server-time==2026.10.19 mcp-server-fetch==2026.10.24 mcp-server-git==2026.10.19 \
            && touch "$cache/pypi/2026.10"; } || echo "The servers from PyPI cannot be installed; their tests are skipped." >&2
    fi
    if [ ! -e "$cache/npm/2026.11" ] && command -v npm >/dev/null; then
        { npm install --silent --no-fund --no-audit --prefix "$cache/npm" \
            @modelcontextprotocol/server-everything@2026.8.31 @modelcontextprotocol/server-filesystem@2026.8.31 axe-core@4.14.1 \
            && touch "$cache/npm/2026.11"; } || echo "What the tests need from npm cannot be installed; those tests are skipped." >&2
    fi
}
[ "${1:-run}" != test ] || servers
