"""Why an error happened, from the tape at the moment when it is raised; `why` answers afterwards, from a log.

Others use `diagnose.blame`, which attaches facts to an error, and `diagnose.diagnose`.
"""
