"""The rank of this process where no environment variable says it."""

from __future__ import annotations

import sys
from typing import Any


def jax_rank() -> dict[str, Any]:
    """Rank and world size if JAX runs on several processes, as a part of a spec; else nothing.

    JAX is asked only where it is imported and was told of the others already.
    """
    jax = sys.modules.get("jax")
    if jax is None or not jax.distributed.is_initialized():
        return {}
    return {"shard": {"rank": jax.process_index(), "world": jax.process_count()}}
