# Functions of app/run --package. Sourced after machine.sh, not run.

packages_folder=build/packages

# make_packages: builds the three .deb files and the .tar.gz, checks them, and prints their names.
make_packages() {
    is_debian || fail "packages are built on Debian; elsewhere, cmake --install build installs everything"
    ensure_packages "${build_packages[@]}" "${run_packages[@]}" "${package_packages[@]}"
    check_tag
    # The time of every packed file, so that two builds of a commit give the same bytes.
    SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null) || SOURCE_DATE_EPOCH=$(dpkg-parsechangelog -l resources/debian/changelog -S Timestamp)
    export SOURCE_DATE_EPOCH
    mkdir -p build
    if ! cmake --preset release -D LATCHKEY_PACKAGES=ON 2>&1 | tee build/configure.log | show_progress Configuring; then
        grep -m 1 -A 3 'CMake Error' build/configure.log | sed 's/^/    /' >&2
        fail "the build cannot be configured; all of it is in build/configure.log"
    fi
    build release build latchkey latchkey-cli latchkey_caches latchkey_pages latchkey_changelog
    rm -rf "$packages_folder"
    local generator
    for generator in DEB TGZ; do
        # The staging folder has a fixed mode for new files, whatever the user's umask is.
        (umask 022 && cpack --config build/CPackConfig.cmake -G "$generator") &>"build/cpack-$generator.log" \
            || fail "cpack could not make the $generator packages; its words are in build/cpack-$generator.log"
    done
    rm -rf "$packages_folder/_CPack_Packages"
    check_packages
    ls -l --block-size=1 "$packages_folder" | awk 'NF > 8 { printf "%10d  '"$packages_folder"'/%s\n", $5, $NF }'
}

# check_tag: fails if the commit has a tag of another version than the newest entry of the changelog.
check_tag() {
    local version tag
    version=$(sed -n '1s/^latchkey (\([0-9.]*\)-.*/\1/p' resources/debian/changelog)
    for tag in $(git tag --points-at HEAD 2>/dev/null | grep -E '^v[0-9]+\.[0-9]+\.[0-9]+$'); do
        [[ $tag == "v$version" ]] || fail "this commit has the tag $tag, but resources/debian/changelog says version $version"
    done
}

# Tags of lintian that do not apply, each with its reason.
lintian_exceptions=(
    # The packages are for download, not for Debian's archive, where a bug asks for each new package.
    initial-upload-closes-no-bugs
)

# appstream_exceptions: prints the tags of appstreamcli that do not apply.
appstream_exceptions() {
    # The project has no domain, so its id has none.
    printf 'cid-desktopapp-is-not-rdns=info'
    # Nor has it a homepage, unless LATCHKEY_HOMEPAGE names one. Before 1.0, appstreamcli refuses the unknown tag.
    [[ $(appstreamcli --version) == *': 0.'* ]] || printf ',url-homepage-missing=info'
}

# check_packages: runs the checkers that are installed, and names the others.
check_packages() {
    local failed=no
    check_with lintian lintian --allow-root --fail-on error,warning --suppress-tags "$(IFS=,; echo "${lintian_exceptions[*]}")" "$packages_folder"/*.deb || failed=yes
    check_with desktop-file-validate desktop-file-validate resources/desktop/latchkey.desktop || failed=yes
    check_with appstreamcli appstreamcli validate --pedantic --no-net --override="$(appstream_exceptions)" build/resources/desktop/latchkey.metainfo.xml || failed=yes
    [[ $failed == no ]] || fail "the packages are in $packages_folder, but have the faults above"
}

# check_with PROGRAM COMMAND...: prints what a checker says if it finds a fault. Without the program, says so and succeeds.
check_with() {
    local program=$1 words
    shift
    if ! command -v "$program" >/dev/null; then
        printf '%s: %s is not installed, so it has not checked the packages\n' "${0##*/}" "$program" >&2
        return 0
    fi
    words=$("$@" 2>&1) || { printf '%s\n' "$words" >&2; return 1; }
}
