"""What can go wrong with an embedded model, told in plain words."""

from memory.errors import StrataError


class UnknownModel(StrataError):
    """No model of the catalogue has this name."""


class ModelMissing(StrataError):
    """The model is in the catalogue, but not on this machine."""


class ModelDamaged(StrataError):
    """The model's file differs from what it should be."""


class ModelFileUnreadable(StrataError):
    """A model file named by the user is missing, unreadable or not usable for chat."""


class ModelTooLarge(StrataError):
    """The model needs more memory than is available."""


class HostFailed(StrataError):
    """The model host did not start, or did not answer."""


class InstallFailed(StrataError):
    """An installation stopped; what was fetched is kept where it can be used again."""


class InstallRunning(InstallFailed):
    """Another process installs the same model right now."""


class NoSpace(InstallFailed):
    """The disk has too little room for the model."""


class NotReachable(InstallFailed):
    """No source of the model could be reached."""
