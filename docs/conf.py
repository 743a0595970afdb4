"""Settings of Sphinx for the site: ``make docs``. The design page says why these tools."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

import matplotlib

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))  # for `website`
BUILD = REPOSITORY / "build" / "docs"

matplotlib.use("agg")

from setwise import __version__  # noqa: E402

project = "setwise"
author = "setwise contributors"
project_copyright = "setwise contributors"
version = release = __version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_nb",  # Markdown pages, by myst-parser, and notebooks
    "sphinx_gallery.gen_gallery",
    "sphinx_design",
    "sphinx_copybutton",
    "website.extension",
]
templates_path = ["_templates"]
exclude_patterns = ["gallery/*.ipynb", "reproduction", "**/.ipynb_checkpoints"]
nitpicky = True
smartquotes = False  # "auto" is a value to type

# Docstrings: numpydoc describes types in words, so annotations would say them twice.
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autosummary_generate = True
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

# Markdown and notebooks. Notebooks run once per change of their code, in a process of their own.
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
nb_execution_mode = "cache"
nb_execution_cache_path = str(BUILD / "notebooks")
nb_execution_timeout = -1  # a busy machine is no error
nb_execution_raise_on_error = False  # it is a warning, and so an error of the build
nb_merge_streams = True

sphinx_gallery_conf = {
    "examples_dirs": [str(REPOSITORY / "examples" / "gallery")],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r"/plot_",
    "within_subsection_order": "FileNameSortKey",
    "write_computation_times": False,
    "show_memory": False,
    "download_all_examples": False,
    "min_reported_time": 60,
    "abort_on_example_error": False,
    "only_warn_on_example_error": False,
    "remove_config_comments": True,
    "show_signature": False,
    "image_scrapers": ("matplotlib",),
    "reset_modules": ("matplotlib",),
}
# The pages of the gallery say which of them were computed how fast; that changes with the machine.
suppress_warnings = ["config.cache"]

html_theme = "pydata_sphinx_theme"
html_title = "setwise"
html_static_path = ["_static"]
html_css_files = ["setwise.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "setwise"},
    "navbar_align": "left",
    "show_nav_level": 1,
    "navigation_with_keys": False,
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": ["sphinx-version", "theme-version"],
    "back_to_top_button": True,
    "header_links_before_dropdown": 7,
}
html_context = {"default_mode": "auto"}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

os.environ.setdefault("OMP_NUM_THREADS", "1")  # examples are small, and run beside one another

# Kernels of notebooks read no settings of the user, and need not say that their port on this machine is not encrypted.
profile = BUILD / "ipython" / "profile_default"
profile.mkdir(parents=True, exist_ok=True)
(profile / "ipython_kernel_config.py").write_text("c.IPKernelApp.log_level = 40\n", encoding="utf-8")
os.environ["IPYTHONDIR"] = str(profile.parent)
warnings.filterwarnings("ignore", message=".*FigureCanvasAgg is non-interactive.*")
