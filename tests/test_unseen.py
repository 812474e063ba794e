"""The requests that judge the router: well formed, enough of each kind and language, none twice.

Not covered: whether training left them out; that is the trainer's to show.
"""

import json
from collections import Counter
from pathlib import Path

LINES = (Path(__file__).parents[1] / "bench" / "router_unseen.jsonl").read_text("utf-8").splitlines()
UNSEEN = [json.loads(line) for line in LINES]
AGENTS = {"casual": 0.25, "coder": 0.25, "file": 0.20, "web": 0.17, "planner": 0.13}
LANGUAGES = {"en": 200, "fr": 45, "es": 45, "de": 45, "pt": 45, "zh": 45, "ja": 45, "ru": 45, "ar": 45}
LANGUAGES |= {"it": 15, "nl": 15, "pl": 15, "ko": 15, "hi": 15, "tr": 15}


def test_every_line_has_a_request_a_history_an_agent_and_a_language():
    for line in UNSEEN:
        assert list(line) == ["request", "history", "agent", "lang"]
        assert line["request"].strip()
        assert {line["agent"], *line["history"]} <= set(AGENTS)
        assert len(line["history"]) <= 3


def test_no_request_stands_twice():
    keys = Counter(("".join(line["request"].casefold().split()), *line["history"]) for line in UNSEEN)
    assert [key for key, count in keys.items() if count > 1] == []


def test_each_language_has_its_number_of_requests_and_each_of_them_every_agent():
    assert Counter(line["lang"] for line in UNSEEN) == LANGUAGES
    assert len({(line["lang"], line["agent"]) for line in UNSEEN}) == len(LANGUAGES) * len(AGENTS)


def test_each_agent_has_its_share():
    counts = Counter(line["agent"] for line in UNSEEN)
    assert all(abs(counts[agent] / len(UNSEEN) - share) < 0.01 for agent, share in AGENTS.items())


def test_one_line_in_eight_has_a_history_and_most_of_these_follow_it():
    histories = [line for line in UNSEEN if line["history"]]
    assert 0.11 < len(histories) / len(UNSEEN) < 0.14
    assert sum(line["history"][-1] == line["agent"] for line in histories) > len(histories) / 2
