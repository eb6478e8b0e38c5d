"""Names for the types of arguments and results where PyTorch accepts nearly everything and checks at run time.

Each is Any to a type checker: the ops accept Python numbers, sequences, numpy's numbers and users' classes, and what
does not fit raises PyTorch's error at run time.  The methods of tensors are made of declarations, which type checkers
do not see, so results that are computed with them have these names too.  The names say what is meant.
"""

from __future__ import annotations

from typing import Any, TypeAlias

Value: TypeAlias = Any
"""A tensor, or a number, sequence or raw array that may be used like one."""

Values: TypeAlias = Any
"""Several of these, in a sequence or a container."""

Array: TypeAlias = Any
"""A numpy array or scalar."""

Shape: TypeAlias = Any
"""One size for all dims, or a size for each: an int, a sequence of ints, a Size."""

Dim: TypeAlias = Any
"""A dim, several, or None for all."""

Dtype: TypeAlias = Any
"""A dtype of torch or of numpy; None for the default."""

Device: TypeAlias = Any
"""A device or its name; None for the default."""

MemoryFormat: TypeAlias = Any
"""How elements follow each other in memory, or torch's layout of a tensor."""

Option: TypeAlias = Any
"""A flag, a name or a number that chooses a variant; None where it was not given."""

Tree: TypeAlias = Any
"""Values in nested tuples, lists and dicts."""
