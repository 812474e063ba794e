"""What must hold before a release and need not hold on every commit: `make release-check`.

The offline model knows the wording; the formula and the PKGBUILD can be read by their programs, name what the
project needs, this version and its source archive (`--write` puts these two in); and from that archive a
wheel is built which does a task in an environment that holds nothing else.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

from tripletick import __version__
from tripletick.config.config import load_config
from tripletick.session import prompt_fingerprint
from tripletick.system import dirs

TOP = Path(__file__).parents[1]
PACKAGING = TOP / "packaging"
WRITE = "--write"
LINTERS = {
    "tripletick.rb": (("ruby", "-c"), ("brew", "style")),
    "PKGBUILD": (("bash", "-n"), ("shellcheck",), ("namcap",)),
}
"""By file, the programs that read it; one that is not installed is passed over and named."""
VERSION_PATTERNS = {
    "version": re.compile(r"(?<=/tripletick-)\d[\w.]*(?=\.tar\.gz\")|(?<=^pkgver=)\S+", re.MULTILINE),
    "sha256": re.compile(r"(?<=sha256 \")[0-9a-f]{64}|(?<=^sha256sums=\()[0-9a-f]{64}", re.MULTILINE),
}
"""Where a file of packaging/ says what it is of."""
NAME_END = re.compile(r"[^\w.-]")
"""What ends a requirement's name."""
REPLY = "```bash\necho ran > ran.txt\n```\n---\nDone.\n"
OUTDATED = "packaging/{name} says {what} {said}, and it is {true}. python -m tools.release_check --write"


def main() -> int:
    """Say what stands in the way of a release; gives 1 where something does."""
    with tempfile.TemporaryDirectory() as folder:
        archive = build_archive(TOP, Path(folder), "sdist")
        true = {"version": __version__, "sha256": hashlib.sha256(archive.read_bytes()).hexdigest()}
        if WRITE in sys.argv[1:]:
            write_versions(PACKAGING, true)
        told = [
            *check_wording(),
            *run_linters(PACKAGING),
            *check_versions(PACKAGING, true),
            *check_dependencies(PACKAGING),
            *check_first_task(archive),
        ]
    for line in told:
        sys.stderr.write(f"{line}\n")
    return 1 if told else 0


def check_wording() -> Iterator[str]:
    """Compare the wording that the offline model was trained on with ours."""
    found = dirs.find_dirs()
    ours, told = (
        prompt_fingerprint.hash_current_prompts(load_config([found.shipped_config], {}, {}), found),
        prompt_fingerprint.read_adapter_hash(),
    )
    if told != ours:
        known = (
            f"was trained on the wording {told}" if told else "does not say what wording it was trained on"
        )
        yield f"The offline model {known}; the wording is {ours}."
        yield "Train it again: make offline-model, then put its adapter in models/adapters."


def run_linters(folder: Path) -> Iterator[str]:
    """Have each file read by the programs that it is for."""
    for name, commands in LINTERS.items():
        for command in commands:
            if shutil.which(command[0]) is None:
                sys.stderr.write(f"packaging/{name}: {command[0]} is not installed here.\n")
                continue
            done = subprocess.run([*command, str(folder / name)], capture_output=True, text=True)
            if done.returncode:
                yield f"packaging/{name}: {' '.join(command)}: {(done.stdout + done.stderr).strip()}"


def check_versions(folder: Path, true: dict[str, str]) -> Iterator[str]:
    """Compare what each file says of the release with what is true."""
    for name in LINTERS:
        text = (folder / name).read_text("utf-8")
        for what, pattern in VERSION_PATTERNS.items():
            said = pattern.findall(text)
            if said != [true[what]]:
                yield OUTDATED.format(name=name, what=what, said=" ".join(said) or "nothing", true=true[what])


def write_versions(folder: Path, true: dict[str, str]) -> None:
    """Put version and hash of the source archive into each file."""
    for path in (folder / name for name in LINTERS):
        text = path.read_text("utf-8")
        for what, pattern in VERSION_PATTERNS.items():
            text = pattern.sub(true[what], text)
        path.write_text(text, "utf-8")


def check_dependencies(folder: Path) -> Iterator[str]:
    """Compare what the PKGBUILD needs with what the project needs; pip finds that out for the formula."""
    project = tomllib.loads((TOP / "pyproject.toml").read_text("utf-8"))["project"]
    needed = {f"python-{normalize_name(NAME_END.split(one)[0])}" for one in project["dependencies"]}
    text = (folder / "PKGBUILD").read_text("utf-8")
    named = {normalize_name(word) for word in re.search(r"^depends=\((.*?)\)", text, re.S | re.M)[1].split()}  # type: ignore[index]
    if missing := sorted(needed - named):
        yield f"packaging/PKGBUILD does not depend on {' '.join(missing)}."


def normalize_name(name: str) -> str:
    """Give a package's name as PEP 503 writes it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def build_archive(source: Path, to: Path, kind: str) -> Path:
    """Build an archive of a source tree: `sdist` or `wheel`."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(to)]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    return next(to.glob("*.tar.gz" if kind == "sdist" else "*.whl"))


def unpack_archive(archive: Path, to: Path) -> Path:
    """Unpack a source archive; gives the folder that it holds."""
    with tarfile.open(archive) as tar:
        tar.extractall(to, filter="data")
    (source,) = to.iterdir()
    return source


def check_first_task(archive: Path) -> Iterator[str]:
    """Build a wheel from the source archive and have it do a task in an environment of its own."""
    with tempfile.TemporaryDirectory() as folder:
        top = Path(folder).resolve()
        wheel = build_archive(unpack_archive(archive, top / "source"), top, "wheel")
        subprocess.run([sys.executable, "-m", "venv", str(top / "env")], check=True)
        pip = [str(top / "env/bin/python"), "-m", "pip", "install", "--quiet", str(wheel)]
        subprocess.run(pip, check=True)
        (top / "work").mkdir()
        (top / "reply.md").write_text(REPLY)
        words = ["-C", ".", "-a", "coder", "-m", f"scripted:{top / 'reply.md'}", "run it once"]
        env = {"HOME": folder, "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
        command = [str(top / "env/bin/tripletick"), *words]
        done = subprocess.run(command, cwd=top / "work", env=env, capture_output=True, text=True)
        if done.stdout != "Done.\n" or not (top / "work/ran.txt").is_file():
            yield f"A wheel from {archive.name} does not do its first task: {done.stderr.strip()}"


if __name__ == "__main__":
    sys.exit(main())
