"""Which registries the person's settings name."""

import pytest

from tripletick.sandbox.net.registries import pointers, registries

FILES = {
    ".config/pip/pip.conf": "[global]\nindex-url = https://me:secret@one.corp/simple\n"
    "extra-index-url =\n    http://two.corp:8081/a\n    https://three.corp/b\n[install]\nextra_index_url=https://four.corp\n",
    ".pip/pip.conf": "[global]\nindex_url: https://five.corp/simple\n",
    ".npmrc": "registry=https://six.corp:4873/\n@team:registry = https://${REGISTRY}/\n"
    "//seven.corp/:_authToken=abc\n; registry=https://no.corp\n",
    ".yarnrc": 'registry "https://eight.corp"\n',
    ".yarnrc.yml": 'npmRegistryServer: "https://nine.corp"\n',
    ".config/go/env": "GOPROXY=https://ten.corp|https://eleven.corp,direct\n",
    ".cargo/config.toml": '[source.crates-io]\nreplace-with = "mirror"\n[source.mirror]\n'
    'registry = "sparse+https://twelve.corp/index/"\n[registries.team]\nindex = "https://thirteen.corp/git"\n',
    ".config/uv/uv.toml": '[[index]]\nname = "a"\nurl = "https://fourteen.corp/simple"\n[pip]\nindex-url = "http://[fd00::5]:81/"\n',
}
FOUND = {
    *("one.corp", "two.corp:8081", "three.corp", "four.corp", "five.corp", "six.corp:4873", "scoped.corp"),
    *("eight.corp", "nine.corp", "ten.corp", "eleven.corp", "twelve.corp", "thirteen.corp", "fourteen.corp"),
    "[fd00::5]:81",
}


@pytest.fixture
def home(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_all_registries_of_the_person_s_files_are_found(home):
    assert registries(home, {"REGISTRY": "scoped.corp"}) == FOUND | registries(home / "none", {})


@pytest.mark.parametrize(
    ("name", "value", "place"),
    [
        ("PIP_INDEX_URL", "https://a.corp/simple", "a.corp"),
        ("PIP_EXTRA_INDEX_URL", "https://b.corp http://A.corp:80/x", "a.corp:80"),
        ("UV_INDEX", "team=https://a.corp/simple", "a.corp"),
        ("npm_config_registry", "http://user:pw@A.corp:4873", "a.corp:4873"),
        ("GOPROXY", "https://b.corp,https://a.corp,direct", "a.corp"),
        ("CARGO_REGISTRIES_TEAM_INDEX", "sparse+https://a.corp/", "a.corp"),
    ],
)
def test_a_registry_of_the_environment_is_found(tmp_path, name, value, place):
    assert place in registries(tmp_path, {name: value})


@pytest.mark.parametrize(
    "value", ["off", "file:///srv/mirror", "https://[broken", "https://a.corp:99999999/", ""]
)
def test_what_is_no_address_is_no_registry(tmp_path, value):
    assert registries(tmp_path, {"GOPROXY": value}) == registries(tmp_path, {})


@pytest.mark.parametrize("name", sorted(FILES))
@pytest.mark.parametrize(
    "text", [b"\0\xff[[", b"[global\nindex-url", b"= =\n[a]\nx", b"index-url = 5\n[index]\n"]
)
def test_a_broken_file_of_settings_hides_no_other(home, name, text):
    (home / name).write_bytes(text)
    others = set(FILES) - {name}
    assert len(registries(home, {"REGISTRY": "scoped.corp"}) & FOUND) >= len(others)


def test_a_pip_conf_named_by_the_environment_counts_where_its_path_is_whole(tmp_path, monkeypatch):
    (tmp_path / "other").write_text("[global]\nindex-url = https://a.corp/simple\n")
    monkeypatch.chdir(tmp_path)
    assert "a.corp" in registries(tmp_path / "home", {"PIP_CONFIG_FILE": str(tmp_path / "other")})
    assert "a.corp" not in registries(tmp_path / "home", {"PIP_CONFIG_FILE": "other"})


def test_a_block_is_told_of_the_registries_without_passwords(home):
    told = pointers(home, {"REGISTRY": "scoped.corp", "GOPROXY": "https://a:b@go.corp,direct"})
    assert told["PIP_INDEX_URL"] == "https://one.corp/simple"
    assert told["npm_config_registry"] == "https://six.corp:4873/"
    assert told["GOPROXY"] == "https://go.corp,direct"
    assert "secret" not in str(told)
    assert all(name.isidentifier() for name in told)
