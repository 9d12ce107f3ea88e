"""Errors as codes with parameters; the sentence that a user reads is made from the catalogues."""


class TableError(Exception):
    """Anything that a user has to be told.

    `code` names the text `error.<code>` in the catalogues of `controller/i18n`; `params` fill its holes
    and are plain strings or integers.
    """

    def __init__(self, code: str, **params: str | int) -> None:
        """Keep the code and its parameters; no sentence is built here."""
        super().__init__(code, params)
        self.code = code
        self.params = params

    @property
    def where(self) -> str:
        """Place for a person to look at, such as a file and its line; "" where there is none."""
        return ""

    def __str__(self) -> str:
        """Code and parameters, for logs and test output."""
        inner = ", ".join(f"{key}={value}" for key, value in self.params.items())
        return f"{self.code}({inner})"


class DeviceError(TableError):
    """A device could not be opened or was lost; `params` always carries `port` or `name`."""


class JournalError(TableError):
    """The journal cannot be read or written; nothing may be shown until it can."""


class ConfigError(TableError):
    """A configuration, rule file, model or feed is wrong; the program says which and stops."""
