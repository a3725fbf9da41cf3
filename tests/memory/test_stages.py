"""The deterministic stages: what they cut, what they leave, and how one gets it back."""

from time import perf_counter

import pytest

from memory.compaction.exchanges import looks_failed
from memory.compaction.micro import micro
from memory.compaction.phatic import is_acknowledgement, is_announcement
from memory.compaction.scope import Proposal
from memory.compaction.snip import snip
from memory.compaction.tool_budget import cut_tool_results
from memory.content.digests import digest
from memory.content.receipts import handles_in
from tests.memory.talks import Talk, calls, model, originals, result, user

SOURCE = "\n".join(
    [
        '"""Reads orders from the warehouse."""',
        "import csv",
        *(
            f"\n\ndef read_order_{n}(path: str) -> Order:\n    row = next(csv.reader(open(path)))\n"
            f"    return Order(int(row[0]), row[{n}])"
            for n in range(1, 200)
        ),
        "class OrderError(Exception): ...",
    ]
)
ENDING = [user("What is left to do?"), model("Deploy to Lisbon on 3 May.")]
LONG = "The warehouse in Porto keeps 4,200 parcels, and Ana counts them on Fridays. " * 4


def numbers(proposals: list[Proposal]) -> list[int]:
    """The messages that are proposed, oldest first."""
    return [proposal.number for proposal in proposals]


# -- COMPACT-1


def test_a_long_result_stands_as_head_and_tail() -> None:
    """COMPACT-1: under the budget with its receipt, which names what it was and its size."""
    talk = Talk(
        [user("Read it."), calls(("1", "read_file", {"path": "a.py"})), result("1", SOURCE)]
    )
    (proposal,) = cut_tool_results(talk.scope)

    assert proposal.number == 3, "the newest may stand as a receipt (I4)"
    assert proposal.text is not None
    assert len(proposal.text) <= 8_000
    head, receipt, tail = (
        proposal.text.partition("\n[…")[0],
        proposal.text[proposal.text.index("[…") : proposal.text.index("…]") + 2],
        proposal.text.rpartition("…]\n")[2],
    )
    assert SOURCE.startswith(head)
    assert SOURCE.endswith(tail)
    assert len(head) > 3 * len(tail) > 0
    assert receipt == (
        f"[… c1 keeps all {len(SOURCE):,} characters of this result of read_file: retrieve c1 …]"
    )
    assert originals([proposal], talk.texts) == {"c1": SOURCE}
    assert proposal.items[0].source == "read_file"


@pytest.mark.parametrize("size", [0, 9_999, 10_000])
def test_a_result_within_the_budget_stays(size: int) -> None:
    """COMPACT-1: only what is over 10,000 characters is cut."""
    talk = Talk([calls(("1", "t", {})), result("1", "x" * size)])
    assert cut_tool_results(talk.scope) == []


def test_only_free_tool_results_are_cut() -> None:
    """COMPACT-1, COMPACT-14: what was said stays, and so does what is pinned."""
    lines = [user(SOURCE), model(SOURCE), calls(("1", "t", {})), result("1", SOURCE)]
    assert cut_tool_results(Talk(lines, pinned=[4]).scope) == []
    assert numbers(cut_tool_results(Talk(lines).scope)) == [4]


def test_the_smallest_budget_still_cuts() -> None:
    """COMPACT-1: whatever is configured, the result is shorter than the budget."""
    talk = Talk([calls(("1", "t" * 99, {})), result("1", "x" * 201)], {"tool_result_budget": 200})
    (proposal,) = cut_tool_results(talk.scope)
    assert proposal.text is not None
    assert len(proposal.text) <= 200
    assert handles_in(proposal.text) == ["c1"]


# -- COMPACT-2: acknowledgements


def test_pleasantries_leave_together() -> None:
    """COMPACT-2: a user's thanks go with the answer to them, under one receipt."""
    talk = Talk(
        [
            user("Which port does the gateway use?"),
            model("It listens on 8443."),
            user("Perfect, thank you so much, that makes sense!"),
            model("You're welcome! Let me know if you need anything else. Happy to help!"),
            *ENDING,
        ]
    )
    assert [(p.number, p.why, p.text) for p in snip(talk.scope)] == [
        (3, "acknowledgement", None),
        (4, "acknowledgement", None),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "ok",
        "Thanks!",
        "Great, thanks a lot!",
        "👍",
        "👍🏽 ok",
        "Sure.",
        "I see, got it",
        "OK, will do",
        "",
    ],
)
def test_what_says_nothing_is_an_acknowledgement(text: str) -> None:
    """COMPACT-2: a short turn with no content word, number or name."""
    assert is_acknowledgement(text, "user")


@pytest.mark.parametrize(
    "text",
    [
        "ok?", "port 3", "Thanks, Ada", "thanks Will", "no", "stop", "да", "谢谢", "धन्यवाद",
        "ok for Lisbon", "{}", "a/b", "-> ok", "£", "ok ok " * 60, "great, but slower", "don't",
        "I need help", "٣", "½",
    ],
)  # fmt: skip
def test_what_may_say_something_is_none(text: str) -> None:
    """COMPACT-2: an unknown word, of whatever script, is taken for content."""
    assert not is_acknowledgement(text, "user")


def test_an_answer_to_a_question_is_no_acknowledgement() -> None:
    """COMPACT-2: `yes` after a question decides something."""
    talk = Talk(
        [
            user("Please clean up the branches of the release."),
            model("Shall I delete all twelve of them, the unmerged ones too?"),
            user("yes, sure, all right, sounds great, very good, that is perfect"),
            model("OK, understood, got it, all right, very good, that's perfect."),
            *ENDING,
        ]
    )
    assert 3 not in numbers(snip(talk.scope))


def test_a_request_keeps_what_was_done_about_it() -> None:
    """COMPACT-2: a user's turn leaves only if all of its answer does."""
    talk = Talk(
        [
            user("Prepare the release."),
            model("I will tag 2.4.1 and push it unless you object."),
            user("ok sounds good thanks, perfect, really great, I appreciate it very much"),
            model("Tagged 2.4.1 as a1b2c3 and pushed it."),
            *ENDING,
        ]
    )
    assert snip(talk.scope) == []


def test_what_a_receipt_would_outweigh_stays() -> None:
    """COMPACT-2, I7: two words are shorter than the note that they were left out."""
    talk = Talk([user("Use port 8443."), model("Noted."), *ENDING])
    assert snip(talk.scope) == []


# -- COMPACT-2: tool exchanges


def read(id: str, path: str, text: str = "") -> list:  # type: ignore[type-arg]
    """The lines of reading a file."""
    return [calls((id, "read_file", {"path": path}), text="Let me read it."), result(id, text)]


def test_an_older_reading_of_the_same_file_leaves() -> None:
    """COMPACT-2: call and result, with the reason; whatever the arguments' form."""
    talk = Talk(
        [
            user("Read a.py."),
            *read("1", "a.py", LONG + "one"),
            model("It defines 12 orders."),
            user("I changed a.py, look again."),
            *read("2", "a.py", LONG + "two"),
            model("Now it defines 13."),
            *ENDING,
        ]
    )
    assert [(p.number, p.why) for p in snip(talk.scope)] == [
        (2, "superseded by message 7"),
        (3, "superseded by message 7"),
    ]


def test_arguments_are_compared_by_their_value() -> None:
    """COMPACT-2: order and blanks of JSON do not matter."""
    talk = Talk(
        [
            calls(("1", "grep", {"a": 1, "b": [2]})), result("1", LONG),
            calls(("1", "grep", {"b": [2], "a": 1})), result("1", LONG),
            calls(("1", "grep", {"b": [2], "a": 2})), result("1", LONG),
            *ENDING,
        ]
    )  # fmt: skip
    assert numbers(snip(talk.scope)) == [1, 2]


def test_the_reason_names_a_message_that_stands() -> None:
    """COMPACT-2, I10: of three readings the first two point to the third."""
    lines = [line for id in "123" for line in read(id, "a.py", f"{LONG}{id}")]
    proposals = snip(Talk([user("Read."), *lines, model("Fine, 3 of them."), *ENDING]).scope)
    assert numbers(proposals) == [2, 3, 4, 5]
    assert {proposal.why for proposal in proposals} == {"superseded by message 7"}


def test_a_failure_leaves_once_it_worked() -> None:
    """COMPACT-2: the same tool called anew right after it failed, perhaps several times."""
    failed = "Traceback (most recent call last):\n  File …\nFileNotFoundError: src/a.py\n" * 3
    talk = Talk(
        [
            user("Read a.py."),
            *read("1", "src/a.py", failed),
            *read("2", "lib/a.py", failed),
            *read("3", "app/a.py", LONG),
            model("It has 3 orders."),
            *ENDING,
        ]
    )
    proposals = snip(talk.scope)
    assert numbers(proposals) == [2, 3, 4, 5]
    assert {proposal.why for proposal in proposals} == {"superseded by message 7"}


@pytest.mark.parametrize(
    ("failed", "then", "retried"),
    [
        ({"cmd": "pytest tests/x.py"}, {"cmd": "pytest tests/x.py -v"}, True),
        ({"sql": "SELECT * FROM order"}, {"sql": "SELECT * FROM orders"}, True),
        ({"cmd": "pip install zlib"}, {"cmd": "cat build.log"}, False),
        ({"path": "app/core/a.py"}, {"path": "app/core/b.py"}, False),
        ({"path": "src/a.py"}, {"path": "src/core/a.py"}, True),
    ],
)
def test_only_a_new_attempt_at_the_same_supersedes_a_failure(
    failed: dict[str, str], then: dict[str, str], retried: bool
) -> None:
    """COMPACT-2: the same tool doing something else leaves the failure known."""
    lines = [
        calls(("1", "shell", failed)),
        result("1", f"Error: it did not work. {LONG}"),
        calls(("2", "shell", then)),
        result("2", LONG),
    ]
    talk = Talk([user("Try."), *lines, model("It is 3."), *ENDING])
    assert numbers(snip(talk.scope)) == ([2, 3] if retried else [])


def test_a_failure_supersedes_no_success() -> None:
    """COMPACT-2: a file that can't be read any more is still known from before."""
    talk = Talk(
        [
            user("Read a.py."),
            *read("1", "a.py", LONG),
            model("It has 3 orders."),
            user("And again."),
            *read("2", "a.py", "Error: no such file or directory"),
            model("It is gone since 4 pm."),
            *ENDING,
        ]
    )
    assert snip(talk.scope) == []


def test_an_exchange_that_says_more_stays() -> None:
    """COMPACT-2: findings beside a call are not lost with it."""
    finding = calls(("1", "ls", {}), text="The build is broken since Tuesday because of zlib 1.3.")
    talk = Talk(
        [
            user("Look."),
            *(finding, result("1", LONG)),
            *(calls(("2", "ls", {})), result("2", LONG)),
            model("Done with 2."),
            *ENDING,
        ]
    )
    assert snip(talk.scope) == []


def test_parallel_calls_leave_only_if_all_are_superseded() -> None:
    """COMPACT-2, I3: an exchange goes wholly or not at all."""
    both = calls(("1", "read", {"p": "a"}), ("2", "read", {"p": "b"}))
    again_a = [calls(("3", "read", {"p": "a"})), result("3", LONG)]
    again_b = [calls(("4", "read", {"p": "b"})), result("4", LONG)]
    begun = [user("Read."), both, result("2", LONG), result("1", LONG)]
    assert snip(Talk([*begun, *again_a, model("A is 1."), *ENDING]).scope) == []
    everything = Talk([*begun, *again_a, *again_b, model("B is 2."), *ENDING])
    assert numbers(snip(everything.scope)) == [2, 3, 4]


def test_a_pinned_result_keeps_its_exchange() -> None:
    """COMPACT-14, I3: word for word, and with its call."""
    lines = [user("Read."), *read("1", "a", LONG), *read("2", "a", LONG), model("Is 1."), *ENDING]
    assert numbers(snip(Talk(lines).scope)) == [2, 3]
    assert snip(Talk(lines, pinned=[3]).scope) == []


def test_a_call_without_its_result_stays() -> None:
    """I3: a call in flight, or one that was never answered, is not touched."""
    lines = [user("Read."), calls(("1", "read", {})), *ENDING]
    again = [calls(("2", "read", {})), result("2", LONG), model("Is 1."), *ENDING]
    assert snip(Talk([*lines, *again]).scope) == []


@pytest.mark.parametrize(
    "text",
    [
        "Error: no such table: orders", "bash: foo: command not found", '{"error": "not found"}',
        "ValueError: 3 is not a port", "FAILED: 2 tests", "make: *** [all] Error 2\nexit code: 2",
        "Process exited with code 137",
    ],
)  # fmt: skip
def test_a_failure_is_recognised(text: str) -> None:
    """COMPACT-2: by what tools and shells say."""
    assert looks_failed(text)


@pytest.mark.parametrize(
    "text",
    ["", "ok", "Error handling is described in chapter 3.", '{"error": null, "rows": []}', SOURCE,
     "exit code 0", "0 errors"],
)  # fmt: skip
def test_a_success_is_not_taken_for_a_failure(text: str) -> None:
    """COMPACT-2: a text about errors is none."""
    assert not looks_failed(text)


def test_an_announcement_is_only_that() -> None:
    """COMPACT-2: what is said before a call may leave with it if it only says so."""
    assert is_announcement("")
    assert is_announcement("Let me read the file.")
    assert is_announcement("I’ll check the logs now:")
    assert not is_announcement("I'll use port 8443.")
    assert not is_announcement("Let me use the old parser because the new one drops dates.")
    assert not is_announcement("The cause is the cache.")


# -- COMPACT-2: text that stands again


def test_text_said_again_leaves() -> None:
    """COMPACT-2: word for word, whatever the blanks; the receipt names where it is said again."""
    talk = Talk(
        [
            user("Remember: " + LONG),
            user("What now?"),
            model("I will count 12 parcels."),
            user("Remember:  " + LONG.replace(" ", "\n")),
            *ENDING,
        ]
    )
    assert [(p.number, p.why) for p in snip(talk.scope)] == [(1, "said again in message 4")]


def test_a_question_asked_again_keeps_its_first_answer() -> None:
    """COMPACT-2: the user's message stays as long as anything that was answered to it does."""
    asked = user("Where are the parcels? " + LONG)
    talk = Talk([asked, model("In Porto, 4,200 of them."), asked, model("In Faro, 7."), *ENDING])
    assert snip(talk.scope) == []
    same = Talk([asked, model("In Porto, 7."), asked, model("In Porto, 7."), *ENDING])
    assert numbers(snip(same.scope)) == [1, 2]


def test_text_is_not_left_out_for_what_does_not_stand() -> None:
    """COMPACT-2: the later one must itself stand in full, and be of the same speaker."""
    pasted = user(LONG * 12)
    talk = Talk([pasted, user("Wait."), pasted, *ENDING])
    edits = [
        edit.edit
        for edit in talk.scope.after(p for p in micro(talk.scope) if p.number == 3).standing
        if edit.edit
    ]
    assert numbers(snip(talk.scope)) == [1]
    talk.texts.update({edit.body: "short" for edit in edits if edit.body})
    assert snip(talk.scope_with(edits)) == []
    assert snip(Talk([user(LONG), model(LONG), *ENDING]).scope) == []


# -- COMPACT-3


def test_an_old_result_stands_as_a_digest() -> None:
    """COMPACT-3: with its kind, its names and its receipt; the newest stay as they are."""
    lines = [user("Read."), *read("1", "a", SOURCE[:3_000]), model("3 orders."), *ENDING]
    talk = Talk(lines)
    (proposal,) = micro(talk.scope)
    assert (proposal.number, proposal.cites) == (3, ("c1",))
    assert proposal.text is not None
    assert handles_in(proposal.text) == ["c1"]
    assert "3,000 characters" in proposal.text
    assert "Reads orders from the warehouse." in proposal.text
    assert "def read_order_1" in proposal.text
    assert originals([proposal], talk.texts) == {"c1": SOURCE[:3_000]}
    assert micro(Talk(lines, {"keep_recent_messages": 4}).scope) == []


def test_a_result_that_was_cut_before_keeps_its_item() -> None:
    """COMPACT-3, CONT-1: the same text is not stored twice."""
    talk = Talk([user("Read."), *read("1", "a", SOURCE), model("3 orders."), *ENDING])
    cut = cut_tool_results(talk.scope)
    (proposal,) = micro(talk.scope.after(cut))
    assert proposal.cites == cut[0].cites == ("c1",)
    assert proposal.items == ()
    assert proposal.text is not None
    assert handles_in(proposal.text) == ["c1"]


def test_a_small_result_stays() -> None:
    """COMPACT-3, I7: where a receipt would not be clearly shorter, the text says more."""
    talk = Talk([user("Run."), *read("1", "a", "3 passed in 0.21 s " * 12), model("Yes, 3.")])
    assert micro(talk.scope) == []


def test_what_is_asked_about_a_paste_stays() -> None:
    """COMPACT-3: the words around the pasted text stand word for word."""
    text = f"Why does this fail on Windows?\n\n{SOURCE[:4_000].strip()}\n\nKeep the format, please."
    talk = Talk([user(text), model("Because of newlines."), *ENDING])
    (proposal,) = micro(talk.scope)
    assert proposal.text is not None
    assert proposal.text.startswith("Why does this fail on Windows?\n\n[… pasted text, ")
    assert proposal.text.endswith("…]\n\nKeep the format, please.")
    assert proposal.items[0].type == "pasted_text"
    (original,) = originals([proposal], talk.texts).values()
    assert proposal.text.replace(proposal.text[32:-26], original) == text


@pytest.mark.parametrize(
    "text",
    [
        "Translate: " + "parcels to Porto " * 300,
        "x" * 5_000,
        "漢字" * 2_000,
        "\n" * 4_000 + "x\n" * 900,
    ],
)
def test_a_paste_of_any_form_leaves_its_ends(text: str) -> None:
    """COMPACT-3: one line, one word, or blank lines: something of both ends, all retrievable."""
    talk = Talk([user(text), model("Done with 4."), *ENDING])
    for proposal in micro(talk.scope):
        assert proposal.text is not None
        (original,) = originals([proposal], talk.texts).values()
        start = proposal.text.index("[…")
        end = proposal.text.index("…]") + 2
        assert proposal.text[:start] + original + proposal.text[end:] == text


def test_long_code_stands_as_a_digest_between_its_fences() -> None:
    """COMPACT-3: blocks over 40 lines, each for itself; the words around them stay."""
    long = "\n".join(f"value_{n} = compute({n})" for n in range(41))
    short = "\n".join(f"x{n} = {n}" for n in range(40))
    text = f"First:\n```python\n{long}\n```\nthen\n~~~\n{short}\n~~~\nand\n```js\n{long}\n```\nend"
    talk = Talk([user("Show."), model(text), *ENDING])
    (proposal,) = micro(talk.scope)
    assert proposal.text is not None
    assert proposal.text.startswith("First:\n```python\n[… python code, ")
    assert f"then\n~~~\n{short}\n~~~\nand\n```js\n[… js code, " in proposal.text
    assert proposal.text.endswith("…]\n```\nend")
    assert originals([proposal], talk.texts) == {"c1": long, "c2": long}


def test_nothing_that_must_stay_is_digested() -> None:
    """COMPACT-14: not the pinned, not the newest question, not the system's messages."""
    assert micro(Talk([user(LONG * 20), model("Is 1."), *ENDING], pinned=[1]).scope) == []
    work = [line for n in range(9) for line in read(str(n), f"{n}", "3 rows")]
    assert micro(Talk([user(LONG * 20), *work]).scope) == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[{"id": 1, "city": "Porto"}, {"id": 2}]', "JSON list of 2 entries: id, city"),
        ('{"name": "gateway", "port": 8443}', 'JSON object with 2 keys: name "gateway", port 8443'),
        ("id,city\n1,Porto\n2,Faro\n3,Lagos", "table, 4 lines, columns: id, city"),
        ("a.py:3:x\na.py:9:y\nb.py:1:z", "matches, 3 lines in 2 files: a.py (3 9), b.py (1)"),
        ("<title>Parcels</title><h1>Porto</h1>", "page, 1 line: Parcels; headings Porto (1)"),
        ("", "empty"),
        ("diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n-1\n+2", "diff, 5 lines: x.py"),
        ('{"id": 1, "name": "Ana", "city": "Por', "JSON, not complete: id, name"),
        ("a.py\nerrors.py\n", "text, 2 lines: “a.py”, a.py, errors.py"),
        ("on port 8443 in Porto", "text, 1 line: “on port 8443 in Porto”, 8443, Porto"),
        ("a\n" * 50 + "ValueError: port\n3 failed, 9 passed in 4 s", "“ValueError: port”"),
    ],
)  # fmt: skip
def test_a_digest_says_what_it_was(text: str, told: str) -> None:
    """CONT-5: kind, size, and the names by which one would look for it."""
    assert told in digest(text, "custom")


def test_a_thousand_messages_take_no_time() -> None:
    """COMPACT-1 to COMPACT-3: all stages over 1,000 messages, a fraction of a second."""
    lines = [
        line
        for n in range(250)
        for line in (
            user(f"What about order {n}? {LONG}"),
            *read(str(n), f"{n}.py", SOURCE[n : n + 2_000]),
            model(f"Order {n} goes to Porto. {LONG}"),
        )
    ]
    talk = Talk(lines)
    scope = talk.scope
    seconds = min(_seconds(scope) for _ in range(3))
    assert seconds < 3, "about 0.03 s on a quiet machine"


def _seconds(scope) -> float:  # type: ignore[no-untyped-def]
    start = perf_counter()
    for stage in (cut_tool_results, snip, micro):
        stage(scope)
    return perf_counter() - start
