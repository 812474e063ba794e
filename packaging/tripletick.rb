# For a tap, or: brew install --build-from-source ./packaging/tripletick.rb
class Tripletick < Formula
  desc "Agent for local models in the terminal: the code fence is the tool call"
  homepage "https://pypi.org/project/tripletick/"
  url "https://files.pythonhosted.org/packages/source/t/tripletick/tripletick-0.1.0.tar.gz"
  sha256 "d69a9829f3cc83948e5ac0f50ab998d280c517fb12e2defceb0f6b8e50fdee2a"
  license "MIT"

  depends_on "python@3.13"

  def install
    system "python3.13", "-m", "venv", libexec
    # What it needs comes as wheels: built from source, pydantic takes a Rust compiler.
    system libexec/"bin/python", "-m", "pip", "install", "--no-cache-dir", buildpath
    bin.install_symlink libexec/"bin/tripletick"
  end

  test do
    (testpath/"reply.md").write "Done.\n"
    told = shell_output("#{bin}/tripletick -C . -a casual -m scripted:reply.md 'say done'")
    assert_equal "Done.\n", told
  end
end
