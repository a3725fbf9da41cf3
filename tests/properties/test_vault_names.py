"""STORE-3, ALL-8: whatever a session is called, its files have a name that is taken everywhere."""

import unicodedata
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from memory.storage.vault import Vault
from memory.vault_names import LONGEST, context_path, safe_name, summaries_folder

REFUSED = '<>:"/\\|?*'
DEVICES = {"con", "prn", "aux", "nul", *(f"{d}{n}" for d in ("com", "lpt") for n in "0123456789")}
TIME = "2026-11-21T11:17:17.123Z"

ODD = (
    *(".", "..", "/", "\\", ":", "~", "%", "%3A", " ", "\x00", "\n", "\u202e", "\ufeff", "\ud800"),
    *("con", "NUL", "Com1", "lpt9.txt", "é", "e\u0301", "ß", "ss", "ſ", "K", "İ", "ı", "ς", "ﬁ"),
    *("🛶", "anna", "Anna", TIME, TIME.lower(), "x" * 90, "漢" * 50, "~0123456789abcdef"),
)
PARTS = st.sampled_from(ODD)
NAMES = st.lists(PARTS | st.text(max_size=6), max_size=6).map("".join) | st.text(max_size=300)


@given(NAMES)
@example("")
@example(".")
@example("..")
@example("../../etc/passwd")
@example("CON.txt")
@example("nul")
@example("con ")
@example("conin$")
@example("a" * 255)
def test_every_file_system_takes_it(name: str) -> None:
    """STORE-3: no refused or unseen character, no device, no dot at an end, not too long."""
    safe = safe_name(name)
    assert safe == unicodedata.normalize("NFC", safe)
    assert 0 < len(safe.encode("utf-8")) <= LONGEST
    assert not set(safe) & set(REFUSED)
    assert all(unicodedata.category(character) not in ("Cc", "Cf", "Cs") for character in safe)
    assert safe[0] not in ". "
    assert safe[-1] not in ". "
    for ending in ("", ".json"):
        assert f"{safe}{ending}".split(".")[0].rstrip(" ").casefold() not in DEVICES


def seen_by_file_systems(name: str) -> set[str]:
    """What file systems that ignore case or change Unicode's forms may take a name for."""
    forms = {unicodedata.normalize(form, name) for form in ("NFC", "NFD")}
    return {
        unicodedata.normalize("NFC", folded)
        for form in forms
        for folded in (form.casefold(), form.upper(), form.lower())
    }


@given(NAMES, NAMES)
@example("Anna:default", "anna:default")
@example("é", "e\u0301")
@example(TIME, TIME.lower())
@example(f"{TIME}\u0301", f"{TIME[:-1].lower()}ź")
@example("a/b", "a%2Fb")
@example("x" * 300, "x" * 301)
@example("straße", "strasse")
@example("anna", f"Anna{safe_name('Anna')[-17:]}")
def test_two_names_never_meet(one: str, other: str) -> None:
    """STORE-3: not even where letters' case and Unicode's forms make no difference."""
    assume(one != other)
    assert not seen_by_file_systems(safe_name(one)) & seen_by_file_systems(safe_name(other))


@given(NAMES)
def test_names_that_look_alike_never_meet(name: str) -> None:
    """STORE-3: a name beside its own variants."""
    variants = [name, name.upper(), name.lower(), name.swapcase(), name.casefold(), f"{name} "]
    variants += [unicodedata.normalize("NFD", name), unicodedata.normalize("NFC", name)]
    variants += [safe_name(name), f"{name}.", name.replace(":", "/")]
    distinct = sorted(set(variants))
    for one, other in pairwise(distinct):
        assert not seen_by_file_systems(safe_name(one)) & seen_by_file_systems(safe_name(other))


@given(NAMES)
def test_the_name_can_be_read_in_it(name: str) -> None:
    """STORE-3: undone like a web address, unless it had to be told apart or cut."""
    safe = safe_name(name)
    if "~" not in safe:
        assert unquote(safe, errors="surrogatepass") == name


@given(NAMES, NAMES)
def test_no_path_leaves_the_vault(session: str, agent: str) -> None:
    """ALL-8: whatever the names, everything stays inside its own folder."""
    root = Path("/data/vault")
    for path, depth in ((context_path(session), 2), (summaries_folder(agent, session), 4)):
        assert len(path.parts) == depth
        inside = Vault(root)._inside(str(path))
        assert inside.resolve().is_relative_to(root)
        assert len(inside.relative_to(root).parts) == depth


@pytest.mark.parametrize("path", ["", "/etc/passwd", "../x", "context/../../x"])
def test_the_rim_refuses_what_lies_outside(path: str) -> None:
    """ALL-8: even were a name made wrongly, nothing is written elsewhere."""
    with pytest.raises(ValueError, match="no place in the vault"):
        Vault(Path("/data/vault"))._inside(path)


def test_an_ordinary_session_is_named_after_its_id() -> None:
    """STORE-3: as it is but for its colons, which Windows refuses."""
    assert str(context_path(f"anna:default:{TIME}")) == (
        "context/anna%3Adefault%3A2026-11-21T11%3A17%3A17.123Z.json"
    )
    assert str(summaries_folder("default", "a")) == "agents/default/a/summaries"
