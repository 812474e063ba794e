"""The first process of a cage: builds the scene, lets the agent run one program in it, and judges.

Started by cage.py with its orders as JSON on standard input; prints the verdict as one line of JSON. It is
process 1, so that no program can kill or stop it.
"""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tests.threats.cases import Case, fill
from tests.threats.driver import Agent, Orders
from tests.threats.scene import AGENT_SOCKET, SECRETS, Scene
from tests.threats.wide import open_internet

CHECK_SECONDS = 30
NAIVE = "naive"
FENCE = "````"
SHELL_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
YES = {"none": "NO SANDBOX"}
"""What is answered with y, by tier; all else is n: what more a block asks for, nobody gives it here."""
SHOWN = 3000
"""Bytes of terminal and output that a verdict shows at most."""


@dataclass(frozen=True, slots=True)
class Staging:
    """One program, and under what it is run."""

    case: Case
    tier: str
    mode: str = "work"
    uid: int = 1000
    owner: int = 1000
    top: str = "/arena/place"
    flags: tuple[str, ...] = ()
    network: bool = False
    oom: str = ""
    """The file in which the cage's cgroup counts what it killed for memory."""


@dataclass(slots=True)
class Verdict:
    """How it ended; `why` is for the person who looks after it."""

    held: bool
    alive: bool = False
    seconds: float = 0.0
    rc: int | None = None
    why: str = ""
    stdout: str = ""
    term: str = ""
    extra: dict[str, str] = field(default_factory=dict)


def perform(staging: Staging) -> Verdict:
    """Run the program and judge."""
    scene = Scene(Path(staging.top), staging.owner)
    scene.build()
    if staging.network:
        open_internet(scene.note)
    agent = Agent(orders(staging, scene))
    alive = agent.play()
    text, status = tell(staging, scene, agent, alive)
    failed = check(staging.case, scene)
    why = failed or strict(staging, agent, alive)
    shown = agent.drawn[-SHOWN:].decode(errors="replace")
    verdict = Verdict(not why, alive, agent.seconds, status, why, text[-SHOWN:], shown)
    verdict.extra = {"hits": read(scene.run / "hits"), "asked": agent.asked()}
    return verdict


def tell(staging: Staging, scene: Scene, agent: Agent, alive: bool) -> tuple[str, int | None]:
    """Write what the check reads into `run`; give what the model got and the program's status."""
    text, status = agent.returned()
    files = {
        "stdout": text.encode(errors="surrogateescape"),
        "tty_in": agent.untyped() if alive else b"",
        "term": bytes(agent.drawn),
        "rc": str(agent.process.returncode if status is None else status).encode(),
        "seconds": str(round(agent.seconds)).encode(),
        "alive": b"1" if alive else b"0",
        "alerts": agent.alerts().encode(),
        "oom": str(killed(staging.oom)).encode(),
    }
    scene.run.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (scene.run / name).write_bytes(data)
    return text, status


def strict(staging: Staging, agent: Agent, alive: bool) -> str:
    """Say what is wrong beyond the check: a block that never ran, an agent that does not go on to its end."""
    last = agent.drawn[-SHOWN:].decode(errors="replace")
    if not agent.began:
        return f"the block never ran: {last}"
    if staging.tier == NAIVE:
        return ""
    if not alive:
        return "" if staging.case.inject else "the agent does not go on"
    code = agent.end()
    return f"the agent ended with {code}: {last}" if code else "" if code == 0 else "the agent does not end"


def orders(staging: Staging, scene: Scene) -> Orders:
    """Word how the agent is called."""
    case = staging.case
    token = secrets.token_hex(6)
    waits, ends = f"Does {token} go on?", f"All of {token} is done."
    code = fill(case.code, scene.placeholders)
    script = scene.top / "replies.json"
    lang = fill(case.lang, scene.placeholders)
    block = f"{FENCE}{lang}\n{code}\n{FENCE}\n"
    script.write_text(json.dumps([block, f"REQUEST_CLARIFICATION: {waits}\n", f"{ends}\n"]))
    argv = [sys.executable, "-m", "tripletick.cli", "--plain", "-C", str(scene.workspace)]
    argv += [*staging.flags, "-m", f"scripted:{script}", "run the block"]
    log = scene.log_folder / "naive.jsonl"
    seconds, grace = case.timeout, 30
    if staging.tier == NAIVE:
        # Twice the time, so that what fills something up gets to its end on a slow machine too.
        seconds, grace = 2 * case.timeout, 5
        told = {"lang": lang, "code": code, "timeout": str(seconds), "waits": waits, "ends": ends}
        told |= {"log": str(log), "workspace": str(scene.workspace)}
        script.write_text(json.dumps(told))
        argv = [sys.executable, "-m", "tests.threats.naive", str(script)]
    return Orders(
        argv=argv,
        env=environment(staging, scene),
        cwd=Path.cwd(),
        uid=staging.uid,
        logs=scene.log_folder,
        waits=waits,
        ends=ends,
        seconds=seconds,
        grace=grace,
        inject=case.inject,
        yes=YES.get(staging.tier, ""),
    )


def environment(staging: Staging, scene: Scene) -> dict[str, str]:
    """The environment of somebody who has secrets in it."""
    ours = {
        "TRIPLETICK_SANDBOX_TIER": staging.tier,
        "TRIPLETICK_SANDBOX_TIMEOUT": str(staging.case.timeout),
    }
    common = {"HOME": str(scene.home), "PATH": SHELL_PATH, "LANG": "C.UTF-8", "TERM": "xterm-256color"}
    return {**common, **SECRETS, **ours, "SSH_AUTH_SOCK": str(AGENT_SOCKET)}


def check(case: Case, scene: Scene) -> str:
    """Run the check; give what it said where it failed, empty where the program was held."""
    env = {"PATH": SHELL_PATH, "LANG": "C.UTF-8"}
    env |= {"WS": str(scene.workspace), "OUTSIDE": str(scene.outside)}
    code = fill(case.check, scene.placeholders)
    try:
        done = subprocess.run(
            ["bash", "-c", code], env=env, cwd="/", capture_output=True, timeout=CHECK_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return "the check did not end"
    except OSError as error:
        return f"the check cannot start: {error}"
    said = (done.stdout + done.stderr).decode(errors="replace").strip()
    return (said or "the check failed") if done.returncode else ""


def killed(path: str) -> int:
    """Count what the kernel killed for memory (memory.events, memory.oom_control)."""
    words = read(Path(path)).split() if path else []
    return int(words[words.index("oom_kill") + 1]) if "oom_kill" in words else 0


def read(path: Path) -> str:
    return path.read_text(errors="replace") if path.is_file() else ""


def main() -> None:
    # Not as arguments: a check that looks for a process by its words would find us.
    fields: dict[str, Any] = json.loads(sys.stdin.read())
    began = time.monotonic()
    verdict = perform(Staging(**{**fields, "case": Case(**fields["case"]), "flags": tuple(fields["flags"])}))
    verdict.extra["whole"] = f"{time.monotonic() - began:.1f}"
    sys.stdout.write(json.dumps(asdict(verdict)) + "\n")
    sys.stdout.flush()
    # Threads that listen would keep the process.
    os._exit(0)


if __name__ == "__main__":
    main()
