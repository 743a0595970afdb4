"""How a figure comes about, told from the constants that decide it."""

from __future__ import annotations

from setwise.experiments import grids, model_work
from setwise.experiments.grids import FULL, Grid

__all__ = ["how_it_was_done"]


def how_it_was_done() -> str:
    """Tell it in paragraphs, for the full effort."""
    points = (
        "No choice sees a test document. A recipe chooses its settings by its own prediction on training documents "
        f"held out: a fifth of them, labels shared out, or all in {model_work.N_FOLDS} turns where there are fewer "
        f"than {model_work.FEW_DOCUMENTS:,} (CBM: {model_work.FEW_DOCUMENTS_OF_CBM:,}). At most "
        f"{FULL.chosen_on:,} documents are chosen on and {FULL.judged_on:,} judged "
        "by. What is chosen is trained on all training documents "
        f"(CRF and CBM: on at most {FULL.trained_on_if_slow:,}), and only then are test documents read.",
        "E: one training to its end serves both: without E the end counts, with E the iteration at which the "
        f"documents held out were predicted best. Looked at are Newton iterations of BR, PCC and LSF, after "
        f"{grids.EARLY} of them every {grids.EVERY}th, every {grids.EVERY}th of L-BFGS for a CRF, and iterations of EM "
        f"for CBM, whose end is at most {grids.MOST_EM}.",
        f"L: without it, squares alone. With it, L1 ratios of {_listed(FULL.learners)} for BR and PCC, "
        f"{_listed(FULL.sizes)} for LSF, {_listed(FULL.crf)} for a CRF (the paper has no L1 there) and "
        f"{_listed(FULL.experts)} for CBM's experts, whose gate has squares alone. Strengths a ratio: "
        f"{FULL.learners.n_strengths} for BR and PCC, {FULL.sizes.n_strengths} for LSF, {FULL.crf.n_strengths} for a "
        f"CRF, {FULL.experts.n_strengths} for CBM.",
        f"CBM has {grids.N_COMPONENTS} components where the paper has 20, and its responsibilities may be softened, "
        "which the paper does not do: plain EM and softened EM are tried in every recipe, and the documents held out "
        "choose.",
        "Without S and G the prediction is the most probable set of all, which may be the empty one. The program that "
        "the paper's authors published never lets CBM predict that, so that its No REG and L+E have some of what "
        "support inference does: figures of CBM in these columns cannot be compared, and those of claims 1, 2, 7 and "
        "10 that rest on them only with care.",
        f"G without S takes 1,000 samples a document as in the paper, {FULL.n_samples_judged} while choosing. LSF "
        "has no sets to restrict, so its own marginals stand under S+G.",
        f"Chance (where CBM starts, and samples) is repeated {FULL.n_repeats} times with the same settings; tables "
        "show the mean and the standard deviation. Intervals take documents with replacement, 10,000 times.",
        "Sizes are the bytes of all numbers that a prediction reads, weights in single precision, zeros left out.",
    )
    return "\n\n".join(points)


def _listed(grid: Grid) -> str:
    return ", ".join(f"{ratio:g}" for ratio in grid.l1_ratios)
