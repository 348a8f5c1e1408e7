"""What a pass keeps of itself, as JSON: every value of the vocabulary comes back exactly as it went in."""

from __future__ import annotations

import base64
import dataclasses
import json
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from enum import Enum
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from memgit.errors import Damaged
from memgit.model.decision import Decision, MinerReply
from memgit.model.passes import Inspection, Look, Plan, Round
from memgit.model.session import Digest, Message

T = TypeVar("T")


def dump_plan(plan: Plan) -> bytes:
    """The plan without its digests, which are kept beside it as ``prose.jsonl``."""
    return _json(plain(replace(plan, digests=())))


def load_plan(data: bytes, digests: Sequence[Digest] = ()) -> Plan:
    """The plan, with its digests put back. Raises Damaged."""
    plan: Plan = _loaded(data, lambda value: built(Plan, value))
    return replace(plan, digests=tuple(digests))


def dump_digests(digests: Iterable[Digest]) -> bytes:
    """One line per kept message, with the number of its batch."""
    lines = ({"batch": digest.number, **plain(message)} for digest in digests for message in digest.messages)
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def load_digests(data: bytes) -> tuple[Digest, ...]:
    """The digests, by batch number; a batch without messages is not among them. Raises Damaged."""
    batches: dict[int, list[Message]] = {}
    for line in filter(None, data.split(b"\n")):
        number, message = _loaded(line, lambda value: (int(value["batch"]), built(Message, value)))
        batches.setdefault(number, []).append(message)
    return tuple(Digest(number, tuple(messages)) for number, messages in sorted(batches.items()))


def dump_replies(replies: Iterable[MinerReply]) -> bytes:
    """What each miner answered."""
    return _json([plain(reply) for reply in replies])


def load_replies(data: bytes) -> tuple[MinerReply, ...]:
    """The miners' answers. Raises Damaged."""
    return _loaded(data, lambda value: built(tuple[MinerReply, ...], value))


def dump_decisions(decisions: Iterable[Decision]) -> bytes:
    """What the pass settled, with the bytes of every file it writes (as base64)."""
    return _json([plain(decision) for decision in decisions])


def load_decisions(data: bytes) -> tuple[Decision, ...]:
    """The decisions. Raises Damaged."""
    return _loaded(data, lambda value: built(tuple[Decision, ...], value))


def dump_round(last: Round) -> bytes:
    """What a host handed in last, and whether that was its last word."""
    return _json(plain(last))


def load_round(data: bytes) -> Round:
    """What a host handed in last. Raises Damaged."""
    found: Round = _loaded(data, lambda value: built(Round, value))
    return found


def dump_look(look: Look) -> bytes:
    """What memgit saw by itself before a host was asked."""
    return _json(plain(look))


def load_look(data: bytes) -> Look:
    """What memgit saw by itself. Raises Damaged."""
    found: Look = _loaded(data, lambda value: built(Look, value))
    return found


def dump_inspection(inspection: Inspection) -> bytes:
    """What a pass saw beside its decisions."""
    return _json(plain(inspection))


def load_inspection(data: bytes) -> Inspection:
    """What a pass saw. Raises Damaged."""
    found: Inspection = _loaded(data, lambda value: built(Inspection, value))
    return found


def plain(value: Any) -> Any:
    """A value of the vocabulary as JSON holds it. A member of a union carries its class name as ``is``."""
    match value:
        case Enum():
            return value.value
        case bytes():
            return base64.b64encode(value).decode()
        case datetime():
            return value.isoformat()
        case Mapping():
            return {plain(key): plain(entry) for key, entry in value.items()}
        case frozenset():
            return sorted(plain(entry) for entry in value)
        case tuple() | list():
            return [plain(entry) for entry in value]
        case _ if dataclasses.is_dataclass(value) and not isinstance(value, type):
            fields = {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
            return {"is": type(value).__name__, **fields}
        case _:
            return value


def built(kind: Any, value: Any) -> Any:
    """The value of type ``kind`` that ``plain`` made ``value`` of. Unknown fields are ignored."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return _one_of(arguments, value)
    if origin in (tuple, frozenset):
        return _collection(origin, arguments, value)
    if origin is not None and issubclass(origin, Mapping):
        return {built(arguments[0], key): built(arguments[1], entry) for key, entry in value.items()}
    return _single(kind, value)


def _single(kind: Any, value: Any) -> Any:
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        hints = _hints(kind)
        return kind(**{name: built(hint, value[name]) for name, hint in hints.items() if name in value})
    if kind is bytes:
        return base64.b64decode(value, validate=True)
    if kind is datetime:
        return datetime.fromisoformat(value)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(value)
    if not isinstance(value, kind):
        raise TypeError(f"{value!r:.40} is no {kind.__name__}")
    return value


def _one_of(kinds: tuple[Any, ...], value: Any) -> Any:
    if value is None and types.NoneType in kinds:
        return None
    candidates = [kind for kind in kinds if kind is not types.NoneType]
    if len(candidates) == 1:
        return built(candidates[0], value)
    return built(next(kind for kind in candidates if kind.__name__ == value["is"]), value)


def _collection(origin: Any, arguments: tuple[Any, ...], value: Any) -> Any:
    if origin is tuple and Ellipsis not in arguments:
        return tuple(built(kind, entry) for kind, entry in zip(arguments, value, strict=True))
    return origin(built(arguments[0], entry) for entry in value)


@cache
def _hints(kind: type) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in dataclasses.fields(kind)}


def _json(value: Any) -> bytes:
    return json.dumps(value, indent=1).encode() + b"\n"


def _loaded(data: bytes, build: Callable[[Any], T]) -> T:
    try:
        return build(json.loads(data))
    except (ValueError, TypeError, KeyError, AttributeError, StopIteration, RecursionError) as error:
        raise Damaged(
            f"A record of this pass cannot be read: {type(error).__name__}: {str(error)[:120]}.",
            "memgit recover looks for a sound copy; memgit discard puts the pass away.",
        ) from None
