"""Where independent work runs: in this process, in processes of this machine, or on a cluster."""

from setwise.executors.dask import DaskExecutor
from setwise.executors.digests import code_version, data_fingerprint, parameter_text
from setwise.executors.folder_session import FolderSession
from setwise.executors.ordered import in_order
from setwise.executors.processes import ProcessExecutor
from setwise.executors.registry import EXECUTORS, ExecutorEntry, executor_of
from setwise.executors.scheduler import Emit, Job, Needs, Scheduler, Walk, Work, scheduler_of, single
from setwise.executors.session import Executor, Finished, SerialExecutor, Session
from setwise.executors.task import Cost, Data, Input, Outcome, Task, TaskContext
from setwise.executors.work_folder import WorkFolder

__all__ = [
    "EXECUTORS",
    "Cost",
    "DaskExecutor",
    "Data",
    "Emit",
    "Executor",
    "ExecutorEntry",
    "Finished",
    "FolderSession",
    "Input",
    "Job",
    "Needs",
    "Outcome",
    "ProcessExecutor",
    "Scheduler",
    "SerialExecutor",
    "Session",
    "Task",
    "TaskContext",
    "Walk",
    "Work",
    "WorkFolder",
    "code_version",
    "data_fingerprint",
    "executor_of",
    "in_order",
    "parameter_text",
    "scheduler_of",
    "single",
]
