"""Logs of web servers: which requests failed, which ended with a code, and how many.

How a line looks is seen first where the request gives no code.
"""

from __future__ import annotations

from training import words
from training.families.logbooks import draw_times
from training.families.office import draw_file_name, format_source
from training.families.reading import read_file
from training.scene import Scene
from training.script import Script, allow_failure, format_bash

WEB = ("access", "requests", "web", "nginx", "http", "server", "visits")
REQUESTS = (
    ("{day} {time} {verb} {path} {code}", " [45]..$"),
    ('{ip} - - [{clf}:{time} +0000] "{verb} {path} HTTP/1.1" {code} {size}', '" [45]'),
    ("{time} {verb} {path} -> {code} ({ms} ms)", "> [45]"),
    ("time={time} method={verb} path={path} status={code}", "status=[45]"),
    ("[{day} {time}] {code} {verb} {path}", "] [45]"),
)
"""How a request is written down, and what marks one that failed."""
PATHS = (
    "cart",
    "login",
    "search",
    "api",
    "images",
    "news",
    "orders",
    "admin",
    "help",
    "prices",
    "favicon.ico",
)


def find_requests(scene: Scene) -> Script:
    """Requests that ended with a code, or that failed at all: which, or how many."""
    name, entries, mark = _make_log(scene)
    named, counts = scene.draw_chance(0.5), scene.draw_chance(0.35)
    code = scene.pick("404", "500", "403", *(code for _, code in entries if code > "399"))
    any_code = scene.draw_chance(0.4)
    section = ("web-failed" if any_code else "web-code") + ("-count" if counts else "")
    yield scene.ask(section, code=code, file=format_source(scene, name, named))
    if any_code:
        yield from read_file(name, not named, "head -n 2")
    elif not named:
        yield format_bash("ls")
    pattern = f"'{mark}'" if any_code else f"-w {code}"
    if counts:
        pattern = f"-c {pattern}" if any_code else f"-cw {code}"
    yield allow_failure(format_bash(f"grep {pattern} {name}"))
    hit = [(path, got) for path, got in entries if (got > "399" if any_code else got == code)]
    what = "failed" if any_code else f"ended with {code}"
    many = f"{len(hit)} requests" if len(hit) > 1 else "One request" if hit else "No request"
    paths = words.format_list([f"{path} ({got})" if any_code else path for path, got in hit] or [""])
    yield f"{many} {what}." if counts or not hit else f"{many} {what}: {paths}."


def _make_log(scene: Scene) -> tuple[str, list[tuple[str, str]], str]:
    """Make a web server's log; its paths with their codes, and what marks the failed ones."""
    form, mark = scene.pick(*REQUESTS)
    name, day = draw_file_name(scene, WEB, ("log", "log", "txt")), words.draw_day(scene.random)
    entries = [
        (
            f"/{scene.pick(scene.draw_word(), *PATHS)}",
            scene.pick("200", "200", "200", "301", "404", "404", "500", "403"),
        )
        for _ in range(scene.random.randint(5, 11))
    ]
    lines = [
        form.format(
            day=day,
            clf=f"{day[8:]}/{words.read_words()['month'][int(day[5:7]) - 1][:3]}/{day[:4]}",
            time=time,
            verb=scene.pick("GET", "GET", "POST"),
            path=path,
            code=code,
            ip=f"10.0.0.{scene.random.randint(2, 99)}",
            size=scene.random.randint(1000, 9999),
            ms=scene.random.randint(1, 99),
        )
        for time, (path, code) in zip(draw_times(scene, len(entries)), entries, strict=True)
    ]
    scene.put_file(name, "\n".join(lines))
    scene.add_other_files(3)
    return name, entries, mark
