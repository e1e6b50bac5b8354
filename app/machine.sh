# Functions of app/run and tests/run: install the packages that the build needs, and build. Sourced, not run.

fail() {
    printf '%s: %s\n' "${0##*/}" "$1" >&2
    exit 1
}

# Debian's package names. redis-tools has the server program without its service, so no service is started or enabled.
build_packages=(g++ cmake ninja-build pkg-config qt6-base-dev qt6-svg-dev qt6-l10n-tools libhiredis-dev libexpected-dev qtkeychain-qt6-dev)
run_packages=(redis-tools libsecret-1-0 fonts-inter fonts-jetbrains-mono fonts-wqy-microhei qt6-translations-l10n)
package_packages=(dpkg-dev file)
# Qt draws the arrows of menus and combo boxes from SVG. From Debian 13 on, the plugin for it is a separate package. In
# earlier releases, the plugin is part of a required package, and this package does not exist.
svg_packages=(qt6-svg-plugins)
svg_plugin='/usr/lib/*/qt6/plugins/imageformats/libqsvg.so'

# help_of SCRIPT: prints the comment at the start of the script as text.
help_of() { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$1"; }

is_debian() { command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; }

missing_packages() {
    local package
    for package in "$@"; do
        [[ "$(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null)" == ii* ]] || printf '%s\n' "$package"
    done
}

# ensure_packages PACKAGE...: installs the missing packages, or prints the needed packages if it cannot.
ensure_packages() {
    is_debian || { ensure_tools "$@"; return; }
    local missing
    mapfile -t missing < <(missing_packages "$@")
    [[ ${#missing[@]} -eq 0 ]] && ! lacks_svg_plugin && return
    local as_root=() wanted=${missing[*]:-${svg_packages[*]}}
    if [[ $EUID -ne 0 ]]; then
        command -v sudo >/dev/null || { cannot_install "there is neither root nor sudo to install $wanted"; return; }
        as_root=(sudo)
    fi
    printf 'Installing %s\n' "$wanted"
    local log
    log=$(mktemp)
    if ! install_packages "${missing[@]}" 2>&1 | tee "$log" | show_progress Installing; then
        grep -m 3 '^E:' "$log" >&2
        cannot_install "apt-get could not install $wanted; its log is $log"
        return
    fi
    rm -f "$log"
}

# Fails only if packages are missing: without the SVG plugin, only the arrows are missing. Uses the variable missing of
# ensure_packages.
cannot_install() {
    [[ ${#missing[@]} -eq 0 ]] || fail "$1"
    printf '%s: %s; menus will have no arrows\n' "${0##*/}" "$1" >&2
}

# Whether the SVG plugin is missing. If there are no package lists, as on a new machine, the package counts as available.
lacks_svg_plugin() {
    compgen -G "$svg_plugin" >/dev/null && return 1
    ! is_known g++ || [[ -n $(known_packages "${svg_packages[@]}") ]]
}

# install_packages PACKAGE...: installs the packages, and the SVG packages that the system has. Uses the variable as_root
# of ensure_packages.
install_packages() {
    "${as_root[@]}" apt-get -o DPkg::Lock::Timeout=300 update || return
    local packages
    mapfile -t packages < <(known_packages "${svg_packages[@]}")
    packages=("$@" "${packages[@]}")
    [[ ${#packages[@]} -eq 0 ]] && return
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "${packages[@]}"
}

is_known() { apt-cache show "$1" >/dev/null 2>&1; }

# known_packages PACKAGE...: prints the packages that the system has.
known_packages() {
    local package
    for package in "$@"; do
        if is_known "$package"; then printf '%s\n' "$package"; fi
    done
}

# On other systems than Debian: installs nothing, and only checks for the tools.
ensure_tools() {
    local tool absent=()
    for tool in c++ cmake ninja pkg-config; do
        command -v "$tool" >/dev/null || absent+=("$tool")
    done
    pkg-config --exists 'hiredis >= 0.14' 2>/dev/null || absent+=('hiredis (0.14 or newer, with headers)')
    command -v redis-server >/dev/null || command -v valkey-server >/dev/null || command -v redis-check-rdb >/dev/null || absent+=('redis-server')
    [[ ${#absent[@]} -eq 0 ]] || fail "this is not Debian, so install by hand what is missing: ${absent[*]}; Qt 6.4 or newer (Core, Gui, Widgets, Network, Svg, Test) and tl::expected are needed too"
}

# fail_without_room FOLDER LOG: fails if the disk of the folder is full. The log may be incomplete then.
fail_without_room() {
    if grep -q 'No space left on device' "$1/$2" || (($(df --output=avail -k "$1" | tail -n 1) < 1024)); then
        fail "the disk of $1 is full; a release build takes about 1 GB, one with sanitizers 4 GB"
    fi
}

# build PRESET FOLDER TARGET...: configures if necessary, builds, and shows the progress. All output goes to a log.
build() {
    configure "$1" "$2"
    build_targets "$2" "${@:3}"
}

# configure PRESET FOLDER: configures the folder for the preset, unless it is configured.
configure() {
    local preset=$1 folder=$2
    mkdir -p "$folder"
    # A folder that older presets have configured keeps their flags.
    if [[ ! -f $folder/build.ninja || CMakePresets.json -nt $folder/build.ninja ]]; then
        if ! cmake --preset "$preset" 2>&1 | tee "$folder/configure.log" | show_progress Configuring; then
            fail_without_room "$folder" configure.log
            grep -m 1 -A 3 'CMake Error' "$folder/configure.log" | sed 's/^/    /' >&2
            fail "this machine lacks something that the build needs; all of it is in $folder/configure.log"
        fi
    fi
}

# build_targets FOLDER TARGET...: builds the targets in a configured folder.
build_targets() {
    local folder=$1
    shift
    # An object without recorded headers, from an interrupted compilation, would never be compiled again.
    ninja -C "$folder" -t deps 2>/dev/null | sed -n 's/: #deps 0,.*//p' | (cd "$folder" && xargs -r -d '\n' rm -f)
    if ! cmake --build "$folder" --target "$@" 2>&1 | tee "$folder/build.log" | show_progress Building; then
        fail_without_room "$folder" build.log
        grep -m 1 -E 'error:|^ninja: error' "$folder/build.log" | sed 's/^/    /' >&2
        fail "the build failed; all of it is in $folder/build.log"
    fi
}

# show_progress WHAT: reads the output of a build or an installation, and shows the progress. A terminal shows it
# continuously. Otherwise a line appears in intervals, so that a long build does not seem to hang.
progress_seconds=20
show_progress() {
    local what=$1 line='' place='' status left said=$SECONDS
    while :; do
        # Rest of the interval; with the whole interval, each new line would restart it.
        left=$((progress_seconds - SECONDS + said))
        IFS= read -r -t $((left > 0 ? left : 1)) line
        status=$?
        ((status == 0 || status > 128)) || break # Above 128 for a timeout.
        if [[ $status -eq 0 && $line == \[*/*\]* ]]; then
            place=" ${line%%]*}]"
            if [[ -t 1 ]]; then printf '\r\033[K%s%s' "$what" "$place"; fi
        fi
        if [[ ! -t 1 ]] && ((SECONDS - said >= progress_seconds)); then
            printf '%s%s\n' "$what" "$place"
            said=$SECONDS
        fi
    done
    if [[ -t 1 ]]; then printf '\r\033[K'; fi
}
