"""SIGKILL right after the model host has published its address."""

import os
from pathlib import Path

import pytest

from app.host import launch
from app.host.client import HostClient
from app.host.errors import HostFailed
from app.host.store import ModelStore
from tests.host.conftest import end_hosts


async def test_a_host_killed_once_it_is_known(
    tmp_path: Path, models_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """STORE-2, CHAT-3: a dead host's address misleads nobody; the next start gets a living one."""
    light = ModelStore(models_dir).resolve("light")
    original = launch._command

    def killed(plan: launch._Plan) -> list[str]:
        command = original(plan)
        place = command.index("app.host.server")
        return [*command[:place], "tests.kill.killer", "rename", "1", *command[place:]]

    try:
        with monkeypatch.context() as patch:
            patch.setattr(launch, "_command", killed)
            with pytest.raises(HostFailed):
                await HostClient.ensure(tmp_path, light, context_tokens=512)
        published = list((tmp_path / "host").glob("*.json"))
        assert published, "it was killed before it published its address"

        address = await HostClient.ensure(tmp_path, light, context_tokens=512)

        os.kill(address.pid, 0)
        client = HostClient(address)
        assert await client.tokenize(["Hello"]) == [1]
        await client.close()
    finally:
        end_hosts(tmp_path)
