{ lib, stdenvNoCC, fetchurl, installShellFiles }:
let
  archives = {
    x86_64-linux = { target = "x86_64-unknown-linux-musl"; sha256 = "@SHA256 x86_64-unknown-linux-musl@"; };
    aarch64-linux = { target = "aarch64-unknown-linux-musl"; sha256 = "@SHA256 aarch64-unknown-linux-musl@"; };
  };
  archive = archives.${stdenvNoCC.hostPlatform.system};
in
stdenvNoCC.mkDerivation rec {
  pname = "lento";
  version = "@VERSION@";
  src = fetchurl {
    url = "@URL@/lento-${version}-${archive.target}.tar.gz";
    inherit (archive) sha256;
  };
  nativeBuildInputs = [ installShellFiles ];
  installPhase = ''
    install -Dm755 lento lento-analyse lento-lab lento-train -t $out/bin
    mkdir -p $out/share/doc/lento
    cp -r *.md docs LICENSE-* LICENCES-OF-PACKAGES COPYRIGHT-library.html $out/share/doc/lento/
    installManPage man/*.1
    installShellCompletion --bash --name lento completions/lento.bash --zsh completions/_lento --fish completions/lento.fish
  '';
  meta = {
    description = "@SUMMARY@";
    homepage = "@HOME@";
    license = with lib.licenses; [ mit asl20 ];
    mainProgram = "lento";
    platforms = builtins.attrNames archives;
  };
}
