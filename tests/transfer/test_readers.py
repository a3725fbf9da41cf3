"""STORE-6: what the exports of ChatGPT and Claude say, whatever state they are in."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.transfer import chatgpt, claude, own
from app.transfer.fields import Unreadable, moment
from app.transfer.taking import Failed, Selection, _read
from memory.importing import Elsewhere
from tests.transfer import exports
from tests.transfer.exports import node, said


def spoken(conversation: Elsewhere) -> list[tuple[str, str]]:
    return [(message.role, message.content) for message in conversation.messages]


def test_the_branch_that_was_looked_at_last() -> None:
    """STORE-6: an answer that was made anew leaves the older one behind, counted."""
    read = chatgpt.read(
        exports.chatgpt(
            node("q", "root", "user", "Where?"),
            node("old", "q", "assistant", "Nowhere."),
            node("new", "q", "assistant", "In Lisbon.", metadata={"model_slug": "gpt-4o"}),
        )
    )
    assert spoken(read) == [("user", "Where?"), ("assistant", "In Lisbon.")]
    assert read.left_out == {"other branches": 1}
    assert list(read.models) == ["gpt-4o"]
    assert read.messages[0].said_at == "2023-03-04T10:00:00.000Z"
    assert {message.origin for message in read.messages} == {"import"}


def test_an_export_that_does_not_tell_where_it_ends() -> None:
    """STORE-6: without `current_node`, and without `children`, the newest leaf is taken."""
    conversation = exports.chatgpt(
        node("late", "root", "user", "Late", at=exports.MARCH + 9),
        node("early", "root", "user", "Early"),
    )
    del conversation["current_node"]
    assert spoken(chatgpt.read(conversation)) == [("user", "Late")]


def test_what_was_hidden_stays_behind() -> None:
    """STORE-6: system messages, weight 0, hidden context and thoughts are counted."""
    read = chatgpt.read(
        exports.chatgpt(
            node("a", "root", "system", "Obey the export."),
            node("b", "a", "user", "profile", kind="user_editable_context"),
            node("c", "b", "user", "secret", weight=0),
            node("d", "c", "assistant", "hm", kind="thoughts"),
            node("e", "d", "user", "x", metadata={"is_visually_hidden_from_conversation": True}),
            node("f", "e", "user", "Hello"),
        )
    )
    assert spoken(read) == [("user", "Hello")]
    assert read.left_out == {"hidden": 4, "reasoning": 1}


def test_tools_and_parts_of_chatgpt() -> None:
    """STORE-6: code that was run is a call, its output the result; pictures are counted."""
    image = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://x"}
    spoken_words = {"content_type": "audio_transcription", "text": "Say it."}
    sound = {"content_type": "real_time_user_audio_video_asset_pointer"}
    read = chatgpt.read(
        exports.chatgpt(
            node("a", "root", "user", image, "What is this?", kind="multimodal_text"),
            node("b", "a", "assistant", "print(1)", kind="code", to="python"),
            node("c", "b", "tool", "1\n", kind="execution_output"),
            node("d", "c", "user", spoken_words, sound, kind="multimodal_text"),
        )
    )
    assert spoken(read)[0] == ("user", "What is this?")
    (call,) = read.messages[1].tool_calls
    assert call["function"] == {"name": "python", "arguments": '{"input": "print(1)"}'}
    assert (read.messages[2].role, read.messages[2].tool_call_id) == ("tool", call["id"])
    assert spoken(read)[3] == ("user", "Say it.")
    assert read.left_out == {"images": 1, "sounds": 1}


def test_references_of_chatgpt() -> None:
    """STORE-6: marks become links and names; nobody sees those of nothing."""
    mark = "\ue200cite\ue202turn0search3\ue201"
    words = f'By \ue200entity\ue202["people", "Ada", 0]\ue201, {mark} once\ue203.\ue200x\ue201'
    link = {"matched_text": mark, "alt": "([a](https://a.example))"}
    metadata = {
        "content_references": [link, {"matched_text": " "}, 3],
        "attachments": [{"name": "a.pdf"}, {"name": "p.png", "mime_type": "image/png"}],
    }
    read = chatgpt.read(exports.chatgpt(node("a", "root", "assistant", words, metadata=metadata)))
    assert spoken(read) == [("assistant", "By Ada, ([a](https://a.example)) once.")]
    assert read.left_out == {"files": 1}


def test_a_tree_that_bites_its_tail() -> None:
    """STORE-6: it is named and refused, not followed for ever."""
    circle = exports.chatgpt(node("a", "b", "user", "1"), node("b", "a", "user", "2"))
    with pytest.raises(Unreadable, match="circle"):
        chatgpt.read(circle)


def test_blocks_of_claude() -> None:
    """STORE-6: calls stand before their results; thoughts and files are counted."""
    read = claude.read(
        exports.claude(
            said("1", "human", "Read it.", attachments=[
                {"file_name": "a.txt", "extracted_content": "forty-two"},
                {"file_name": "b.pdf"},
            ], files=[{"file_name": "p.png"}]),
            said(
                "2", "assistant",
                {"type": "thinking", "thinking": "hm"},
                "One moment.",
                {"type": "tool_use", "id": "t1", "name": "search", "input": {"q": "x"}},
                {"type": "tool_result", "tool_use_id": "t1", "content": [
                    {"type": "text", "text": "found"}, {"type": "image"}]},
                "Here.",
            ),
            said("3", "human", text="An old one."),
        )
    )  # fmt: skip
    assert spoken(read) == [
        ("user", "Read it.\n\nAttached: a.txt\n\nforty-two"),
        ("assistant", "One moment."),
        ("tool", "found"),
        ("assistant", "Here."),
        ("user", "An old one."),
    ]
    assert read.messages[1].tool_calls[0]["function"]["arguments"] == '{"q": "x"}'
    assert read.messages[2].tool_call_id == "t1"
    assert read.left_out == {"reasoning": 1, "images": 1, "files": 2}
    assert len(read.marks) == len(set(read.marks)) == len(read.messages)
    assert read.messages[0].said_at == "2024-05-01T08:00:01.500Z"


def test_a_question_that_was_asked_anew() -> None:
    """STORE-6: Claude's newer exports have trees as well."""
    read = claude.read(
        exports.claude(
            said("1", "human", "First", parent_message_uuid="none"),
            said("2", "assistant", "Yes", parent_message_uuid="1"),
            said("3", "human", "Second", parent_message_uuid="none"),
        )
    )
    assert spoken(read) == [("user", "Second")]
    assert read.left_out == {"other branches": 2}


@pytest.mark.parametrize(
    ("value", "at"),
    [
        (0, None), (float("nan"), None), (1e300, None), (True, None), ("soon", None), ({}, None),
        ("2024-05-01", "2024-05-01T00:00:00.000Z"), (exports.MARCH, "2023-03-04T10:00:00.000Z"),
    ],
)  # fmt: skip
def test_times(value: object, at: str | None) -> None:
    """RECALL-3: a time is known or it is not."""
    assert moment(value) == at


def test_a_time_that_is_still_to_come() -> None:
    """RECALL-3: nothing was said tomorrow."""
    told = moment("2999-01-01T00:00:00Z")
    assert told is not None
    assert told < "2999"


LEAF = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
NAMES = st.sampled_from(
    ["mapping", "current_node", "message", "author", "role", "content", "parts", "text", "parent",
     "chat_messages", "sender", "uuid", "type", "tool_result", "attachments", "human", "a", "b",
     "parent_message_uuid", "strata_session", "messages", "session", "title", "pins", "metadata",
     "recipient", "create_time"]
)  # fmt: skip
ANYTHING = st.recursive(
    LEAF | NAMES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=6),
    max_leaves=40,
)
SHAPED = st.one_of(
    st.fixed_dictionaries({"mapping": ANYTHING, "current_node": LEAF | NAMES}),
    st.fixed_dictionaries({"mapping": st.dictionaries(NAMES, ANYTHING, max_size=5)}),
    st.fixed_dictionaries({"chat_messages": st.lists(ANYTHING, max_size=5), "name": ANYTHING}),
    st.fixed_dictionaries({own.KEY: LEAF, "messages": st.lists(ANYTHING, max_size=3)}),
    ANYTHING,
)


@given(SHAPED)
def test_never_an_error_always_a_sentence(value: Any) -> None:
    """STORE-6: whatever stands in an export, it is read or refused by name."""
    found = _read(value, "conversation 1", Selection())
    if isinstance(found, Failed):
        assert found.title
        assert found.why.endswith(".")
        return
    conversation = found.conversation
    assert conversation.digest(len(conversation.messages))
    for message in conversation.messages:
        assert message.origin == "import"
        json.dumps([message.content, list(message.tool_calls)])
