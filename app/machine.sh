# What app/run and tests/run have in common: what a machine needs, and how to build. Sourced, not run.

fail() {
    printf '%s: %s\n' "${0##*/}" "$1" >&2
    exit 1
}

# Debian's names. redis-tools carries the server's program without its service: nothing is started or enabled.
build_packages=(g++ cmake ninja-build pkg-config qt6-base-dev qt6-svg-dev libhiredis-dev libexpected-dev)
run_packages=(redis-tools fonts-inter fonts-jetbrains-mono)

is_debian() { command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; }

missing_packages() {
    local package
    for package in "$@"; do
        [[ "$(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null)" == ii* ]] || printf '%s\n' "$package"
    done
}

# ensure_packages PACKAGE...: installs those that are not there; says which are needed where it cannot.
ensure_packages() {
    is_debian || { ensure_tools "$@"; return; }
    local missing
    mapfile -t missing < <(missing_packages "$@")
    [[ ${#missing[@]} -eq 0 ]] && return
    local as_root=()
    if [[ $EUID -ne 0 ]]; then
        command -v sudo >/dev/null || fail "these packages are missing and there is neither root nor sudo to install them: ${missing[*]}"
        as_root=(sudo)
    fi
    printf 'Installing %s\n' "${missing[*]}"
    local log
    log=$(mktemp)
    if ! { "${as_root[@]}" apt-get -o DPkg::Lock::Timeout=300 update &&
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
        grep -m 3 '^E:' "$log" >&2
        fail "apt-get could not install ${missing[*]}; its log is $log"
    fi
    rm -f "$log"
}

# Elsewhere than on Debian: nothing is installed, only looked for.
ensure_tools() {
    local tool absent=()
    for tool in c++ cmake ninja pkg-config; do
        command -v "$tool" >/dev/null || absent+=("$tool")
    done
    pkg-config --exists 'hiredis >= 0.14' 2>/dev/null || absent+=('hiredis (0.14 or newer, with headers)')
    command -v redis-server >/dev/null || command -v valkey-server >/dev/null || command -v redis-check-rdb >/dev/null || absent+=('redis-server')
    [[ ${#absent[@]} -eq 0 ]] || fail "this is not Debian, so install by hand what is missing: ${absent[*]}; Qt 6.4 or newer (Core, Gui, Widgets, Network, Svg, Test) and tl::expected are needed too"
}

# build PRESET FOLDER TARGET...: configures if need be, builds, and shows how far it is; the noise goes to a log.
build() {
    local preset=$1 folder=$2
    shift 2
    mkdir -p "$folder"
    if [[ ! -f $folder/build.ninja ]]; then
        if ! cmake --preset "$preset" >"$folder/configure.log" 2>&1; then
            grep -m 1 -A 3 'CMake Error' "$folder/configure.log" | sed 's/^/    /' >&2
            fail "this machine lacks something that the build needs; all of it is in $folder/configure.log"
        fi
    fi
    if ! cmake --build "$folder" --target "$@" 2>&1 | tee "$folder/build.log" | show_progress; then
        grep -m 1 -E 'error:|^ninja: error' "$folder/build.log" | sed 's/^/    /' >&2
        fail "the build failed; all of it is in $folder/build.log"
    fi
}

show_progress() {
    local line
    while IFS= read -r line; do
        [[ $line == \[*/*\]* ]] || continue
        if [[ -t 1 ]]; then printf '\r\033[KBuilding %s' "${line%%]*}]"; fi
    done
    if [[ -t 1 ]]; then printf '\r\033[K'; fi
}
