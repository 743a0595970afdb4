"""Damaged model and data files by the thousand: each is used or refused in one sentence, in bounded time and memory."""
