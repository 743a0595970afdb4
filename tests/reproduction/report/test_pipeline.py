"""The pipeline figure: every step in order, and every regularization above the step it acts on."""

from __future__ import annotations

from itertools import combinations, pairwise

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Canvas

from reproduction.report import pipeline_figure
from reproduction.report.figure import draw_figure
from reproduction.report.pipeline import REGULARIZATIONS, SIZE, STEPS, draw_pipeline
from tests.reproduction.report.figures import texts_of

BOXES = [*STEPS, *(box for box, _ in REGULARIZATIONS)]


def test_every_step_and_every_regularization_is_named() -> None:
    words = " ".join(texts_of(pipeline_figure())).split()
    steps = "text vectorize x model BR, PCC, CRF, CBM, LSF inference decision the set"
    regularizations = "elastic net (L1 + L2) early stopping support inference GFM"
    assert sorted(words) == sorted(f"{steps} {regularizations} regularization at training prediction".split())


def test_steps_go_from_left_to_right() -> None:
    assert all(before.x < after.x for before, after in pairwise(STEPS))


def test_a_regularization_is_above_the_step_it_acts_on() -> None:
    for box, target in REGULARIZATIONS:
        assert abs(box.x - target.x) < target.width / 2
        assert box.y > target.y


def test_boxes_do_not_overlap() -> None:
    for one, other in combinations(BOXES, 2):
        beside = abs(one.x - other.x) - (one.width + other.width) / 2
        above = abs(one.y - other.y) - (one.height + other.height) / 2
        assert max(beside, above) > 0.05, (one.text, other.text)


def test_texts_fit_into_their_boxes() -> None:
    canvases = []

    def draw(canvas: Canvas) -> None:
        draw_pipeline(canvas)
        canvases.append(canvas)

    draw_figure("pipeline", "", SIZE, draw)
    (axes,) = canvases[0].axes
    renderer = FigureCanvasAgg(canvases[0]).get_renderer()  # type: ignore[no-untyped-call]
    words = {text.get_text(): text for text in axes.texts}
    for box in BOXES:
        extent = words[box.text].get_window_extent(renderer).transformed(axes.transData.inverted())
        assert box.x - box.width / 2 < extent.x0 < extent.x1 < box.x + box.width / 2, box.text
        assert box.y - box.height / 2 < extent.y0 < extent.y1 < box.y + box.height / 2, box.text
