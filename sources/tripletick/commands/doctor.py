"""Check the sandbox with ten test attacks, the server, the model, the languages and the data folders."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from tripletick.commands.flags import FlagParser
from tripletick.config.config import Config
from tripletick.errors import ServerUnreachableError, TripletickError
from tripletick.sandbox import process_limit, remedies
from tripletick.sandbox.attacks import AttackOutcome
from tripletick.system import dirs
from tripletick.system.text import describe_os_error, format_size
from tripletick.ui.columns import write_wrapped
from tripletick.ui.sanitize import print_notice, write_json

if TYPE_CHECKING:
    from tripletick.commands.chores import ChoreResult
    from tripletick.commands.diagnostics import EngineReport, LanguageStatus

MARKS = {"held": "blocked    ", "not held": "NOT BLOCKED", "not tried": "not tried  "}
NO_BOX = (
    "There is no sandbox, so every block needs your approval and none runs unattended. No attack was tried."
)
LEAKS = (
    "The sandbox let an attack through. Please report this output. To approve each block: "
    "tripletick --sandbox bare"
)
UNTRIED = "The attacks not tried need python3 where blocks can see it: sudo apt install python3"
WEAK = "The model failed a task: do not rely on it for {tags}. To find another: tripletick models list"
UNCOUNTED = (
    "Without cgroups, run tripletick as a regular user: the kernel then limits the number of processes."
)
UNTESTED = "The model was not tested."
NO_TAGS = "files and programs"
LEFT_OUT = (
    "Blocks cannot see these folders of your PATH. If they contain only programs, add them to [sandbox] see"
)


@dataclass(frozen=True, slots=True)
class DataFolder:
    """One folder of ours."""

    what: str
    path: str
    size: int


@dataclass(frozen=True, slots=True)
class DoctorReport:
    """What was found."""

    tier: str
    holds: bool
    sentence: str
    reasons: tuple[str, ...] = ()
    """Why better tiers were passed over."""
    attacks: tuple[AttackOutcome, ...] = ()
    left_out: tuple[str, ...] = ()
    folders: tuple[DataFolder, ...] = ()
    remedies: tuple[str, ...] = ()
    engine: EngineReport | None = None
    languages: tuple[LanguageStatus, ...] = ()
    chores: tuple[ChoreResult, ...] = ()
    trusted: tuple[str, ...] = ()
    """The tags that served in a chore that was done."""

    @property
    def all_passed(self) -> bool:
        held = all(one.verdict == "held" for one in self.attacks)
        return self.holds and held and all(one.done for one in self.chores)


def run_doctor(shared: argparse.Namespace, words: Sequence[str]) -> int:
    """Look, and say what was found; gives 0 where the box held all and a model that was to be tried did
    all, 4 where that could not be tried.
    """
    parser = FlagParser("tripletick doctor", description=__doc__, allow_abbrev=False)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--host", metavar="URL", default=getattr(shared, "host", None), help="URL of the model server"
    )
    parser.add_argument(
        "--model",
        metavar="NAME",
        nargs="?",
        const="",
        help="test the model on three small tasks, or the model NAME",
    )
    options = parser.parse_args(words)
    report = build_report(options.host or "", options.model)
    if options.json:
        write_json(sys.stdout, asdict(report))
    else:
        write_wrapped(sys.stdout, format_report(report))
    if options.model is not None and report.engine and report.engine.wrong:
        print_notice(UNTESTED)
        return ServerUnreachableError.exit
    return 0 if report.all_passed else 1


def build_report(host: str = "", model: str | None = None) -> DoctorReport:
    """Attack the box that the settings name, look at the engine, and with a `model`, "" for the one that is
    chosen, have it do the chores.
    """
    from tripletick.commands import diagnostics
    from tripletick.config.config import load_config

    found = dirs.find_dirs()
    try:
        dirs.make_private_folder(found.state)
    except OSError as error:
        remedy = f"See who owns the folder above it: ls -ld {shlex.quote(str(found.state.parent))}"
        raise TripletickError(
            f"{found.state} cannot be made.", f"{describe_os_error(error)}.", remedy
        ) from error
    given = {"model.host": host, "model.name": model or ""}
    flags = {name: value for name, value in given.items() if value}
    config = load_config([found.shipped_config, found.user_config], os.environ, flags)
    seen = _attack_box(config, found)
    engine, config = diagnostics.examine_engine(config, found)
    seen = replace(seen, engine=engine)
    if model is not None and not engine.wrong:
        seen = _run_chores(seen, config, found)
    return replace(seen, remedies=tuple(list_remedies(seen)))


def _run_chores(seen: DoctorReport, config: Config, found: dirs.AppDirs) -> DoctorReport:
    """Have the model do its chores. Raises ModelError where it cannot be asked."""
    from tripletick.commands import chores

    name = seen.engine.model if seen.engine else ""
    config = replace(config, model=replace(config.model, name=config.model.name or name))
    tried = list(chores.run_chores(config, found, _print_progress))
    return replace(seen, chores=tuple(tried), trusted=tuple(chores.split_tags(tried)[0]))


def _print_progress(line: str) -> None:
    """Say what takes so long to whoever waits at a terminal."""
    if sys.stderr.isatty():
        sys.stderr.write(f"{line}\n")


def _attack_box(config: Config, found: dirs.AppDirs) -> DoctorReport:
    """Open the box that the settings name in a folder made for it, and attack it."""
    from tripletick.commands import diagnostics
    from tripletick.sandbox import choose_box
    from tripletick.sandbox.attacks import prepare_targets, run_all_attacks
    from tripletick.sandbox.box import SandboxSpec
    from tripletick.session import builder

    tier = "none" if config.sandbox.mode == "bare" else config.sandbox.tier
    with prepare_targets(found.state) as stage:
        ground = SandboxSpec(
            stage.workspace, found.state, limits=builder.make_limits(config), ours=found.protected_paths
        )
        box, reasons = choose_box(ground, tier)
        try:
            outcomes = run_all_attacks(box, stage) if box.holds else []
            spoken = tuple(diagnostics.list_languages(box, stage.workspace))
        finally:
            box.close()
    return DoctorReport(
        box.name,
        box.holds,
        box.sentence,
        tuple(reasons),
        tuple(outcomes),
        tuple(map(str, box.left_out)),
        tuple(list_folders(found)),
        languages=spoken,
    )


def list_folders(found: dirs.AppDirs) -> Iterator[DataFolder]:
    from tripletick.commands.remove_data import disk_usage

    rows = (
        ("your settings", found.config),
        ("sessions, snapshots, input history", found.state),
        ("downloaded models", found.cache),
    )
    return (DataFolder(what, str(path), disk_usage(path)) for what, path in rows)


def list_remedies(report: DoctorReport) -> Iterator[str]:
    yield from filter(None, map(remedies.find_remedy, report.reasons))
    verdicts = {one.verdict for one in report.attacks}
    rows = (
        (not report.holds, NO_BOX),
        ("not held" in verdicts, LEAKS),
        ("not tried" in verdicts, UNTRIED),
        (bool(report.left_out), LEFT_OUT),
        (process_limit.SENTENCE in report.sentence, UNCOUNTED),
        (any(not one.done for one in report.chores), WEAK.format(tags=_list_doubtful_tags(report))),
    )
    yield from (line for applies, line in rows if applies)
    yield from report.engine.remedies if report.engine else ()


def _list_doubtful_tags(report: DoctorReport) -> str:
    tags = {tag for one in report.chores for tag in (*one.served, *one.failed)} - set(report.trusted)
    return " ".join(sorted(tags)) or NO_TAGS


def format_report(report: DoctorReport) -> Iterator[str]:
    """Word the report for a person."""
    from tripletick.commands import chores, diagnostics

    held = sum(one.verdict == "held" for one in report.attacks)
    yield f"sandbox: {report.tier if report.holds else 'NO SANDBOX'}"
    yield f"  {report.sentence}"
    yield from (f"  not used: {reason}" for reason in report.reasons if report.holds)
    if report.attacks:
        yield f"attacks: {held} of {len(report.attacks)} blocked"
        yield from (f"  {MARKS[one.verdict]}  {one.tries}" for one in report.attacks)
    if report.left_out:
        yield "not visible on PATH:"
        yield from (f"  {path}" for path in report.left_out)
    if report.engine:
        yield from diagnostics.format_engine_report(report.engine, report.languages)
    yield from chores.format_results(report.chores, report.trusted) if report.chores else ()
    yield "data folders:"
    yield from (f"  {one.path}  {format_size(one.size)}  {one.what}" for one in report.folders)
    if report.remedies:
        yield "what to do:"
        yield from (f"  {line}" for line in report.remedies)
