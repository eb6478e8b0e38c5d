"""Finished runs on disk, so that they outlive the server: one trace file per run in a private folder."""
