# Python wheels. Sourced by tools/release, whose variables it uses.

# python_wheel PLATFORMS FOLDER SUFFIX: a wheel that installs the programs
python_wheel() {
    local name=lento_chess-$version root=$work/wheel-$1 tag program
    mkdir -p "$root/$name".{data/scripts,dist-info/licenses}
    for program in "${programs[@]}"; do
        cp "$2/$program$3" "$root/$name.data/scripts/"
    done
    cp LICENSE-* "$2"/{LICENCES-OF-PACKAGES,COPYRIGHT-library.html} "$root/$name.dist-info/licenses/"
    {
        printf 'Metadata-Version: 2.1\nName: lento-chess\nVersion: %s\nSummary: %s\n' "$version" "$summary"
        printf 'Author: %s\nAuthor-email: %s\n%s' "${authors% <*}" "$authors" "${home:+Project-URL: Homepage, $home
}"
        printf 'License: MIT OR Apache-2.0\nKeywords: chess,uci,engine\nDescription-Content-Type: text/markdown\n\n'
        cat packaging/wheel.md
    } >"$root/$name.dist-info/METADATA"
    {
        printf 'Wheel-Version: 1.0\nGenerator: lento\nRoot-Is-Purelib: false\n'
        for tag in ${1//./ }; do printf 'Tag: py3-none-%s\n' "$tag"; done
    } >"$root/$name.dist-info/WHEEL"
    (
        cd "$root"
        find . -type f | sort | cut -c 3- | while read -r file; do
            echo "$file,sha256=$(sha256sum "$file" | cut -c 1-64 | xxd -r -p | base64 -w 0 | tr '+/' '-_' | tr -d =),$(stat -c %s "$file")"
        done >../record
        echo "$name.dist-info/RECORD,," | cat ../record - >"$name.dist-info/RECORD"
    )
    settle "$root"
    zip_files "dist/$name-py3-none-$1.whl" "$root" .
}
