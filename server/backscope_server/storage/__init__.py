"""Finished runs on disk, which outlive the server: one trace file per run in a private folder."""
