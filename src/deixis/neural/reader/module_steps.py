"""The steps of one module of a training: an optimizer and a schedule over all phases (imports torch)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch

RISE = 0.1  # share of the steps in which the learning rate rises


class ModuleSteps:
    """AdamW for one module; over all steps that the module takes, its rates rise and then fall to nothing.

    Phases must not begin anew: a second rise undoes much of what was learned before.
    """

    def __init__(self, groups: Sequence[tuple[list[torch.nn.Parameter], float]], n_steps: int) -> None:
        learning = [([each for each in own if each.requires_grad], rate) for own, rate in groups]
        self._parameters = [each for own, _ in learning for each in own]
        self._rates = [rate for _, rate in learning]
        self._optimizer = torch.optim.AdamW([{"params": own, "lr": rate} for own, rate in learning], weight_decay=0.01)
        self._n_steps, self.n_done = n_steps, 0

    def step(self, loss: torch.Tensor) -> None:
        """One step down the slope of a loss that has no part in other modules."""
        for group, rate in zip(self._optimizer.param_groups, self._rates, strict=True):
            group["lr"] = rate * _rate(self.n_done, self._n_steps)
        self._optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self._parameters, 1.0)
        self._optimizer.step()
        self.n_done += 1

    def tensors(self, prefix: str) -> dict[str, torch.Tensor]:
        """What the optimizer knows of each parameter; nothing before the first step."""
        return {
            f"{prefix}.{number}.{name}": tensor
            for number, parameter in enumerate(self._parameters)
            for name, tensor in self._optimizer.state.get(parameter, {}).items()
        }

    def restore(self, tensors: Mapping[str, torch.Tensor], prefix: str, n_done: int) -> None:
        """Go on from what `tensors` gave after `n_done` steps."""
        for number, parameter in enumerate(self._parameters):
            start = f"{prefix}.{number}."
            own = {name.removeprefix(start): tensor for name, tensor in tensors.items() if name.startswith(start)}
            if own:
                self._optimizer.state[parameter] = own
        self.n_done = n_done


def _rate(step: int, n_steps: int) -> float:
    """What of the learning rate holds at a step."""
    n_rise = max(1, round(RISE * n_steps))
    return min((step + 1) / n_rise, max(0.0, (n_steps - step) / max(1, n_steps - n_rise)))
