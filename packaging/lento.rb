class Lento < Formula
  desc "@SUMMARY@"
  homepage "@HOME@"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "@URL@/lento-@VERSION@-aarch64-apple-darwin.tar.gz"
      sha256 "@SHA256 aarch64-apple-darwin@"
    end
    on_intel do
      url "@URL@/lento-@VERSION@-x86_64-apple-darwin.tar.gz"
      sha256 "@SHA256 x86_64-apple-darwin@"
    end
  end
  on_linux do
    on_arm do
      url "@URL@/lento-@VERSION@-aarch64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256 aarch64-unknown-linux-musl@"
    end
    on_intel do
      url "@URL@/lento-@VERSION@-x86_64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256 x86_64-unknown-linux-musl@"
    end
  end

  def install
    bin.install "lento", "lento-analyse", "lento-lab", "lento-train"
    man1.install Dir["man/*.1"]
    doc.install Dir["*.md", "LICENSE-*"], "docs", "LICENCES-OF-PACKAGES", "COPYRIGHT-library.html"
    bash_completion.install "completions/lento.bash" => "lento"
    zsh_completion.install "completions/_lento"
    fish_completion.install "completions/lento.fish"
  end

  test do
    assert_match "bestmove", pipe_output(bin/"lento", "go depth 1\nwait\nquit\n")
  end
end
