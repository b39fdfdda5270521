"""What the engine does not keep of a structure: the classes of named tuples and of attrs, and the order of a dict's keys.

The engine knows tuples, and dicts sorted by their keys. A *form* is a structure with ``None`` for each leaf, made of what the user gave;
a dataset keeps that of its elements beside its plan, and gives and takes elements in it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["called", "called_with", "form_of", "plain", "shaped"]


def form_of(structure: Any) -> Any:
    """The form of a structure; ``None`` where it is one that the engine keeps anyway."""
    form = _template(structure)
    return form if _is_remarkable(form) else None


def shaped(form: Any, structure: Any) -> Any:
    """A structure of the engine's in the form it has for the user; as it is where that is another."""
    if form is None:
        return structure
    parts = _parts(form)
    if isinstance(form, dict):
        if not isinstance(structure, dict) or form.keys() != structure.keys():
            return structure
        return {key: shaped(form[key], structure[key]) for key in form}
    if parts is None or not isinstance(structure, tuple) or len(parts) != len(structure):
        return structure
    return _rebuilt(form, [shaped(part, item) for part, item in zip(parts, structure, strict=True)])


def plain(structure: Any) -> Any:
    """A structure with tuples in place of the classes of attrs, which the engine takes for leaves."""
    if isinstance(structure, dict):
        return {key: plain(part) for key, part in structure.items()}
    parts = _parts(structure)
    if parts is None:
        return structure
    if hasattr(type(structure), "__attrs_attrs__"):
        return tuple(plain(part) for part in parts)
    return _rebuilt(structure, [plain(part) for part in parts])


def called(form: Any, function: Callable[..., Any], element: Any) -> Any:
    """``function`` of one element: tuples come as several arguments, and named ones, as in tf.data, as one."""
    element = shaped(form, element)
    return function(*element) if type(element) is tuple else function(element)


def called_with(form: Any, function: Callable[..., Any], *parts: Any) -> Any:
    """As :func:`called`, where a tuple comes as several arguments already: in another process."""
    return plain(called(form, function, parts[0] if _parts(form) is None else parts))


def _template(structure: Any) -> Any:
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
    if isinstance(form, dict):
        return list(form) != sorted(form, key=str) or any(_is_remarkable(part) for part in form.values())
    parts = _parts(form)
    return parts is not None and (type(form) is not tuple or any(_is_remarkable(part) for part in parts))
