"""Function calling on a real server: what its templates make of calls and results, and who is refused."""

from __future__ import annotations

import pytest
import requests

from tripletick.agents import definitions
from tripletick.dialects import open_dialect, selection
from tripletick.errors import ModelError
from tripletick.languages import registry
from tripletick.messages import Message, ToolCall, ToolResult
from tripletick.models import EngineSettings
from tripletick.models.model import Sampling
from tripletick.models.ollama import Ollama
from tripletick.session import builder
from tripletick.system import dirs
from tripletick.tools import load_tools

TEMPLATE = """{{- if or .System .Tools }}<|im_start|>system
{{ .System }}
{{- if .Tools }}
<tools>
{{- range .Tools }}
{"type": "function", "function": {{ .Function }}}
{{- end }}
</tools>
<tool_call>
{"name": <function-name>, "arguments": <args-json-object>}
</tool_call>
{{- end }}<|im_end|>
{{ end }}
{{- range $i, $_ := .Messages }}
{{- $last := eq (len (slice $.Messages $i)) 1 -}}
{{- if eq .Role "user" }}<|im_start|>user
{{ .Content }}<|im_end|>
{{ else if eq .Role "assistant" }}<|im_start|>assistant
{{ .Content }}
{{- range .ToolCalls }}<tool_call>
{"name": "{{ .Function.Name }}", "arguments": {{ .Function.Arguments }}}
</tool_call>
{{- end }}{{ if not $last }}<|im_end|>
{{ end }}
{{- else if eq .Role "tool" }}<|im_start|>user
<tool_response>
{{ .Content }}
</tool_response><|im_end|>
{{ end }}
{{- if and (ne .Role "assistant") $last }}<|im_start|>assistant
{{ end }}
{{- end }}"""
"""As models with function calling have it; the small model's own has none."""
DIALECT = open_dialect("native", load_tools(), ("bash", "read"))
CALLED = [
    Message("system", "You act."),
    Message("user", "List the folder."),
    Message("assistant", "I look.", calls=(ToolCall("bash", '{"command": "ls -a"}', "1"),)),
    Message("user", "", results=(ToolResult("1", "bash", "[result 1: bash ok]"),)),
]
SHORT = Sampling(output=8, tools=DIALECT.schemas)


@pytest.fixture(scope="module")
def able(ollama):
    """The small model with a template for function calling."""
    told = {"model": "smol-able", "from": ollama.model, "template": TEMPLATE, "stream": False}
    requests.post(f"{ollama.host}/api/create", json=told, timeout=120).raise_for_status()
    model = Ollama("smol-able", EngineSettings(host=ollama.host))
    model.set_context(4096)
    yield model
    model.close()
    # without a name others take the newest model of the server
    requests.delete(f"{ollama.host}/api/delete", json={"model": "smol-able"}, timeout=120).raise_for_status()


def test_a_model_whose_template_has_no_tools_is_known_and_refused_in_one_line(ollama):
    model = Ollama(ollama.model, EngineSettings(host=ollama.host))
    assert "does not list function calling" in selection.choose_dialect("native", model.get_info()).notice
    with pytest.raises(ModelError, match="does not support function calls here") as caught:
        list(model.stream([Message("user", "Hi.")], SHORT))
    assert "agent.dialect fence" in caught.value.remedy


def test_a_template_with_tools_makes_function_calling_possible(able):
    assert selection.choose_dialect("native", able.get_info()) == selection.DialectChoice("native", "as set")


def test_the_template_gets_schemas_calls_and_results_in_their_order(able, ollama):
    told = {**able._build_request(CALLED, SHORT), "stream": False, "_debug_render_only": True}
    answer = requests.post(f"{ollama.host}/api/chat", json=told, timeout=60).json()
    prompt = answer["_debug_info"]["rendered_template"]
    parts = (
        "shows files and folders",
        "I look.",
        '{"name": "bash", "arguments": {"command":"ls -a"}}',
        "[result 1: bash ok]",
    )
    assert [part for part in parts if part not in prompt] == []
    assert sorted(parts, key=prompt.index) == list(parts)


def test_a_turn_with_calls_and_results_streams_to_its_end(able):
    *_, last = able.stream(CALLED, SHORT)
    assert last.counts.prompt > 100


@pytest.mark.parametrize("dialect", ["xml", "native"])
def test_the_prompts_of_the_other_dialects_are_as_short_as_they_must_be(ollama, report, dialect):
    model = Ollama(ollama.model, EngineSettings(host=ollama.host))
    model.set_context(4096)
    prompts = definitions.load_prompts(dirs.find_dirs().prompts)
    installed = [tag for tag in ("c", "go", "java", "javascript") if tag in registry.LANGUAGES]
    told = open_dialect(dialect, load_tools(), builder.list_offered_tools(prompts, installed)).tools_prompt
    system = prompts.format_system_prompt(
        dialect, system="Debian 12, bash, python 3.11", folder="my-project", tools=told
    )

    def tokens(text):
        *_, end = model.stream([Message("system", text), Message("user", "x")], Sampling(output=1))
        assert end.counts
        return end.counts.prompt

    size = tokens(system) - tokens("")
    report(f"tokens of system-{dialect}: {size}")
    assert size < 250
