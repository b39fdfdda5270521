"""What the engine does not keep of a structure: the classes of named tuples and of attrs, the order of a dict's keys and those that are no strings, and
``None``.

The engine knows tuples, and dicts sorted by their keys, which are strings, and nothing is nothing to it. A *form* is a structure made of what the
user gave, with ``None`` for each part that the engine keeps as it is, and :class:`Nothing` where the user has ``None``; a dataset keeps that of its
elements beside its plan, and gives and takes elements in it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._errors import SchemaError

__all__ = ["called", "called_with", "form_of", "form_with", "plain", "shaped"]


class Nothing:
    """In a form: here the user has ``None``, and the engine nothing. The class itself stands there, which processes know by its name."""


def form_of(structure: Any) -> Any:
    """The form of a structure; ``None`` where it is one that the engine keeps anyway."""
    return form_with(_template(structure))


def form_with(forms: Any) -> Any:
    """The form of a structure whose parts have these forms; ``None`` where it is one that the engine keeps anyway."""
    return forms if _is_remarkable(forms) else None


def shaped(form: Any, structure: Any) -> Any:
    """A structure of the engine's in the form it has for the user; as it is where that is another."""
    if form is None:
        return structure
    if isinstance(form, dict):
        there = {str(key) for key, part in form.items() if part is not Nothing}
        if not isinstance(structure, dict) or there != structure.keys():
            return structure
        return {key: None if part is Nothing else shaped(part, structure[str(key)]) for key, part in form.items()}
    parts = _parts(form)
    if parts is None or not isinstance(structure, tuple) or len(structure) != sum(part is not Nothing for part in parts):
        return structure
    items = iter(structure)
    return _rebuilt(form, [None if part is Nothing else shaped(part, next(items)) for part in parts])


def plain(structure: Any) -> Any:
    """A structure as the engine takes it: without what is ``None``, with strings as keys, and with tuples in place of the classes of attrs."""
    if isinstance(structure, dict):
        named = {str(key): plain(part) for key, part in structure.items() if part is not None}
        if len(named) < sum(part is not None for part in structure.values()):
            raise SchemaError(f"keys of a dict are the same as texts: {list(structure)}\nhint: give them other names")
        return named
    parts = _parts(structure)
    if parts is None:
        return structure
    there = [plain(part) for part in parts if part is not None]
    if hasattr(type(structure), "__attrs_attrs__") or len(there) < len(parts):
        return tuple(there)
    return _rebuilt(structure, there)


def called(form: Any, function: Callable[..., Any], element: Any) -> Any:
    """``function`` of one element: tuples come as several arguments, and named ones, as in tf.data, as one."""
    element = shaped(form, element)
    return function(*element) if type(element) is tuple else function(element)


def called_with(form: Any, function: Callable[..., Any], *parts: Any) -> Any:
    """As :func:`called`, where a tuple comes as several arguments already: in another process."""
    return plain(called(form, function, parts[0] if _parts(form) is None and len(parts) == 1 else parts))


def _template(structure: Any) -> Any:
    if structure is None:
        return Nothing
    if isinstance(structure, dict):
        return {key: _template(part) for key, part in structure.items()}
    parts = _parts(structure)
    return None if parts is None else _rebuilt(structure, [_template(part) for part in parts])


def _parts(structure: Any) -> list[Any] | None:
    if isinstance(structure, tuple):
        return list(structure)
    fields = getattr(type(structure), "__attrs_attrs__", None)
    return None if fields is None else [getattr(structure, field.name) for field in fields]


def _rebuilt(like: Any, parts: list[Any]) -> Any:
    if hasattr(like, "_fields") or not isinstance(like, tuple):
        return type(like)(*parts)
    return tuple(parts)


def _is_remarkable(form: Any) -> bool:
    if form is Nothing:
        return True
    if isinstance(form, dict):
        names = [str(key) for key in form]
        return list(form) != sorted(names) or any(_is_remarkable(part) for part in form.values())
    parts = _parts(form)
    return parts is not None and (type(form) is not tuple or any(_is_remarkable(part) for part in parts))
