"""What a tool may do only with the user's leave is asked word for word (CHAT-10, ALL-8)."""

import asyncio

import pytest
from textual.events import Paste

from tests.tui.calls import Turn, called
from tests.tui.conftest import Chat, OpenChat
from widgets import permit
from widgets.permit import Permit
from widgets.plain import to_the_letter

pytestmark = pytest.mark.asyncio(loop_scope="session")

COMMAND = "rm -rf build && make all"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("ls -l", "ls -l"),
        ("a\nb", "a\nb"),
        ("a\rb", r"a\rb"),
        ("a\tb", r"a\tb"),
        ("\x1b[2K\x1b[1Gls", r"\x1b[2K\x1b[1Gls"),
        ("\x1b]8;;http://x\x07ls", r"\x1b]8;;http://x\x07ls"),
        ("rm \u202e txt.exe", r"rm \u202e txt.exe"),
        ("a\u2066b\u2069", r"a\u2066b\u2069"),
        ("l\u200bs", r"l\u200bs"),
        ("l\u00ads", r"l\xads"),
        ("ls\u00a0-l", r"ls\xa0-l"),
        ("ls\u2003-l", r"ls\u2003-l"),
        ("ls\u2028rm", r"ls\u2028rm"),
        ("x\u3164y\u115fz", r"x\u3164y\u115fz"),
        ("x\ufe0fy", r"x\ufe0fy"),
        ("x\U000e0041y", r"x\U000e0041y"),
        ("x\ud800y", r"x\ud800y"),
        ("\x00\x7f\x9b", r"\x00\x7f\x9b"),
        ("日本 é [bold]", "日本 é [bold]"),
    ],
)
async def test_nothing_of_a_command_is_hidden(text: str, shown: str) -> None:
    """ALL-8: what can't be seen stands there as an escape; nothing is left out."""
    assert "".join(part for part, _ in to_the_letter(text)) == shown


async def begun(chat: Chat, *calls: str) -> Turn:
    """A turn with calls that run."""
    await chat.ready()
    turn = Turn.begin(chat)
    turn.asks()
    made = calls or ("t1",)
    turn.says("", *[called(call, command=COMMAND) for call in made])
    for call in made:
        turn.calls(call, "run_command", command=COMMAND)
    return turn


def shown(chat: Chat) -> list[Permit]:
    return list(chat.app.screen.query(Permit))


async def asked(chat: Chat) -> Permit:
    """Waits until a question is there and takes keys."""
    await chat.until(lambda: shown(chat) and shown(chat)[-1].is_mounted)
    await chat.pilot.pause(permit.GUARD_SECONDS + 0.05)
    return shown(chat)[-1]


def text_of(chat: Chat) -> str:
    from tests.support.pictures import cells, drawn, words

    return words(cells(drawn(chat.app)))


@pytest.mark.parametrize(
    ("keys", "verdict"),
    [
        (["n"], "no"),
        (["o"], "once"),
        (["a"], "always"),
        (["enter"], "no"),
        (["escape"], "no"),
        (["right", "enter"], "once"),
        (["right", "right", "right", "enter"], "always"),
        (["right", "left", "left", "enter"], "no"),
    ],
)
async def test_each_answer_has_its_key(open_chat: OpenChat, keys: list[str], verdict: str) -> None:
    """CHAT-10: no stands first, is chosen, and is what Escape means."""
    async with open_chat() as chat:
        turn = await begun(chat)
        answer = turn.wants("t1", COMMAND)
        await asked(chat)
        assert chat.state == "waiting for you"
        assert "? waits for your answer" in "\n".join(chat.seen)
        seen = text_of(chat)
        assert COMMAND in seen
        assert "in /home/me/flats" in seen
        assert "Run this command?" in seen
        await chat.press(*keys)
        await chat.until(answer.done)
        assert answer.result() == verdict
        await chat.until(lambda: not shown(chat))
        await chat.until(lambda: chat.composer.has_focus)
        assert chat.composer.text == ""
        turn.view.close()


async def test_it_can_be_clicked(open_chat: OpenChat) -> None:
    """CHAT-7: the mouse answers as the keys do."""
    async with open_chat() as chat:
        turn = await begun(chat)
        answer = turn.wants("t1", COMMAND)
        panel = await asked(chat)
        await chat.pilot.click(panel.query(".answer")[2])
        await chat.until(answer.done)
        assert answer.result() == "always"
        turn.view.close()


async def test_typing_ahead_answers_nothing(open_chat: OpenChat) -> None:
    """CHAT-10: what is typed as the question comes is text, and goes where it was meant to go."""
    async with open_chat() as chat:
        turn = await begun(chat)
        answer = turn.wants("t1", COMMAND)
        await chat.until(lambda: shown(chat) and shown(chat)[-1].has_focus)
        await chat.press("enter", *"only now and always")
        chat.app.post_message(Paste("no\u202e\x1b[2J"))
        await chat.pilot.pause()
        assert not answer.done()
        assert chat.composer.text == "only now and alwaysno\\u202e"
        await asked(chat)
        await chat.press("f6", "o")
        await chat.until(answer.done)
        assert answer.result() == "once"
        turn.view.close()


async def test_a_text_that_is_begun_takes_all_letters(open_chat: OpenChat) -> None:
    """CHAT-10: after a pause in the middle of a sentence its next letter answers nothing."""
    async with open_chat() as chat:
        turn = await begun(chat)
        answer = turn.wants("t1", COMMAND)
        await asked(chat)
        await chat.press(*"I would say n")
        await asked(chat)
        assert "F6 answers it" in text_of(chat)
        await chat.press(*"o thanks")
        await asked(chat)
        await chat.press(*"a")
        assert chat.composer.text == "I would say no thanksa"
        await chat.press("backspace", "left", *"o", "home", *"n")
        assert chat.composer.text == "nI would say no thankos"
        await chat.press("end", "ctrl+u")
        assert chat.composer.text == ""
        # The text may be gone again; whoever writes goes on writing all the same.
        await asked(chat)
        await chat.press("o")
        assert chat.composer.text == "o"
        assert not answer.done()
        await chat.press("f6", "a")
        await chat.until(answer.done)
        assert answer.result() == "always"
        turn.view.close()


async def test_who_goes_to_the_question_may_go_on_writing(open_chat: OpenChat) -> None:
    """CHAT-10: from a question that was gone to, too, a letter that is no answer begins a text."""
    async with open_chat() as chat:
        turn = await begun(chat)
        answer = turn.wants("t1", COMMAND)
        await asked(chat)
        await chat.press("x", "f6", "b")
        await asked(chat)
        await chat.press(*"onn")
        assert not answer.done()
        assert chat.composer.text == "xbonn"
        await chat.press("f6", "n")
        await chat.until(answer.done)
        assert answer.result() == "no"
        turn.view.close()


async def test_a_letter_on_its_way_as_the_question_comes_is_text(open_chat: OpenChat) -> None:
    """CHAT-10: the question takes no keys where a text was begun before it stood there."""
    async with open_chat() as chat:
        turn = await begun(chat)
        answer = turn.wants("t1", COMMAND)
        chat.composer.take("I")
        await asked(chat)
        assert chat.composer.has_focus
        await chat.press(*"on")
        assert chat.composer.text == "Ion"
        assert not answer.done()
        turn.view.close()


async def test_a_letter_that_came_just_after_the_question_is_text(open_chat: OpenChat) -> None:
    """CHAT-10: a text that came into the composer once the question had the keys goes on."""
    async with open_chat() as chat:
        turn = await begun(chat)
        answer = turn.wants("t1", COMMAND)
        panel = await asked(chat)
        assert panel.has_focus
        chat.composer.take("I")
        await chat.press(*"on")
        assert chat.composer.text == "Ion"
        assert not answer.done()
        turn.view.close()


async def test_who_is_writing_goes_on_writing(open_chat: OpenChat) -> None:
    """CHAT-10: with a text in the composer the question waits for F6; the text stays."""
    async with open_chat() as chat:
        await chat.ready()
        await chat.write("Half a sentence")
        turn = await begun(chat)
        answer = turn.wants("t1", COMMAND)
        await asked(chat)
        assert chat.composer.has_focus
        assert "F6 answers it" in text_of(chat)
        await chat.press(*" on a")
        # Who goes to the question has seen it.
        await chat.press("f6", "o")
        await chat.until(answer.done)
        assert chat.composer.text == "Half a sentence on a"
        assert chat.composer.has_focus
        turn.view.close()


async def test_questions_come_one_after_the_other(open_chat: OpenChat) -> None:
    """CHAT-10: each is answered by itself, in the order they came."""
    async with open_chat() as chat:
        turn = await begun(chat, "t1", "t2", "t3")
        answers = [turn.wants(f"t{number}", f"make {number}") for number in (1, 2, 3)]
        await asked(chat)
        assert "make 1" in text_of(chat)
        assert "2 more after this" in text_of(chat)
        for number, key in enumerate("ona"):
            panel = await asked(chat)
            assert panel.asked.subject == f"make {number + 1}"
            await chat.press(key)
            await chat.until(answers[number].done)
        assert [answer.result() for answer in answers] == ["once", "no", "always"]
        await chat.until(lambda: not shown(chat))
        turn.view.close()


async def test_a_question_that_nobody_waits_for_goes(open_chat: OpenChat) -> None:
    """CHAT-10: when the call is stopped its question is withdrawn, asked or still waiting."""
    async with open_chat() as chat:
        turn = await begun(chat, "t1", "t2", "t3")
        first, second, third = (turn.wants(f"t{number}", f"make {number}") for number in (1, 2, 3))
        await asked(chat)
        second.cancel()
        first.cancel()
        await chat.until(lambda: [panel.asked.subject for panel in shown(chat)] == ["make 3"])
        turn.view.close()
        await chat.until(lambda: not shown(chat))
        assert third.result() == "no"
        assert chat.composer.has_focus


async def test_other_keys_hold_while_it_is_asked(open_chat: OpenChat) -> None:
    """CHAT-10: the conversation scrolls, other screens open, Ctrl+Q leaves."""
    async with open_chat() as chat:
        turn = await begun(chat)
        answer = turn.wants("t1", COMMAND)
        await asked(chat)
        await chat.press("f1")
        await chat.until(lambda: len(chat.app.screen_stack) == 2)
        await chat.press("escape")
        await chat.until(lambda: len(chat.app.screen_stack) == 1)
        assert not answer.done()
        assert shown(chat)[0].has_focus
        await chat.press("ctrl+q")
        await chat.until(lambda: chat.app._exit)
        assert not answer.done()


@pytest.mark.parametrize("size", [(20, 5), (30, 12), (80, 24), (200, 60)])
async def test_a_long_command_can_be_read(open_chat: OpenChat, size: tuple[int, int]) -> None:
    """CHAT-10, ALL-8: however long and wide it is, in any terminal; none of it is markup."""
    command = "\n".join(f"echo '[bold]{number} 日本[/] [/]'" for number in range(100))
    async with open_chat(size=size) as chat:
        turn = await begun(chat)
        answer = turn.wants("t1", command + "\u202e\nrm -rf /")
        panel = await asked(chat)
        for _ in range(300):
            panel.action_scroll_by(1)
        await chat.pilot.pause()
        box = panel._box
        assert box.scroll_offset.y == box.max_scroll_y > 0
        if size[1] >= 12:
            assert "rm -rf /" in text_of(chat)
            assert "\\u202e" in text_of(chat)
        for other in ((3, 2), (120, 40), size):
            await chat.pilot.resize_terminal(*other)
            await chat.pilot.pause()
        await chat.press("n")
        await asyncio.wait_for(answer, 60)
        turn.view.close()


@pytest.mark.parametrize("size", [(20, 5), (30, 12), (60, 15), (80, 16), (80, 24), (200, 60)])
async def test_the_answers_are_always_in_sight(open_chat: OpenChat, size: tuple[int, int]) -> None:
    """CHAT-10: however long the command, what can be answered is seen, after a resize as well."""
    async with open_chat(size=(120, 40)) as chat:
        turn = await begun(chat)
        turn.wants("t1", "echo 'a long line of a command' ;\n" * 60)
        await asked(chat)
        await chat.pilot.resize_terminal(*size)
        answers = {"No", "Once", "Always"}
        await chat.until(
            lambda: any(answers <= set(row.split()) for row in text_of(chat).split("\n"))
        )
        turn.view.close()


async def test_a_question_waits_below_another_screen(open_chat: OpenChat) -> None:
    """CHAT-10: it takes no key from a screen that lies over the chat."""
    async with open_chat() as chat:
        turn = await begun(chat)
        await chat.press("f1")
        await chat.until(lambda: len(chat.app.screen_stack) == 2)
        answer = turn.wants("t1", COMMAND)
        await chat.pilot.pause(permit.GUARD_SECONDS + 0.1)
        await chat.press("o", "a")
        assert not answer.done()
        await chat.press("escape")
        await chat.until(lambda: len(chat.app.screen_stack) == 1)
        panel = await asked(chat)
        assert panel.has_focus
        await chat.press("n")
        await chat.until(answer.done)
        turn.view.close()


async def test_a_question_that_comes_and_goes_at_once_leaves_nothing(open_chat: OpenChat) -> None:
    """CHAT-10: withdrawn before it was drawn."""
    async with open_chat() as chat:
        turn = await begun(chat)
        for number in range(5):
            turn.wants("t1", f"make {number}").cancel()
        await chat.pilot.pause()
        await chat.until(lambda: not shown(chat))
        await chat.until(lambda: chat.composer.has_focus)
        await chat.press("x")
        assert chat.composer.text == "x"
        turn.view.close()
