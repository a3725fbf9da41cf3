"""What file tools have at hand in tests: a real folder and the settings, and nothing else."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, cast

from app.schema import ToolsSettings
from app.tools.files import FILE_TOOLS
from memory.memory import Memory
from tests.tools.quiet_desk import QuietDesk


@dataclass
class FileDesk(QuietDesk):
    """File tools ask nobody and show nothing while they run."""

    TOOLS: ClassVar = {tool.name: tool for tool in FILE_TOOLS}

    workspace: Path
    settings: ToolsSettings = field(default_factory=ToolsSettings)

    @property
    def memory(self) -> Memory:
        """No file tool looks into the session."""
        return cast("Memory", None)
