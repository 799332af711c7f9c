"""Surrogates on disk: one safetensors file, arrays with the plan in its header. No pickle.

Kept are the basis, u₁ and the reduced system, or the pairs (t, a) of a fit, which is repeated when
the file is read; nets as documents of `nets.storage`. The tables of the p-version are made again.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np

from base.errors import UserError
from bench.methods.surrogates import nets
from bench.methods.surrogates.file_header import FORMAT, metadata_of
from bench.methods.surrogates.interpolation import Interpolation
from bench.methods.surrogates.making import INTRUSIVE, ON_SPACE, regressed
from bench.methods.surrogates.plan import Plan
from bench.methods.surrogates.reduced_basis import Basis, Galerkin, Lifts
from bench.methods.surrogates.surrogate import OnBasis, OnSpace, Surrogate
from bench.methods.surrogates.truth import Truth

Arrays = dict[str, np.ndarray]


def to_bytes(surrogate: Surrogate) -> bytes:
    """The whole file."""
    from safetensors.numpy import save

    if isinstance(surrogate, OnSpace) and "net" not in surrogate.stored:
        raise UserError(
            f"a surrogate of method {surrogate.plan.method!r} cannot be saved; use another method"
        )
    lifts = surrogate.lifts
    arrays = {"lift": lifts.middle, "lifts": lifts.terms, "mus": lifts.interpolation.mus,
              "positions": lifts.interpolation.positions,
              "inverse": lifts.interpolation.inverse}  # fmt: skip
    for name, value in surrogate.stored.items():
        arrays[name] = _document(value) if name == "net" else np.asarray(value)
    arrays = {name: np.ascontiguousarray(value) for name, value in arrays.items()}
    plan = json.dumps(asdict(surrogate.plan), sort_keys=True)
    return save(arrays, {"format": FORMAT, "plan": plan, "checksum": _checksum(plan, arrays)})


def _document(net: Any) -> np.ndarray:
    from nets.storage import to_bytes as net_bytes

    return np.frombuffer(net_bytes(net), dtype=np.uint8)


def _checksum(plan: str, arrays: Arrays) -> str:
    digest = hashlib.blake2b(plan.encode(), digest_size=16)
    for name in sorted(arrays):
        digest.update(f"{name}{arrays[name].dtype}{arrays[name].shape}".encode())
        digest.update(arrays[name].tobytes())
    return digest.hexdigest()


def load(path: str | Path) -> Surrogate:
    """The surrogate of a file; a damaged file, or one of another program, is a UserError."""
    from safetensors.numpy import load_file

    path = Path(path)
    header = metadata_of(path)
    if header.get("format") != FORMAT:
        raise UserError(
            f"{path} holds no surrogate of femnets; write one with "
            "`femnets train --track family --save`"
        )
    try:
        arrays = load_file(path)
        if header.get("checksum") != _checksum(header["plan"], arrays):
            raise ValueError("its checksum differs")
        described = json.loads(header["plan"])
        plan = Plan(**{entry.name: described[entry.name] for entry in fields(Plan)})
        return _rebuilt(plan, arrays, path)
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(f"{path} is damaged ({error}); save the surrogate again") from None


def _rebuilt(plan: Plan, arrays: Arrays, path: Path) -> Surrogate:
    family = plan.chosen()
    truth = Truth(family, plan.order)
    terms = Interpolation(family, *(arrays[name] for name in ("mus", "positions", "inverse")))
    lifts = Lifts(terms, arrays["lift"], arrays["lifts"])
    stored: dict[str, Any] = dict(arrays)
    if "net" in arrays:
        from nets.storage import from_bytes

        stored["net"] = net = from_bytes(arrays["net"].tobytes(), path)[0]
    known: dict[str, Any] = {"plan": plan, "truth": truth, "lifts": lifts, "stored": stored}
    if plan.method in ON_SPACE:
        return OnSpace(**known, space=nets.SpaceNet(lambda x: nets.predicted(net, x), net))
    if plan.method in INTRUSIVE:
        a: Any = Galerkin(terms, *(arrays[name] for name in ("A0", "A", "b0", "b")))
    else:
        a = regressed(plan, family, stored)
    basis = Basis(truth, arrays["fields"], arrays["singular"])
    return OnBasis(**known, basis=basis, coefficients=a)
