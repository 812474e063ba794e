"""Models that a server has without a chat template: how that is seen, and which one they get."""

import json

import pytest
from tests.bad_server import BadServer, answer

from tripletick.errors import ModelError, ServerUnreachableError
from tripletick.models import EngineSettings, chat_templates
from tripletick.models.ollama import Ollama

PLAIN = "{{ .Prompt }}"
VERSION = answer(200, '{"version": "0.17.4"}')


@pytest.mark.parametrize(
    ("tokens", "family", "name"),
    [
        (["<|im_start|>", "<|im_end|>", "a"], "qwen2", "chatml"),
        (["<|im_start|>", "<|im_end|>", "<|im_sep|>"], "phi3", "phi4"),
        (["<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"], "llama", "llama3"),
        (["<start_of_turn>", "<end_of_turn>"], "gemma3", "gemma"),
        (["<|user|>", "<|assistant|>", "<|end|>"], "phi3", "phi3"),
        (["[INST]", "[/INST]"], "llama", "mistral"),
        (["<|start_of_role|>", "<|end_of_role|>", "<|end_of_text|>"], "granite", "granite"),
        ([], "qwen2", "chatml"),
        ([], "gemma3", "gemma"),
        ([], "llama", None),
        (["a", "b"], "qwen2", None),
    ],
)
def test_a_model_gets_the_template_that_its_special_tokens_ask_for(tokens, family, name):
    found = chat_templates.choose_template(tokens, family)
    assert (found.name if found else None) == name


@pytest.mark.parametrize(
    ("shown", "lacks"),
    [
        ({"template": PLAIN, "capabilities": ["completion"]}, True),
        ({"template": "{{.Prompt}}"}, True),
        ({"template": f" {PLAIN}\n"}, True),
        ({"template": PLAIN, "capabilities": ["embedding"]}, False),
        ({"template": PLAIN, "renderer": "qwen3-coder"}, False),
        ({"template": PLAIN, "modelfile": "FROM x\nRENDERER qwen3-coder\n"}, False),
        ({"template": PLAIN, "remote_host": "https://ollama.com:443"}, False),
        ({"template": "{{ range .Messages }}…"}, False),
        ({"details": {}}, False),
        ({"template": None}, False),
    ],
)
def test_a_model_without_a_template_is_seen(shown, lacks):
    server = BadServer({"/api/show": [answer(200, json.dumps(shown))], "/api/version": [VERSION]})
    with server:
        assert Ollama("m", EngineSettings(host=server.url)).get_info().untemplated is lacks


def served(tokens, *made, family="qwen2"):
    info = {"general.architecture": family, "tokenizer.ggml.tokens": tokens}
    shown = answer(200, json.dumps({"template": PLAIN, "model_info": info}))
    return BadServer({"/api/show": [shown], "/api/version": [VERSION], "/api/create": list(made)})


def test_a_model_is_made_anew_from_itself_with_its_template():
    with served(["<|im_start|>", "<|im_end|>"], answer(200, '{"status": "success"}')) as server:
        chosen = chat_templates.add_template("m:1b", EngineSettings(host=server.url))
        asked = {one.path: one.body for one in server.asked}
    assert asked["/api/show"] == {"model": "m:1b", "verbose": True}
    body = asked["/api/create"]
    assert (body["model"], body["from"], body["template"]) == ("m:1b", "m:1b", chosen.text)
    assert "<|im_end|>" in body["parameters"]["stop"]


def test_where_none_fits_it_is_said_how_to_write_one():
    with served(["a"], family="odd") as server, pytest.raises(ModelError) as caught:
        chat_templates.add_template("m", EngineSettings(host=server.url))
    assert "its architecture is odd" in caught.value.why
    assert "ollama create m -f Modelfile" in caught.value.remedy
    assert "/api/create" not in {one.path for one in server.asked}


def test_what_a_server_says_against_it_is_passed_on():
    refused = answer(500, '{"error": "template error: no"}')
    with served([], refused) as server, pytest.raises(ModelError, match="template error: no"):
        chat_templates.add_template("m", EngineSettings(host=server.url))


def test_without_a_server_the_way_to_start_one_is_told():
    with pytest.raises(ServerUnreachableError, match="ollama serve"):
        chat_templates.add_template("m", EngineSettings(host="http://127.0.0.1:9"))
