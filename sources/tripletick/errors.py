"""Everything tripletick raises on purpose: what went wrong, why, and what to type.

TripletickError               exit 1
├── UsageError                exit 2    flags, agents and engines that do not exist
│   └── ConfigError           exit 2    config.ini, front matter or prompt files are wrong
├── WorkspaceError            exit 2    a folder that is refused as workspace
├── UserNeededError           exit 3    a question, an approval or a box is needed and no user is present
├── ServerUnreachableError    exit 4    nothing answers at the address
├── ModelError                exit 5    the model is missing, unreadable or unfit
├── ContextFullError          exit 6    the conversation does not fit the context
├── ServerFailedError         exit 7    the server cut, broke or garbled its answer, after one retry
│   └── StreamCutError        exit 7    an answer that ended before it was done; nothing of it may run
└── TimeLimitError            exit 124  --timeout was reached

What goes wrong inside a tool is never raised: it is a `Result`, because the model has to read it.
"""

from __future__ import annotations


class TripletickError(Exception):
    """Something the user can fix.

    `what` happened, `why`, and `remedy`: what to type. `code` names it in `-o json`.
    """

    exit = 1
    code = "failed"

    def __init__(self, what: str, why: str = "", remedy: str = "") -> None:
        super().__init__("\n".join(filter(None, (what, why, remedy))))
        self.what, self.why, self.remedy = what, why, remedy


class UsageError(TripletickError):
    """A flag, agent, engine or tag that does not exist."""

    exit = 2
    code = "usage"


class ConfigError(UsageError):
    """A setting, front matter or prompt file that cannot be used."""

    code = "config"


class WorkspaceError(TripletickError):
    """A folder in which no block may work."""

    exit = 2
    code = "workspace"


class UserNeededError(TripletickError):
    """A question, an approval or a box is needed, and no user is present."""

    exit = 3
    code = "person"


class ServerUnreachableError(TripletickError):
    """No server answers at the configured address."""

    exit = 4
    code = "server"


class ModelError(TripletickError):
    """The model is missing, unreadable or unfit."""

    exit = 5
    code = "model"


class ContextFullError(TripletickError):
    """The conversation does not fit; `needed` and `available` are tokens, 0 where unknown."""

    exit = 6
    code = "context"

    def __init__(
        self, what: str, why: str = "", remedy: str = "", *, needed: int = 0, available: int = 0
    ) -> None:
        super().__init__(what, why, remedy)
        self.needed, self.available = needed, available


class ServerFailedError(TripletickError):
    """The server failed: an error line, HTML, nothing at all."""

    exit = 7
    code = "server-failed"


class StreamCutError(ServerFailedError):
    """The answer ended before the server said that it was done."""

    code = "cut"


class TimeLimitError(TripletickError):
    """The whole task reached its time limit."""

    exit = 124
    code = "time"
