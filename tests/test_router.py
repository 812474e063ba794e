"""Who a request is for: the classifier as it ships, its file, and the agents of the person's own."""

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tools.router.labelled import alternatives, fingerprint, requests

from tripletick.errors import ConfigError
from tripletick.router import AGENTS, CLOSE, find_closest_agent, guess_agent
from tripletick.router.classifier import CLASSES, FILE, load_classifier, parse_weights
from tripletick.router.features import HEAD, TAIL

HARD = {
    "coder": (
        "explain this regex ^[a-z]+\\d$",
        "list the functions in app.py",
        "what is 17*23",
        "why does main.py exit with code 1",
        "why does this crash: IndexError: list index out of range",
        "解释这个正则 ^a+$",
        "schreib ein Skript, das alle Primzahlen bis 1000 ausgibt",
    ),
    "casual": (
        "tell me about regular expressions",
        "write me a poem",
        "what is a mutex",
        "what does exit code 137 mean",
        "正規表現とは何ですか",
        "c'est quoi une expression régulière ?",
        "расскажи анекдот",
    ),
    "file": (
        "find my tax pdf",
        "what is in this folder",
        "rename all .jpeg to .jpg",
        "lösche alle leeren Ordner",
        "borra los archivos duplicados de esta carpeta",
        "ابحث عن ملف الضرائب pdf",
    ),
    "web": (
        "find the newest Python release",
        "what's the weather in Oslo",
        "qual é a cotação do dólar hoje",
        "北京明天天气怎么样",
    ),
    "planner": (
        "make a site and deploy it and write the docs",
        "build a todo app with backend, frontend, tests and a README",
        "crée un site, mets-le en ligne et rédige la documentation",
        "разработай приложение, напиши тесты и документацию",
    ),
}
OWN = {
    "chef": "Recipes, menus and shopping lists for the kitchen.",
    "gardener": "Plants, sowing, pruning and pests in the garden.",
    "厨师": "菜谱、食材和购物清单",
    "koch": "Rezepte, Einkaufsliste und Wochenplan für die Küche.",
}


@pytest.mark.parametrize(("agent", "request_"), [(a, one) for a, them in HARD.items() for one in them])
def test_requests_that_share_words_go_to_different_agents(agent, request_):
    assert guess_agent(request_).agent == agent


@pytest.mark.parametrize(
    "text", ["now make it faster", "again", "und jetzt kürzer", "再来一次", "encore", "ещё раз"]
)
@pytest.mark.parametrize("agent", ["file", "coder", "casual"])
def test_a_follow_up_stays_with_the_agent_at_work(text, agent):
    assert guess_agent(text, ["web", agent]).agent == agent
    assert guess_agent(text).agent in AGENTS


def test_the_agent_at_work_does_not_keep_a_new_request():
    assert guess_agent("what's the weather in Oslo tomorrow?", ["coder"]).agent == "web"
    assert guess_agent("write a python script that counts words", ["casual"]).agent == "coder"


@pytest.mark.parametrize(
    "text",
    [
        "FIND MY TAX PDF",
        "pls fnd my tax pdf",
        "Hi!\n\nHope you are well.\n\nCould you please find my tax pdf?",
        "trouve ma facture dans mes documents",
        "trouvé mâ facture dans mes documents",
    ],
)
def test_case_accents_typos_and_politeness_do_not_count(text):
    assert guess_agent(text).agent == "file"


@pytest.mark.parametrize(
    "place", ["{request}\n\n{paste}", "{paste}\n\n{request}", "{paste}\n\n{request}\n\n{paste}"]
)
def test_a_long_paste_does_not_hide_the_request(place):
    paste = "Lorem ipsum dolor sit amet, consectetur adipiscing elit. " * 60
    request_ = "write a python function that counts the words of this text and run it"
    assert len(paste) > HEAD + TAIL
    assert guess_agent(place.format(request=request_, paste=paste)).agent == "coder"


@given(
    st.text(st.characters(codec=None)) | st.binary().map(lambda raw: raw.decode("utf-8", "surrogateescape"))
)
def test_any_text_has_an_agent(text):
    found = guess_agent(text, ["coder"])
    assert found.agent in AGENTS and 0 <= found.confidence <= 1
    assert sum(load_classifier().predict_probabilities(text).values()) == pytest.approx(1)


@pytest.mark.parametrize(
    "text", ["", "\0" * 100_000, "\ud800" * 9, "😀" * 9_000, "x" * 10_000, "\n" * 100_000]
)
def test_a_text_that_says_nothing_is_unsure(text):
    assert not guess_agent(text).sure


def test_what_is_sure_is_over_the_threshold_of_the_file():
    assert guess_agent("find my tax pdf").confidence >= load_classifier().threshold
    assert guess_agent("find my tax pdf").sure


def test_an_agent_of_another_name_keeps_its_follow_ups():
    assert guess_agent("again", ["librarian"]).agent == "librarian"


def test_the_weights_are_of_this_data_and_these_features():
    assert load_classifier().trained_from == fingerprint(), "train again: make router"


def test_the_weights_are_small():
    assert FILE.stat().st_size <= 500_000


@pytest.mark.parametrize("spoil", [lambda data: data[:-1], lambda data: b"????" + data[4:], lambda _: b""])
def test_a_spoilt_file_is_refused(spoil):
    with pytest.raises(ConfigError):
        parse_weights(spoil(FILE.read_bytes()))


def test_the_data_is_varied():
    rows = requests()
    lines = {row.line: row for row in rows}
    assert {row.label for row in rows} == set(CLASSES)
    assert len(lines) >= 3000
    languages = Counter(row.language for row in lines.values())
    assert min(languages[one] for one in ("en", "fr", "zh", "es", "de", "ja", "pt", "ru", "ar")) >= 300


def test_alternatives_of_a_line_are_taken_in_turn():
    assert alternatives(r"{find|open} my {a|b|c} \{x\}\n.") == [
        "find my b {x}\n.",
        "open my c {x}\n.",
        "find my a {x}\n.",
    ]


@pytest.mark.parametrize(
    ("request_", "name"),
    [
        ("give me three vegetarian menus for next week", "chef"),
        ("when do I prune the roses", "gardener"),
        ("what pests make holes in cabbage leaves", "gardener"),
        ("给我列一个火锅的食材购物清单", "厨师"),
        ("schreib mir eine Einkaufsliste für Lasagne", "koch"),
        ("chef, is this fish still good?", "chef"),
        ("@gardener help", "gardener"),
        ("厨师、今天吃什么", "厨师"),
    ],
)
def test_a_request_goes_to_an_agent_with_its_rare_words(request_, name):
    found, near = find_closest_agent(request_, OWN)
    assert (found, near >= CLOSE) == (name, True)


def test_ordinary_requests_are_left_to_the_shipped_agents():
    texts = [row.text for row in requests()]
    sample = random.Random(5).sample(texts, 400)
    taken = [text for text in sample if find_closest_agent(text, OWN)[1] >= CLOSE]
    assert len(taken) <= 8, taken


def test_without_agents_of_ones_own_nobody_is_close():
    assert find_closest_agent("find my tax pdf", {}) == ("", 0.0)
