"""FlopCounterMode: the floating point operations of matrix products and convolutions, by module and op."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

from backscope.nn.module.module_tracker import ModuleTracker
from backscope.ops.names.aten import OpOverload, packet
from backscope.runtime.given import Value
from backscope.tensor.tensor import Tensor
from backscope.torch_dispatch.mode_stack import TorchDispatchMode

if TYPE_CHECKING:
    from backscope.ops.names.aten import OpOverloadPacket

Shape = Sequence[int]

registry: dict[Any, Callable[..., int]] = {}
"""The functions that count the operations of an op, by its packet in torch.ops.aten."""


def register_flop_formula(
    targets: OpOverloadPacket | Sequence[OpOverloadPacket], get_raw: bool = False
) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Register the decorated formula for one op or several; it gets shapes, the arguments if `get_raw`."""

    def register(formula: Callable[..., int]) -> Callable[..., int]:
        for target in targets if isinstance(targets, (list, tuple)) else [targets]:
            registry[target] = formula if get_raw else _on_shapes(formula)
        return formula

    return register


def _on_shapes(formula: Callable[..., int]) -> Callable[..., int]:
    def call(*args: Any, out_val: Any = None, **kwargs: Any) -> int:
        return formula(*_shapes(args), out_shape=_shapes(out_val), **{k: _shapes(v) for k, v in kwargs.items()})

    return call


def _shapes(value: Value) -> Any:
    if isinstance(value, Tensor):
        return value.shape
    return type(value)(_shapes(v) for v in value) if isinstance(value, (list, tuple)) else value


def product(a: Shape, b: Shape, **options: object) -> int:
    """The operations of a matrix product of shapes [..., m, k] and [..., k, n]: 2 * m * k * n for each matrix."""
    return 2 * prod(a) * b[-1]


def added_product(_: Shape, a: Shape, b: Shape, **options: object) -> int:
    """Count the operations of a product that is added to a tensor; the addition is not counted."""
    return product(a, b)


def _convolved(x: Shape, weight: Shape, out: Shape, transposed: bool) -> int:
    return 2 * x[0] * prod((x if transposed else out)[2:]) * prod(weight)


def convolution(
    x: Shape, weight: Shape, _bias: Value, _stride: Shape, _padding: Shape, _dilation: Shape, transposed: bool,
    *rest: object, out_shape: Shape, **options: object,
) -> int:  # fmt: skip
    """The operations of a convolution: of each element of the output, or of the input where it is transposed."""
    return _convolved(x, weight, out_shape, transposed)


def convolution_backward(
    gradient: Shape, x: Shape, weight: Shape, _bias: Value, _stride: Shape, _padding: Shape, _dilation: Shape,
    transposed: bool, _output_padding: Shape, _groups: int, output_mask: Sequence[bool], out_shape: object = None,
    **options: object,
) -> int:  # fmt: skip
    """Count the operations of the gradients of a convolution's input and weight that `output_mask` includes."""
    found = 0
    if output_mask[0]:
        found += _convolved(gradient, weight, x, not transposed)
    if output_mask[1]:
        first, second = (gradient, x) if transposed else (x, gradient)
        found += _convolved(_swapped(first), _swapped(second), _swapped(weight), transposed=False)
    return found


def _swapped(shape: Shape) -> Shape:
    return (shape[1], shape[0], *shape[2:])


for _name, _formula in {
    "mm": product,
    "bmm": product,
    "addmm": added_product,
    "baddbmm": added_product,
    "convolution": convolution,
    "convolution_backward": convolution_backward,
}.items():
    register_flop_formula(packet(_name))(_formula)  # type: ignore[arg-type]


class FlopCounterMode:
    """Counts operations in its block, and prints a table by modules at the end unless `display` is False.

    `depth` is the number of module levels in the table.
    """

    def __init__(
        self,
        mods: object = None,
        depth: int | None = 2,
        display: bool = True,
        custom_mapping: dict[Any, Any] | None = None,
    ) -> None:
        self.flop_counts: dict[str, dict[Any, int]] = defaultdict(lambda: defaultdict(int))
        self.depth = depth
        self.display = display
        own = {k: f if getattr(f, "_get_raw", False) else _on_shapes(f) for k, f in (custom_mapping or {}).items()}
        self.flop_registry = {**registry, **own}
        self.mod_tracker = ModuleTracker()
        self.mode: TorchDispatchMode | None = None

    def get_total_flops(self) -> int:
        """Return the count of all operations."""
        return sum(self.flop_counts["Global"].values())

    def get_flop_counts(self) -> dict[str, dict[Any, int]]:
        """The operations by module and op."""
        return {name: dict(counts) for name, counts in self.flop_counts.items()}

    def get_table(self, depth: int | None = None) -> str:
        """The counts as text: a row for each module down to `depth` and for each of its ops."""
        depth = depth or self.depth or 999999
        total = self.get_total_flops()
        rows: list[tuple[str, int]] = []
        covered = False
        for name in sorted(self.flop_counts):
            level = name.count(".") + 1
            if name != "Global" and level <= depth:
                covered = covered or sum(self.flop_counts[name].values()) >= total
                rows += self._rows(name, level - 1)
        if "Global" in self.flop_counts and not covered:
            rows = self._rows("Global", 0) + [(" " + name, count) for name, count in rows]
        if not rows:
            return _aligned([("Module", "FLOP", "% Total"), ("Global", "0", "0%")])
        scale = max(0, min(4, (len(str(total)) - 2) // 3))
        cells = [
            (
                name.strip(),
                f"{count / 1000**scale:.3f}{_SUFFIXES[scale]}" if scale else str(count),
                f"{count / total:.2%}" if total else "0%",
            )
            for name, count in rows
        ]
        return _aligned([("Module", "FLOP", "% Total"), *cells])

    def _rows(self, name: str, level: int) -> list[tuple[str, int]]:
        counts = self.flop_counts[name]
        indent = " " * level
        each = [(f"{indent} - {op}", count) for op, count in counts.items()]
        return [(indent + name, sum(counts.values())), *each]

    def __enter__(self) -> FlopCounterMode:
        self.flop_counts.clear()
        self.mod_tracker.__enter__()
        self.mode = _Counting(self)
        self.mode.__enter__()
        return self

    def __exit__(self, *exc: object) -> None:
        assert self.mode is not None
        self.mode.__exit__(*exc)
        self.mode = None
        self.mod_tracker.__exit__(*exc)
        if self.display:
            print(self.get_table(self.depth))


class _Counting(TorchDispatchMode):
    def __init__(self, counter: FlopCounterMode) -> None:
        super().__init__()
        self.counter = counter

    def __torch_dispatch__(self, func: OpOverload, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run the op and count its operations."""
        kwargs = kwargs or {}
        out = func(*args, **kwargs)
        formula = self.counter.flop_registry.get(func.overloadpacket)
        if formula is not None:
            count = formula(*args, **kwargs, out_val=out)
            for name in self.counter.mod_tracker.parents:
                self.counter.flop_counts[name][func.overloadpacket] += count
        return out


_SUFFIXES = ("", "K", "M", "B", "T")


def _aligned(rows: Sequence[tuple[str, str, str]]) -> str:
    """Format rows of text as a table: the first is its header, numbers are right-aligned."""
    widths = [max(len(rows[0][i]) + 2, *[len(row[i]) for row in rows]) for i in range(3)]
    lines = [[row[0].ljust(widths[0]), row[1].rjust(widths[1]), row[2].rjust(widths[2])] for row in rows]
    lines.insert(1, ["-" * width for width in widths])
    return "\n".join("  ".join(line).rstrip() for line in lines)
