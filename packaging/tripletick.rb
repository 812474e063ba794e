# For a tap, or: brew install --build-from-source ./packaging/tripletick.rb
class Tripletick < Formula
  desc "Agent for local models in the terminal: the code fence is the tool call"
  homepage "https://pypi.org/project/tripletick/"
  url "https://files.pythonhosted.org/packages/source/t/tripletick/tripletick-0.1.0.tar.gz"
  sha256 "5de455f53fd43e96098bc8d01457774b55360c8896596449ec8405078d9628f9"
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
