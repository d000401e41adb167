"""What the HTTP library logs, in the measure of this house."""

import logging
from typing import Any

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

_OF_THE_CLIENT = (HttpProcessingError, web.RequestPayloadError, ConnectionError)


class HttpLog(logging.LoggerAdapter[logging.Logger]):
    """A logger for aiohttp. What a client sent wrongly is one line without its text; a defect keeps its traceback.

    Anybody on this machine can send what is no HTTP, and a request's text may hold a cookie.
    """

    def __init__(self) -> None:
        super().__init__(logging.getLogger("hd.server.http"))

    def exception(self, msg: object, *args: object, exc_info: Any = True, **more: Any) -> None:
        if isinstance(exc_info, _OF_THE_CLIENT):
            self.info("a request could not be read (%s)", type(exc_info).__name__)
        else:
            super().exception(msg, *args, exc_info=exc_info, **more)
