"""The paper's tables and figures: run, stored and printed beside what the paper printed."""
