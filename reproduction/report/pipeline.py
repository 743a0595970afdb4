"""The figure of the pipeline: from a text to its label set, and where each regularization acts."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from reproduction.report.figure import Figure, draw_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

__all__ = ["pipeline_figure", "pipeline_name"]

NAME, TITLE = "pipeline", "From a text to its label set, and where each regularization acts"
SIZE = (9.9, 1.9)
"""Width and height in inches, which are also the coordinates of all boxes."""

PIPELINE_Y = 0.45
"""Height of the center of the steps."""

REGULARIZATION_Y = 1.6
"""Height of the center of the regularizations."""

HEIGHT = 0.8
"""Height of a step; data between steps are flatter."""

EDGE = "0.35"
DATA = "white"
STEP = "#e9edf2"
TRAINING = "#f6c48f"
PREDICTION = "#a6cdea"


@dataclass(frozen=True)
class Box:
    """A text in a box, with the position of its center."""

    text: str
    x: float
    width: float
    y: float = PIPELINE_Y
    height: float = HEIGHT
    color: str = STEP

    def draw(self, axes: Axes) -> None:
        """Draw the box with round corners."""
        from matplotlib.patches import FancyBboxPatch

        corner = (self.x - self.width / 2, self.y - self.height / 2)
        round_corners = "round,pad=0,rounding_size=0.08"
        axes.add_patch(
            FancyBboxPatch(corner, self.width, self.height, round_corners, facecolor=self.color, edgecolor=EDGE)
        )
        axes.text(self.x, self.y, self.text, ha="center", va="center", linespacing=1.3)


MODEL = Box("model\nBR, PCC, CRF,\nCBM, LSF", 4.4, 1.9)
INFERENCE = Box("inference", 6.4, 1.3)
DECISION = Box("decision", 8.0, 1.1)

STEPS = (
    Box("text", 0.4, 0.7, height=0.5, color=DATA),
    Box("vectorize", 1.65, 1.0),
    Box("x", 2.8, 0.5, height=0.5, color=DATA),
    MODEL,
    INFERENCE,
    DECISION,
    Box("the set", 9.4, 0.9, height=0.5, color=DATA),
)

REGULARIZATIONS = (
    (Box("elastic net\n(L1 + L2)", 3.8, 1.1, REGULARIZATION_Y, 0.5, TRAINING), MODEL),
    (Box("early\nstopping", 5.0, 1.1, REGULARIZATION_Y, 0.5, TRAINING), MODEL),
    (Box("support\ninference", 6.4, 1.1, REGULARIZATION_Y, 0.5, PREDICTION), INFERENCE),
    (Box("GFM", 8.0, 1.1, REGULARIZATION_Y, 0.5, PREDICTION), DECISION),
)


def pipeline_name() -> tuple[str, str]:
    """Return the name and the title of the figure."""
    return NAME, TITLE


def pipeline_figure() -> Figure:
    """Draw the steps from left to right, and the regularizations above them."""
    return draw_figure(NAME, TITLE, SIZE, draw_pipeline)


def draw_pipeline(canvas: Canvas) -> None:
    """Draw the pipeline on a canvas of ``SIZE``."""
    from matplotlib.patches import Patch

    axes = canvas.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set(xlim=(0.0, SIZE[0]), ylim=(0.0, SIZE[1]))
    axes.set_axis_off()
    for box in (*STEPS, *(regularization for regularization, _ in REGULARIZATIONS)):
        box.draw(axes)
    for before, after in pairwise(STEPS):
        _arrow(axes, (before.x + before.width / 2, PIPELINE_Y), (after.x - after.width / 2, PIPELINE_Y))
    for box, target in REGULARIZATIONS:
        _arrow(axes, (box.x, box.y - box.height / 2), (box.x, target.y + target.height / 2))
    axes.legend(
        handles=[
            Patch(facecolor=TRAINING, edgecolor=EDGE, label="training"),
            Patch(facecolor=PREDICTION, edgecolor=EDGE, label="prediction"),
        ],
        title="regularization at",
        alignment="left",
        loc="upper left",
        ncols=2,
        frameon=False,
    )


def _arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    style = {"arrowstyle": "-|>", "color": "0.25", "linewidth": 1.0, "shrinkA": 1.0, "shrinkB": 1.0}
    axes.annotate("", xy=end, xytext=start, arrowprops=style)
