"""Plays a conversation on the stage, and lets whoever watches pause, slow down and end it."""

from typing import TYPE_CHECKING

from app.lab.captions import caption_of, caption_of_progress
from app.lab.play import Play
from app.lab.played import Played, played
from app.lab.scenes import COMMAND_S, Scene, count_messages, reading_s
from app.screens.stage import KEYS, Stage
from memory.events import Event, Message, Recorded
from memory.snapshot import CompactionProgress
from memory.upkeep import Notice
from widgets.hint_line import Key
from widgets.player_line import PlayerLine, PlayerView, Wanted

if TYPE_CHECKING:
    from app.screens.talk import Talk

PLAYING: tuple[Key, ...] = (
    ("space", "pause"),
    ("←→", "slower, faster"),
    ("esc", "end"),
    ("chat.prompt", "prompt"),
    ("chat.timeline", "timeline"),
    ("chat.travel", "past"),
    ("chat.plot", "plot"),
    ("app.quit", "quit"),
)
OVER = (
    "That was all of it. Look around: F2 prompt, F3 compactions, F4 past, F5 plot; Ctrl+Q leaves."
)
ENDED = "Ended here. Look around: F2 prompt, F3 compactions, F4 past, F5 plot; Ctrl+Q leaves."
READING = "The recorded conversation goes on"


class Player:
    """Plays one conversation.

    Args:
        stage: Where it is shown.
        talk: Shows what is said.
        conversation: Whose memory takes it in.
        play: What is played.
    """

    def __init__(self, stage: Stage, talk: "Talk", conversation: Played, play: Play) -> None:
        self._stage = stage
        self._talk = talk
        self._conversation = conversation
        self._pace = conversation.pace
        self._pace.speed = play.speed
        self._pace.held = stage.house.is_covered
        self._play = play
        self._line = PlayerLine(self._wanted)
        self._caption = READING
        self._said = 0

    async def run(self) -> None:
        """Plays to the end, or until that is wanted; the conversation stays open."""
        memory = self._conversation.memory
        self._stage.house.show_player(self._line)
        self._stage.hints.show(keys=PLAYING)
        memory.listen(self._recorded)
        memory.watch_compaction(self._compacting)
        self._tell()
        if self._play.note:
            self._stage.notice(self._play.note, "note")
        try:
            await self._conversation.ready()
            for scene in self._play.scenes:
                await self._show(scene)
                if self._pace.ended:
                    break
        finally:
            self._stage.house.put_away_player(self._line)
            self._stage.hints.show(keys=KEYS)
        whole = self._said >= count_messages(self._play.scenes)
        self._stage.notice(OVER if whole else ENDED, "note")
        self._stage.transcript.go_to_end()

    async def _show(self, scene: Scene) -> None:
        if scene.tell:
            self._say(scene.tell)
            await self._pace.wait(reading_s(scene.tell))
        if scene.command:
            await self._talk.command(scene.command)
            await self._pace.wait(COMMAND_S)
            return
        memory = self._conversation.memory
        await self._talk.show_turn(played(memory, scene, self._pace, asks=self._play.asks))

    def _wanted(self, wanted: Wanted) -> None:
        match wanted:
            case "pause":
                self._pace.toggle()
            case "slower":
                self._pace.change(-1)
            case "faster":
                self._pace.change(1)
            case "end":
                self._pace.end()
        self._tell()

    def _recorded(self, recorded: Recorded) -> None:
        event: Event = recorded.event
        if isinstance(event, Message):
            self._said += 1
            self._tell()
        elif caption := caption_of(event):
            self._say(caption)

    def _compacting(self, notice: Notice) -> None:
        if isinstance(notice, CompactionProgress):
            self._say(caption_of_progress(notice))

    def _say(self, caption: str) -> None:
        self._caption = caption
        self._tell()

    def _tell(self) -> None:
        messages = count_messages(self._play.scenes)
        pace = self._pace
        self._line.show(PlayerView(self._said, messages, pace.speed, pace.paused, self._caption))
