"""A source that lies ready: how it is built and run in the box, by its language's row."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tripletick.languages.registry import Language, fill_command
from tripletick.sandbox.box import Finished, Mode, RunRequest
from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.command_arguments import find_shown_command
from tripletick.tools.example_runs import PROVEN
from tripletick.tools.file_writer import SavedFile
from tripletick.tools.program_parts import find_project_folder
from tripletick.tools.syntax_check import PLAIN, to_operand
from tripletick.tools.tool import ToolContext

TESTER = Path(__file__).with_name("run_tests.py")
"""Runs in the box, and is not imported here: the runner of tests comes with much else."""
Started = Generator[str, None, Finished]
UNGIVEN = lazy_regex(
    r"(?im)^\s*usage\b|following arguments are required|^EOFError|missing (?:required )?arguments?"
    r"|argv\[.*(?:\n.*){0,3}\n(?:IndexError|TypeError)|^ValueError: not enough values to unpack"
)
"""What a program prints that was started without the arguments or the input that it takes."""
INSIDE = 'cd "$0" && exec "$@"'


@dataclass(frozen=True, slots=True)
class PreparedProgram:
    """A source that lies ready to be built and run."""

    language: Language
    names: dict[str, str]
    context: ToolContext
    seconds: float
    saved: SavedFile | None = None
    source: str = ""

    @property
    def path(self) -> str:
        return self.saved.path if self.saved else ""

    def lacks_arguments(self, output: str, *, crashed: bool) -> bool:
        """Tell whether a run failed for want of arguments alone: who runs it later gives some. One that has
        `crashed` says nothing of that; where the task shows it with some, these tell more.
        """
        shown = find_shown_command(self.context.ledger.task[:PROVEN], self.path, self.language)
        return self.language.takes_arguments(self.source) and bool(crashed or shown or UNGIVEN.search(output))

    def build(self, parts: Iterable[str], spent: float) -> Started:
        """Build it with `parts`, in the folder of its project; `spent` of the seconds are gone."""
        folder = find_project_folder(self.language, self.path, self.context.workspace)
        if not folder:
            words = fill_command(self.language.build, self.names, map(to_operand, parts))
        else:
            top = self.names["workspace"]
            names = self.names | {"file": f"{top}/{self.path}"}
            words = fill_command(self.language.build, names, (f"{top}/{part}" for part in parts))
            words = ["sh", "-c", INSIDE, f"./{folder}", *words]
        return self._run_command(words, "read", spent, PLAIN)

    def run(self, spent: float) -> Started:
        """Run it, tests as tests; `spent` of the seconds are gone."""
        if self.language.is_test(self.path, self.source):
            names = self.names | {"tester": TESTER.read_text("utf-8")}
            return self._run_command(fill_command(self.language.test, names), self.context.mode, spent, {})
        return self._run_command(fill_command(self.language.run, self.names), self.context.mode, spent, {})

    def _run_command(self, words: list[str], mode: Mode, spent: float, env: Mapping[str, str]) -> Started:
        own = {name: fill_command((value,), self.names)[-1] for name, value in self.language.env.items()}
        left = max(1.0, self.seconds - spent)
        return self.context.box.run(RunRequest(words, mode, left, {**own, **env}, self.context.grant))
