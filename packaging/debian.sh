# Debian packages. Sourced by tools/release, whose variables it uses, and by .ci/run.

# Whether all of these programs are installed.
has() {
    local program
    for program in "$@"; do
        command -v "$program" >/dev/null || return 1
    done
}

# Whether MPI and libclang are installed, to build lento-cluster.
has_mpi() {
    has mpicc && { compgen -G '/usr/lib/llvm-*/lib/libclang*.so*' || compgen -G '/usr/lib/*/libclang*.so*'; } >/dev/null
}

# debian_control PACKAGE ARCHITECTURE ROOT DEPENDS DESCRIPTION: lines of the description after the first start with a space
debian_control() {
    cat <<END
Package: $1
Version: $version
Architecture: $2
Maintainer: $authors
Section: games
Priority: optional
${home:+Homepage: $home
}${4:+Depends: $4
}Installed-Size: $(du -sk --apparent-size "$3/usr" | cut -f 1)
Description: $5
END
}

# debian_build PACKAGE ARCHITECTURE ROOT DEPENDS DESCRIPTION
debian_build() {
    local documents=$3/usr/share/doc/$1
    mkdir -p "$documents" "$3/DEBIAN"
    awk -v mit="$(sed 's/^$/./; s/^/ /' LICENSE-MIT)" '{ if ($0 == "@MIT@") print mit; else print }' packaging/copyright >"$documents/copyright"
    printf '%s (%s) unstable; urgency=low\n\n  * See CHANGELOG.md.\n\n -- %s  %s\n' "$1" "$version" "$authors" \
        "$(date -R --date="@$SOURCE_DATE_EPOCH")" | gzip -n -9 >"$documents/changelog.gz"
    debian_control "$@" >"$3/DEBIAN/control"
    (cd "$3" && find usr -type f | sort | xargs md5sum >DEBIAN/md5sums)
    settle "$3"
    dpkg-deb --root-owner-group -Zgzip --build "$3" "dist/${1}_${version}_$2.deb" >/dev/null
}

# debian_package ARCHITECTURE FILES: static programs without dependencies
debian_package() {
    local files=$2 root=$work/debian-$1 page
    mkdir -p "$root"/usr/{bin,share/{man/man1,doc/lento,bash-completion/completions,zsh/vendor-completions,fish/vendor_completions.d}}
    for program in "${programs[@]}"; do
        cp "$files/$program" "$root/usr/bin/"
    done
    for page in "$files"/man/*.1; do
        gzip -n -9 <"$page" >"$root/usr/share/man/man1/${page##*/}.gz"
    done
    cp "$files/completions/lento.bash" "$root/usr/share/bash-completion/completions/lento"
    cp "$files/completions/_lento" "$root/usr/share/zsh/vendor-completions/"
    cp "$files/completions/lento.fish" "$root/usr/share/fish/vendor_completions.d/"
    cp -r "$files"/{*.md,docs,LICENCES-OF-PACKAGES,COPYRIGHT-library.html} "$root/usr/share/doc/lento/"
    debian_build lento "$1" "$root" '' "$summary
 Lento plays chess, Chess960 and double Fischer random in any program that
 speaks UCI, and analyses positions and games on the command line, with a
 database, reports, trees of positions and a page for browsers. Its tools
 play matches, measure machines and train networks."
}

# Why lento-cluster cannot be packaged here; empty if it can be.
cluster_obstacle() {
    if ! has_mpi || ! has dpkg-shlibdeps; then
        echo 'needs an MPI, libclang and dpkg-shlibdeps (Debian: libopenmpi-dev openmpi-bin libclang-dev dpkg-dev)'
    fi
}

# cluster_package PROFILE: lento-cluster for the MPI and C library of this machine
cluster_package() {
    local root=$work/cluster target depends
    target=$(rustc --print host-tuple)
    mkdir -p "$root"/usr/{bin,share/{man/man1,doc/lento-cluster}} "$work/debian"
    tools/pgo --target "$target" --profile "$1" --programs cluster "$root/usr/bin/lento-cluster"
    "$root/usr/bin/lento-cluster" man "$root/usr/share/man/man1"
    gzip -n -9 "$root"/usr/share/man/man1/*.1
    cp docs/cluster.md "$(rustc --print sysroot)/share/doc/rust/COPYRIGHT-library.html" "$root/usr/share/doc/lento-cluster/"
    tools/linked licences "$target" cluster >"$root/usr/share/doc/lento-cluster/LICENCES-OF-PACKAGES"
    # Required by dpkg-shlibdeps.
    echo 'Source: lento' >"$work/debian/control"
    depends=$(cd "$work" && dpkg-shlibdeps -O "${root#"$work/"}/usr/bin/lento-cluster" 2>/dev/null) || fail "dpkg-shlibdeps finds no dependencies of lento-cluster"
    depends=${depends#shlibs:Depends=}
    [[ $depends != *libopenmpi* ]] || depends+=', openmpi-bin'
    debian_build lento-cluster "$(dpkg --print-architecture)" "$root" "$depends" "one search of the Lento chess engine on several machines
 lento-cluster speaks UCI like lento, and searches one position on all machines
 on which mpirun or a scheduler starts it."
}
