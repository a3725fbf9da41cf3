"""ALL-1: a clear sentence each time, and nothing is overwritten."""

import errno
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from app.config_errors import ConfigError, ConfigFileError
from app.settings import load_settings


def failure(
    folder: Path,
    text: str | bytes = "",
    environment: dict[str, str] | None = None,
    options: dict[str, object] | None = None,
) -> str:
    """The sentence that a configuration fails with; its file must be as it was."""
    file = folder / "config.toml"
    content = text.encode() if isinstance(text, str) else text
    file.write_bytes(content)
    with pytest.raises(ConfigError) as caught:
        load_settings(options, data=str(folder), environment=environment or {})
    assert file.read_bytes() == content
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "named", "allowed"),
    [
        ('[memory]\npolicy = "fold"', 'memory.policy = "fold"', "one of cascade, rolling"),
        ("[memory]\nimmediate_window = 0", "= 0 ", "a whole number from 1 to 1,000,000"),
        ("[memory]\nimmediate_window = true", "= true ", "a whole number from 1 to 1,000,000"),
        ("[memory]\nimmediate_window = 2.5", "= 2.5 ", "a whole number from 1"),
        ('[memory]\nimmediate_window = "many"', '= "many" ', "a whole number from 1"),
        ("[memory]\nautocompact_trigger = 80", "= 80 ", "a number above 0 up to 1"),
        ("[memory]\nautocompact_trigger = nan", "= NaN ", "a number above 0 up to 1"),
        ("[memory]\ntool_result_budget = 5", "= 5 ", "a whole number from 200 upwards"),
        ("[model]\nname = 5", "model.name = 5 ", "a text of 1 to 500 characters"),
        ('[model]\nname = ""', 'model.name = "" ', "a text of 1 to 500 characters"),
        ('[model]\napi_base = "localhost"', 'model.api_base = "localhost"', "http://"),
        ("[model]\ntemperature = 3", "model.temperature = 3 ", "a number from 0 to 2"),
        ("[model]\ntimeout_s = inf", "model.timeout_s = Infinity", "a number above 0"),
        ("[host]\ncontext_tokens = 1979-05-27", "1979-05-27", "a whole number from 512"),
        ('[ui]\nreduced_motion = "maybe"', '= "maybe" ', "true or false"),
        ("[ui.keys]\nsend = 5", "ui.keys = ", "a table of texts"),
        ("[mcp.files]\nargs = []", "[mcp.files]", "either command or url"),
        ("[mcp.files]", "[mcp.files]", "either command or url"),
        ('[mcp.""]\ncommand = "x"', "[mcp.]", "1 to 60 characters that can be seen"),
        ('[mcp."a\\u001b[31m"]\ncommand = "x"', "[mcp.a\\x1b[31m]", "characters that can be seen"),
        ('[mcp.x]\ncommand = "x"\nargs = "a b"', 'mcp.x.args = "a b"', "a list of texts."),
        ('[tools]\noffer = "some"', 'tools.offer = "some"', "one of auto, all, few, none"),
        ("[tools]\nmax_rounds = 0", "tools.max_rounds = 0", "a whole number from 1 to 1,000"),
        ('[tools]\nwithout = [""]', "tools.without = ", "a list of texts of 1 to 500 characters"),
    ],
)
def test_a_wrong_value_names_key_value_and_what_is_allowed(
    tmp_path: Path, text: str, named: str, allowed: str
) -> None:
    """ALL-1: the sentence says all three, and the line."""
    sentence = failure(tmp_path, text)
    assert named in sentence
    assert allowed in sentence


def test_a_wrong_value_names_its_origin(tmp_path: Path) -> None:
    """ALL-1: file with line, variable, or command line."""
    assert "config.toml line 2)" in failure(tmp_path, "[memory]\nimmediate_window = -1\n")
    variable = {"STRATA_MEMORY__IMMEDIATE_WINDOW": "few"}
    assert "(environment STRATA_MEMORY__IMMEDIATE_WINDOW)" in failure(tmp_path, "", variable)
    assert "(command line)" in failure(tmp_path, options={"memory.policy": "x"})


@pytest.mark.parametrize(
    ("text", "named", "hint"),
    [
        ("[memory]\nimediate_window = 8", "memory.imediate_window", "memory.immediate_window?"),
        ("[model]\nidle_minutes = 8", "model.idle_minutes", "Did you mean host.idle_minutes?"),
        ("[memory]\nzzz = 8", "memory.zzz", "[memory] knows profile, policy"),
        ("[recall]\nk = 5", "recall.k", "knows enabled, across_sessions"),
        ("[memroy]\npolicy = 'none'", "[memroy]", "Did you mean [memory]?"),
        ("[zzz]", "[zzz]", "The tables are model, memory,"),
        ('policy = "none"', "policy", "memory.policy, under [memory]"),
        ('model = "gpt-x"', "model", "Write [model]"),
        ("[model]\napi_key = 'abc-very-secret'", "model.api_key", "OPENAI_API_KEY"),
    ],
)
def test_an_unknown_key_is_named_with_the_nearest_known_one(
    tmp_path: Path, text: str, named: str, hint: str
) -> None:
    """ALL-1: an unknown key in the configuration."""
    sentence = failure(tmp_path, text)
    assert named in sentence
    assert hint in sentence
    assert "very-secret" not in sentence


def test_an_unknown_variable_is_named(tmp_path: Path) -> None:
    """ALL-1: a slip in a variable's name does not go unnoticed."""
    sentence = failure(tmp_path, environment={"STRATA_MEMORY__POLICI": "none"})
    assert "environment STRATA_MEMORY__POLICI" in sentence
    assert "memory.policy?" in sentence
    sentence = failure(tmp_path, environment={"STRATA_MEMORY_POLICY": "none"})
    assert "STRATA_MEMORY__POLICY" in sentence


def test_several_problems_are_the_first_and_a_count(tmp_path: Path) -> None:
    """ALL-1: one sentence at a time, and how many more there are."""
    sentence = failure(
        tmp_path, "[memory]\npolici = 1\nimmediate_window = 0\n[host]\nthreads = 0\n"
    )
    assert sentence.startswith("memory.polici")
    assert "(And 2 more.)" in sentence


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[memory]\npolicy = none\n", 2),
        ("[memory\n", 1),
        ("[memory]\n\nimmediate_window = 8\nimmediate_window = 9\n", 4),
        ('[model]\nname = "unclosed', 2),
        ("[model]\n[model]\n", 2),
    ],
)
def test_a_broken_file_names_file_and_line(tmp_path: Path, text: str, line: int) -> None:
    """ALL-1: a broken `config.toml`."""
    sentence = failure(tmp_path, text)
    assert f"{tmp_path / 'config.toml'}, line {line}:" in sentence
    assert "not valid TOML" in sentence


def test_a_file_that_is_not_utf8_names_the_line(tmp_path: Path) -> None:
    """ALL-1: bad input gives a clear sentence."""
    sentence = failure(tmp_path, b'[ui]\ntheme = "gr\xfcn"\n')
    assert "line 2" in sentence
    assert "UTF-8" in sentence


def test_a_byte_order_mark_is_no_mistake(tmp_path: Path) -> None:
    """ALL-6: editors on Windows put one there."""
    (tmp_path / "config.toml").write_bytes(b'\xef\xbb\xbf[model]\nname = "x"\n')
    assert load_settings(data=str(tmp_path), environment={}).model.name == "x"


def test_a_directory_in_the_files_place(tmp_path: Path) -> None:
    """ALL-1: bad input gives a clear sentence."""
    (tmp_path / "config.toml").mkdir()
    with pytest.raises(ConfigFileError, match="is a directory"):
        load_settings(data=str(tmp_path), environment={})


def test_an_unreadable_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """ALL-1: bad input gives a clear sentence."""

    def refuse(path: Path, **options: object) -> str:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_text", refuse)
    with pytest.raises(ConfigFileError, match="can't be read: Permission denied"):
        load_settings(data=str(tmp_path), environment={})


def test_a_named_file_that_is_not_there(tmp_path: Path) -> None:
    """ALL-1: only the file nobody named may be missing."""
    missing = tmp_path / "mine.toml"
    with pytest.raises(ConfigFileError, match=r"mine\.toml does not exist"):
        load_settings(data=str(tmp_path), config=str(missing), environment={})
    assert not missing.exists()


def test_terminal_escapes_in_a_file_do_not_reach_the_terminal(tmp_path: Path) -> None:
    """ALL-8: what stands in the file is shown, not obeyed."""
    for text in ('[memory]\npolicy = "\\u001b[31m\\u202e"', '[memory]\n"\\u001b]0;x" = 1'):
        assert failure(tmp_path, text).isprintable()


@given(st.binary(max_size=200))
@example(b"[" * 150)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
def test_any_bytes_give_settings_or_a_sentence(tmp_path: Path, content: bytes) -> None:
    """ALL-2: no configuration file, however broken, is a traceback."""
    (tmp_path / "config.toml").write_bytes(content)
    with suppress(ConfigError):
        load_settings(data=str(tmp_path), environment={})


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)
_KEYS = st.sampled_from(
    [
        "model.name",
        "model.api_base",
        "memory.profile",
        "memory.policy",
        "memory.context_window",
        "host.threads",
        "host.idle_minutes",
        "ui.keys",
        "ui.reduced_motion",
        "mcp.x.args",
    ]
)


@given(st.dictionaries(_KEYS, _VALUES, max_size=4))
@settings(max_examples=200)
def test_any_value_gives_settings_or_a_sentence(options: dict[str, object]) -> None:
    """ALL-1: whatever is given, it is either allowed or refused in words."""
    with suppress(ConfigError):
        load_settings(options, data="/nowhere/at/all", environment={})
