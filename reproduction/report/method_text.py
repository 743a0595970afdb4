"""How the results are obtained, in sentences that take their numbers from the plan."""

from __future__ import annotations

from reproduction.paper import CBM_NON_EMPTY
from reproduction.plan import EVERY, FIRST, FULL, MAX_EM_ITERATIONS, N_COMPONENTS, Grid
from reproduction.report.non_empty_claims import NON_EMPTY_CLAIMS
from reproduction.run import FEW_DOCUMENTS, FEW_DOCUMENTS_CBM, N_FOLDS

__all__ = ["method_text"]


def method_text() -> str:
    """Describe the method of the full effort, in paragraphs."""
    paragraphs = (
        "No choice uses a test document. Each recipe chooses its settings by the F1 of its own prediction on held-out "
        f"training documents: a fifth of them, stratified by label, or {N_FOLDS} folds where there are fewer than "
        f"{FEW_DOCUMENTS:,} (CBM: {FEW_DOCUMENTS_CBM:,}). Tuning uses at most {FULL.max_tuning_documents:,} documents, "
        f"of which at most {FULL.max_held_out:,} held-out ones. The chosen setting is trained on all training "
        f"documents (CRF and CBM: at most {FULL.max_training_documents_if_slow:,}), and only then are the test "
        "documents read.",
        "E (early stopping): each setting is trained once, to convergence. Recipes without E use the converged model; "
        "recipes with E use the iteration that predicts the held-out documents best. Models are evaluated after each "
        f"of the first {FIRST} Newton iterations of BR, PCC and LSF and then after every {EVERY}th, after every "
        f"{EVERY}th L-BFGS iteration of a CRF, and after each EM iteration of CBM, at most {MAX_EM_ITERATIONS}.",
        "L (L1): recipes without L have a squared penalty only. With L, the L1 ratios are "
        f"{_listed(FULL.learners)} for BR and PCC, {_listed(FULL.lsf)} for LSF, {_listed(FULL.crf)} for a CRF (the "
        f"paper has no L1 there) and {_listed(FULL.cbm)} for CBM's experts; CBM's gate has a squared penalty only. "
        f"Strengths per ratio: {FULL.learners.n_strengths} for BR and PCC, {FULL.lsf.n_strengths} for LSF, "
        f"{FULL.crf.n_strengths} for a CRF, {FULL.cbm.n_strengths} for CBM.",
        f"CBM has {N_COMPONENTS} components where the paper has 20, and its responsibilities may be softened, which "
        "the paper does not do: every recipe tries plain and softened EM, and the held-out documents decide.",
        "Without S and G the prediction is the most probable of all sets, which may be the empty one. The program that "
        "the paper's authors published never lets CBM predict the empty set, so its No REG and L+E have part of the "
        f"effect of support inference. {CBM_NON_EMPTY} does the same here: it is CBM with the settings and seeds of "
        "its row, and predicts the most probable set that is not empty. Claims "
        f"{', '.join(map(str, NON_EMPTY_CLAIMS))}, which use these columns, are tested both ways.",
        f"G without S draws 1,000 samples per document as in the paper, and {FULL.n_tuning_samples} while tuning. LSF "
        "has no joint distribution to restrict, so S+G uses its own marginals.",
        f"Results that depend on a seed (the initialization of CBM, and samples) are repeated {FULL.n_repeats} times "
        "with the same settings; tables show the mean and the standard deviation. Intervals are bootstraps of 10,000 "
        "resamples of the documents.",
        "Sizes are the bytes of all numbers that a prediction reads, with weights in single precision and zeros left "
        "out.",
    )
    return "\n\n".join(paragraphs)


def _listed(grid: Grid) -> str:
    return ", ".join(f"{ratio:g}" for ratio in grid.l1_ratios)
