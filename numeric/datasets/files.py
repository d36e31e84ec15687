"""Files of data, compressed or not: read line by line where they have lines, and by their schema.

A file that ends in .gz is decompressed as it is read. What does not fit is one :class:`FileError`
that names the file, the entry, the field, and what was needed there.
"""

import gzip
import io
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import TypeVar

import msgspec

from attnproof.symbolic.errors import FileError

T = TypeVar("T")


@contextmanager
def opened(path: str) -> Iterator[io.BufferedIOBase]:
    """The bytes of a file; errors of reading it name it, also those within the block."""
    try:
        opening = gzip.GzipFile if path.endswith(".gz") else io.FileIO
        with opening(path) as raw, io.BufferedReader(raw) as stream:
            yield stream
    except FileNotFoundError:
        raise FileError(f"{path} does not exist; name a file that is there", path=path) from None
    except IsADirectoryError:
        raise FileError(f"{path} is a folder; name a file in it", path=path) from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise FileError(
            f"{path} is no whole gzip file ({error}); copy it again, or decompress it and name "
            "the result",
            path=path,
        ) from None
    except ValueError as error:
        if "null" not in str(error):
            raise
        raise FileError(f"{path!r} is no name of a file; give one", path=path) from None
    except OSError as error:
        raise FileError(
            f"{path} cannot be read ({error.strerror}); name a file that you may read", path=path
        ) from None


def lines(path: str) -> Generator[str, None, None]:
    """The lines of a file in UTF-8, without their ends, one at a time."""
    with opened(path) as stream:
        for number, line in enumerate(stream, 1):
            try:
                yield line.decode("utf-8").rstrip("\r\n")
            except UnicodeDecodeError as error:
                raise malformed(path, f"line {number}", f"is no UTF-8 ({error.reason})") from None


def document(path: str, schema: type[T]) -> T:
    """A JSON document by its schema.

    Raises :class:`FileError` with the place of what does not fit, as in ``$.data[0].title``.
    """
    with opened(path) as stream:
        return decoded(path, stream.read(), schema)


def decoded(path: str, content: bytes | msgspec.Raw, schema: type[T], entry: str = "") -> T:
    """A part of a JSON document by its schema; ``entry`` says which part."""
    try:
        return msgspec.json.decode(content, type=schema)
    except msgspec.ValidationError as error:
        raise malformed(path, entry, _lower(str(error))) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise malformed(path, entry, f"is no JSON ({_lower(str(error))})") from None


def malformed(path: str, entry: str, what: str) -> FileError:
    """The error of an entry of a file.

    >>> str(malformed("dev.json", "question 7", "has no answer_start"))
    'dev.json: question 7: has no answer_start'
    """
    return FileError(": ".join(filter(None, (path, entry, what))), path=path, entry=entry)


def _lower(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]
