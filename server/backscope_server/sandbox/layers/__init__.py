"""The layers of the lock-down of a child, one file each, and what they share: system calls, tables, their order."""
