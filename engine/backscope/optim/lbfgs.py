"""L-BFGS: a quasi-Newton method that evaluates the loss several times in one step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from backscope.autograd.modes.grad_mode import enable_grad, no_grad
from backscope.ops.core.namespace import torch_functions as f
from backscope.optim.optimizer import Optimizer
from backscope.optim.rule import check_learning_rate, number, unreported
from backscope.optim.wolfe import strong_wolfe
from backscope.runtime.given import Dim, Value, Values
from backscope.runtime.listening import hub


class LBFGS(Optimizer):
    """L-BFGS for one group of real parameters; `step` needs a closure that recomputes the loss and its gradients."""

    def __init__(
        self,
        params: Values,
        lr: Value = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        check_learning_rate(lr)
        super().__init__(
            params,
            {"lr": lr, "max_iter": max_iter, "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
             "tolerance_grad": tolerance_grad, "tolerance_change": tolerance_change, "history_size": history_size,
             "line_search_fn": line_search_fn},
        )  # fmt: skip
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        self._params = self.param_groups[0]["params"]

    # Any: a closure returns its loss, a tensor or a number.
    def step(self, closure: Callable[[], Any]) -> Any:  # type: ignore[override]
        """Move to a lower loss by up to max_iter directions; returns the loss before."""
        if len(self.param_groups) != 1:
            raise AssertionError(f"Expected exactly one param_group, but got {len(self.param_groups)}")
        listener = hub.listener

        def evaluate() -> Any:
            hub.listener = listener
            if listener is not None:
                listener.parameters_moved(self)
            try:
                with enable_grad():
                    return closure()
            finally:
                hub.listener = None

        with no_grad(), unreported():
            return self._step(evaluate)

    def _step(self, closure: Callable[[], Any]) -> Any:
        group = self.param_groups[0]
        lr, max_iter, max_eval = number(group["lr"], {"differentiable": True}), group["max_iter"], group["max_eval"]
        tolerance_grad, tolerance_change = group["tolerance_grad"], group["tolerance_change"]
        state = self.state[self._params[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        first_loss = closure()
        loss = float(first_loss)
        evaluations = 1
        state["func_evals"] += 1
        gradient = self._gradient()
        if gradient.abs().max() <= tolerance_grad:
            return first_loss
        direction, length = state.get("d"), state.get("t")
        iterations = 0
        optimal = False
        while iterations < max_iter:
            iterations += 1
            state["n_iter"] += 1
            direction = self._direction(state, gradient, direction, length, group["history_size"])
            before = state.get("prev_flat_grad")
            state["prev_flat_grad"] = gradient.clone() if before is None else before.copy_(gradient)
            previous = loss
            length = min(1.0, 1.0 / gradient.abs().sum()) * lr if state["n_iter"] == 1 else lr
            slope = gradient.dot(direction)
            if slope > -tolerance_change:
                break
            used = 0
            if group["line_search_fn"] is not None:
                if group["line_search_fn"] != "strong_wolfe":
                    raise RuntimeError("only 'strong_wolfe' is supported")
                start = [p.clone() for p in self._params]

                def at(t: Value, start: Value = start, along: Dim = direction) -> Any:
                    return self._evaluate(closure, start, t, along)

                loss, gradient, length, used = strong_wolfe(
                    at, length, direction, loss, gradient, slope, max_ls=max_eval - evaluations
                )
                self._move(length, direction)
                optimal = bool(gradient.abs().max() <= tolerance_grad)
            else:
                self._move(length, direction)
                if iterations != max_iter:
                    loss = float(closure())
                    gradient = self._gradient()
                    optimal = bool(gradient.abs().max() <= tolerance_grad)
                    used = 1
            evaluations += used
            state["func_evals"] += used
            if (
                iterations == max_iter
                or evaluations >= max_eval
                or optimal
                or direction.mul(length).abs().max() <= tolerance_change
                or abs(loss - previous) < tolerance_change
            ):
                break
        state["d"], state["t"], state["prev_loss"] = direction, length, previous
        # The order in which PyTorch keeps its state.
        for name in ("old_dirs", "old_stps", "ro", "H_diag", "prev_flat_grad", "prev_loss"):
            state[name] = state.pop(name)
        return first_loss

    def _direction(
        self, state: dict[str, Any], gradient: Value, direction: Value, length: Any, history_size: int
    ) -> Any:
        """Downhill by the inverse Hessian that the last steps suggest."""
        if state["n_iter"] == 1:
            state["old_dirs"], state["old_stps"], state["ro"], state["H_diag"] = [], [], [], 1
            return gradient.neg()
        turns, steps, weights = state["old_dirs"], state["old_stps"], state["ro"]
        turn, step = gradient.sub(state["prev_flat_grad"]), direction.mul(length)
        along = turn.dot(step)
        if along > 1e-10:
            if len(turns) == history_size:
                for kept in (turns, steps, weights):
                    kept.pop(0)
            turns.append(turn)
            steps.append(step)
            weights.append(1.0 / along)
            state["H_diag"] = along / turn.dot(turn)
        shares = state.setdefault("al", [None] * history_size)
        q = gradient.neg()
        for i in range(len(turns) - 1, -1, -1):
            shares[i] = steps[i].dot(q) * weights[i]
            q.add_(turns[i] * -shares[i])
        found = q * state["H_diag"]
        for i in range(len(turns)):
            found.add_(steps[i] * (shares[i] - turns[i].dot(found) * weights[i]))
        return found

    def _gradient(self) -> Any:
        """Return all gradients in one vector, with zeros for missing ones."""
        parts = []
        for p in self._params:
            g = p._grad
            if g is None:
                g = f["zeros_like"](p)
            elif getattr(g, "is_sparse", False):
                g = g.to_dense()
            parts.append((f["view_as_real"](g) if g.is_complex() else g).reshape(-1))
        return f["cat"](parts, 0)

    def _move(self, length: Any, direction: Value) -> None:
        """Add length times the direction to the parameters."""
        start = 0
        for p in self._params:
            real = f["view_as_real"](p) if p.is_complex() else p
            count = real.numel()
            part = direction[start : start + count].view_as(real)
            real.add_(part, alpha=length.item() if hasattr(length, "item") else length)
            start += count

    def _evaluate(self, closure: Callable[[], Any], start: Value, length: Any, direction: Value) -> Any:
        """Loss and gradient at a distance along the direction, from where the parameters are brought back."""
        self._move(length, direction)
        loss = float(closure())
        gradient = self._gradient()
        for p, value in zip(self._params, start, strict=True):
            p.copy_(value)
        return loss, gradient
