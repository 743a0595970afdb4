"""The run: corpora, tasks in processes of their own, and the rows and results that they store."""

from reproduction.run.choices import FEW_DOCUMENTS, N_FOLDS, Choice, choose_setting, mean_curve
from reproduction.run.corpora import COUNTS, MIN_DF, Documents, Part, Parts, features
from reproduction.run.model_task import FEW_DOCUMENTS_CBM, ModelTask
from reproduction.run.network_task import NetworkTask
from reproduction.run.predictor_task import PredictorTask
from reproduction.run.progress_bar import TUNING_SHARE, progress_bar
from reproduction.run.results import Results
from reproduction.run.rows import (
    CorpusRow,
    HeatMapRow,
    Row,
    ScoreRow,
    mean_by_document,
    pack,
    read_row_file,
    read_rows,
    row_from_json,
    row_to_json,
    unpack,
)
from reproduction.run.run_config import RunConfig, derived_seed
from reproduction.run.runner import RunObserver, open_rows, row_file, run_tasks
from reproduction.run.tasks import compute_rows, relative_cost

__all__ = [
    "COUNTS",
    "FEW_DOCUMENTS",
    "FEW_DOCUMENTS_CBM",
    "MIN_DF",
    "N_FOLDS",
    "TUNING_SHARE",
    "Choice",
    "CorpusRow",
    "Documents",
    "HeatMapRow",
    "ModelTask",
    "NetworkTask",
    "Part",
    "Parts",
    "PredictorTask",
    "Results",
    "Row",
    "RunConfig",
    "RunObserver",
    "ScoreRow",
    "choose_setting",
    "compute_rows",
    "derived_seed",
    "features",
    "mean_by_document",
    "mean_curve",
    "open_rows",
    "pack",
    "progress_bar",
    "read_row_file",
    "read_rows",
    "relative_cost",
    "row_file",
    "row_from_json",
    "row_to_json",
    "run_tasks",
    "unpack",
]
