"""What a safetensors file says of itself, read without its arrays and without an engine."""

from __future__ import annotations

from pathlib import Path

from base.errors import UserError

FORMAT = "femnets surrogate 1"


def metadata_of(path: Path) -> dict[str, str]:
    """The texts in the header; a UserError where there is no readable one."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            return file.metadata() or {}
    except (SafetensorError, OSError) as error:
        first = (str(error).splitlines() or ["unreadable"])[0][:200]
        raise UserError(f"cannot read {path}: {first}; save the surrogate again") from None


def is_surrogate(path: Path) -> bool:
    """Whether a readable safetensors file says that it holds a surrogate."""
    try:
        return metadata_of(path).get("format", "").startswith("femnets surrogate")
    except UserError:
        return False
