"""Scores, beside their definitions."""

from __future__ import annotations

import numpy as np
import pytest

from mlconv.diagnostics import Code, ConversionError
from mlconv.quantize.metrics import METRICS, Metric, classes
from tests.support.modules import random


def score(name: str, outputs: np.ndarray, targets: np.ndarray) -> float:
    metric = METRICS[name]
    return metric.score([metric.part(y[None], t) for y, t in zip(outputs, targets, strict=True)])


def test_top1() -> None:
    y, t = random(50, 7), np.random.default_rng(1).integers(0, 7, 50)
    wanted = (y.argmax(1) == t).mean()
    assert score("top1", y, t) == pytest.approx(wanted)
    assert score("top1", y, t[:, None]) == pytest.approx(wanted)
    assert score("top1", y, np.eye(7)[t]) == pytest.approx(wanted)
    rows = np.random.default_rng(1).integers(0, 7, (5, 10))
    assert score("top1", y.reshape(5, 10, 7), rows) == pytest.approx((y.reshape(5, 10, 7).argmax(-1) == rows).mean())


def test_top1_of_channels_in_front() -> None:
    y, t = random(3, 7, 4, 5), np.random.default_rng(1).integers(0, 7, (3, 4, 5))
    assert score("top1", y, t) == pytest.approx((y.argmax(1) == t).mean())


def test_top1_of_one_number() -> None:
    y, t = random(40, 1) + 0.5, np.random.default_rng(1).integers(0, 2, 40)
    assert score("top1", y, t) == pytest.approx(((y[:, 0] > 0.5) == t).mean())


def test_rmse_and_psnr() -> None:
    y, t = random(6, 4, 4, 1), random(6, 4, 4, 1, seed=1)
    error = np.mean((y.astype(np.float64) - t) ** 2)
    assert score("rmse", y, t) == pytest.approx(np.sqrt(error))
    assert score("psnr", y, t) == pytest.approx(10 * np.log10(np.abs(t).max() ** 2 / error))
    images = (random(6, 4, 4, 1, seed=2) * 255).astype(np.uint8)
    outputs = y * 300
    wanted = np.mean((np.clip(outputs.astype(np.float64), 0, 255) - images) ** 2)
    assert score("psnr", outputs, images) == pytest.approx(10 * np.log10(255**2 / wanted))
    assert score("psnr", y, y) == pytest.approx(300) and score("psnr", y * np.inf, y) == pytest.approx(-300)
    assert np.isnan(score("psnr", y, y * np.nan)) and score("rmse", y, y) == 0


def test_which_is_worse() -> None:
    assert METRICS["top1"].worse(0.4, 0.5) == pytest.approx(0.1)
    assert METRICS["rmse"].worse(0.4, 0.5) == pytest.approx(-0.1)
    assert not METRICS["agreement"].has_labels


@pytest.mark.parametrize(
    ("score", "than", "worse"), [(0.79, 0.8, 0.01), (0.299, 0.3, 0.001), (2e8 - 3e6, 2e8, 3e6), (0.0, 0.0, 0.0)]
)
def test_what_last_digits_make_of_a_drop_is_none(score: float, than: float, worse: float) -> None:
    """They may be as much worse as was said."""
    assert METRICS["top1"].worse(score, than) == worse
    assert METRICS["rmse"].worse(than, score) == worse
    assert METRICS["top1"].worse(than * (1 - 1e-9), than) > 0 or than == 0


def test_agreement_is_that_of_choices() -> None:
    y, other = random(30, 7), random(30, 7, seed=1)
    answers = np.stack([classes(x[None]) for x in other])
    assert score("agreement", y, answers) == pytest.approx((y.argmax(1) == other.argmax(1)).mean())
    assert score("agreement", other, answers) == 1


@pytest.mark.parametrize("metric", [m for m in METRICS.values() if m.has_labels])
def test_labels_that_do_not_fit(metric: Metric) -> None:
    with pytest.raises(ConversionError) as error:
        metric.part(random(1, 7), np.zeros(3))
    assert error.value.code is Code.ShapeMismatch and "[3]" in str(error.value)
