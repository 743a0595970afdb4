"""The way of a document: every step is on it, in order, and every regularisation above what it acts on."""

from __future__ import annotations

from itertools import combinations, pairwise

from matplotlib.backends.backend_agg import FigureCanvasAgg

from setwise.reports import pipeline_figure
from setwise.reports.drawing import drawn
from setwise.reports.pipeline import REGULARISATIONS, SIZE, STEPS, draw_pipeline
from tests.reports.figures import texts_of

BOXES = [*STEPS, *(box for box, _ in REGULARISATIONS)]


def test_every_step_and_every_regularisation_is_named():
    words = " ".join(texts_of(pipeline_figure())).split()
    steps = "text vectorise x model BR, PCC, CRF, CBM, LSF inference decision the set"
    regularisations = "elastic net (L1 + L2) early stopping support inference GFM"
    assert sorted(words) == sorted(f"{steps} {regularisations} regularisation at training prediction".split())


def test_steps_go_from_left_to_right():
    assert all(before.x < after.x for before, after in pairwise(STEPS))


def test_a_regularisation_stands_above_what_it_acts_on():
    for box, target in REGULARISATIONS:
        assert abs(box.x - target.x) < target.width / 2
        assert box.y > target.y


def test_boxes_keep_apart():
    for one, other in combinations(BOXES, 2):
        beside = abs(one.x - other.x) - (one.width + other.width) / 2
        above = abs(one.y - other.y) - (one.height + other.height) / 2
        assert max(beside, above) > 0.05, (one.text, other.text)


def test_words_fit_into_their_boxes():
    sheets = []

    def draw(sheet):
        draw_pipeline(sheet)
        sheets.append(sheet)

    drawn("pipeline", "", SIZE, draw)
    (axes,) = sheets[0].axes
    renderer = FigureCanvasAgg(sheets[0]).get_renderer()
    words = {text.get_text(): text for text in axes.texts}
    for box in BOXES:
        extent = words[box.text].get_window_extent(renderer).transformed(axes.transData.inverted())
        assert box.x - box.width / 2 < extent.x0 < extent.x1 < box.x + box.width / 2, box.text
        assert box.y - box.height / 2 < extent.y0 < extent.y1 < box.y + box.height / 2, box.text
