"""GOAL-8: the @commands about goals, tasks, notes, values, preferences and steps."""

import pytest

from app.chat.conversation import Conversation
from app.chat.report import memory_report
from tests.support.commanding import reported

pytestmark = pytest.mark.asyncio(loop_scope="session")

SCRIPT = """
@goal                             | No goal is set. @goal TEXT sets one.
@task                             | There are no tasks. @task add TEXT adds one.
@note                             | Nothing is noted. @note TEXT notes it.
@value                            | No value is set. @value NAME=VALUE sets one.
@step                             | No step was taken yet.
@preference                       | Nothing is kept. @preference NAME TEXT keeps what you prefer,
@goal done                        | No goal is set. @goal TEXT sets one.
@goal set                         | Write it after the command: @goal set TEXT.
@goal Count the doors             | Goal g1 is set: Count the doors
@goal set Count the doors         | That is the goal already (g1).
@goal edit Count all doors        | Goal g1 now is: Count all doors
@goal edit                        | Write it after the command: @goal edit TEXT.
@task add Count floor 1           | Task t1 is added: Count floor 1
@task Count floor 2 after t1      | Task t2 is added after t1: Count floor 2
@task add Sum up after t1, t2     | Task t3 is added after t1, t2: Sum up
@task add Meet after lunch        | Task t4 is added: Meet after lunch
@task add                         | Write what is to be done.
@task add x after t9              | There is no task t9.
@task after t1 t3                 | Tasks would wait for each other: t1 → t3 → t1.
@task after t1 now                | Write what it waits for: @task after t1 t2,
@task start t2                    | Task t2 waits for t1.
@task start                       | Say which task, by its id: @task start t1.
@task strat t1                    | There is no strat for a task. @task add TEXT
@task start t1                    | Task t1 is running.
@task progress t1 50%             | Task t1 is at 50%.
@task progress t1 0.25            | Task t1 is at 25%.
@task progress t1 1               | Task t1 is at 100%.
@task progress t1 much            | Write how far it is: @task progress t1 50%.
@task progress t1 400%            | Progress is a share from 0 to 1,
@task t1                          | t1  running
@task done t1                     | Task t1 is done. Ready now: t2.
@task fail t2 No plan of it       | Task t2 failed: No plan of it
@task reopen t2                   | Task t2 is open again.
@task edit t4 Meet Ada            | Task t4 now is: Meet Ada
@task remove t4                   | Task t4 is removed.
@task after t3 none               | Task t3 waits for nothing.
@task remove t9                   | There is no task t9.
@note Three floors                | Noted as n1.
@note Three floors                | That is noted already (n1).
@note edit n1 Four floors         | Note n1 now is: Four floors
@note                             | n1  Four floors
@note remove n1                   | Note n1 is removed.
@note remove n1                   | There is no note n1.
@value doors=12                   | doors is 12 (count).
@value doors = 13                 | doors is 13 (count).
@value done=no                    | done is false (flag).
@value doors                      | doors (count) = 13
@value count=3                    | count is 3.
@value count                      | count = 3
@value none                       | There is no value none.
@value a b=1                      | There is no value a b=1.
@value remove done                | done is removed.
@value                            | doors (count) = 13
@step validation The sum holds    | Noted as step s1 (validation).
@step Think                       | Noted as step s2 (reasoning).
@step                             | s1  validation      The sum holds
@preference tone warm and dry     | Kept for all sessions of this agent: tone is warm and dry.
@preference tone                  | tone  warm and dry
@preference nothing               | Write it after the name: @preference nothing TEXT.
@preference remove tone           | tone is removed, in all sessions of this agent.
@goal Paint the doors             | Goal g2 is set: Paint the doors (Goal g1 is completed and
@goal                             | g2  active  Paint the doors
@goal show g1                     | g1  replaced  Count all doors
@goal show g9                     | No archived goal is called g9.
@goal reopen g1                   | Goal g1 is active again: Count all doors (Goal g2 is completed
@goal fail It rains               | Goal g1 failed and is archived: no tool calls, 1 of 3 tasks
@goal                             | No goal is set. @goal TEXT sets one.
@goal remove g1                   | Goal g1 is removed.
@goal remove g1                   | There is no goal g1.
@goal done the garden             | Goal g3 is set: done the garden
@goal clear                       | Goal g3 is removed.
@goal fail                        | No goal is set.
""".strip().splitlines()


async def test_each_command_says_what_happened(conversation: Conversation) -> None:
    """GOAL-8: in a line, whether it did something, had nothing to do, or could not."""
    for line in SCRIPT:
        text, _, expected = (part.strip() for part in line.partition("|"))
        answer = await reported(conversation, text)
        assert answer.startswith(expected), (text, answer)


async def test_without_a_goal_the_list_says_so_first(conversation: Conversation) -> None:
    """GOAL-8: then come those that have ended."""
    await reported(conversation, "@goal Count the doors")
    await reported(conversation, "@goal done")
    said, ended = (await reported(conversation, "@goal")).splitlines()
    assert said == "No goal is set. @goal TEXT sets one."
    assert ended == "g1  completed  Count the doors"


async def test_what_is_written_is_shown_as_it_is(conversation: Conversation) -> None:
    """ALL-8: no terminal obeys a goal or a task, and no list is broken by one."""
    await reported(conversation, "@goal one\ntwo \x1b[31mred\u202e")
    await reported(conversation, "@task add three\nfour \x1b]0;x\x07")
    assert await reported(conversation, "@goal") == "g1  active  one two red\\u202e"
    assert await reported(conversation, "@task") == "t1  ready         three four"


async def test_the_report_tells_of_goals(conversation: Conversation) -> None:
    """VIEW-6, GOAL-5: goals, tasks, calls, caps and how near they are."""
    memory = conversation.memory
    await reported(conversation, "@goal Count the doors")
    await reported(conversation, "@task add Floor 1")
    await memory.execution.ran(tool="read_file", arguments="{}", result="x", ok=False, error="X")
    await reported(conversation, "@goal Paint them")
    report = memory_report(memory.snapshot(), [])
    for words in (
        "Goal g2: Paint them",
        "Earlier goals: 1 completed, 0 failed",
        "g1 replaced: Count the doors, 1 tool call, 0% went well",
        "of 12,000 tokens",
        "Tools: 1 call, 1 failed · read_file 1",
    ):
        assert words in report
