# Ends: error, ProgramDied, ok, MemoryLimitExceeded
for text in (
    "(" * 200_000 + ")" * 200_000,
    "-" * 3_000_000 + "1",
    "[" * 90 + "]" * 90,
    "x" + ".x" * 500_000,
    "lambda:" * 100_000 + "0",
):
    try:
        compile(text, "x", "eval")
        print("compiled")
    except (SyntaxError, MemoryError, RecursionError) as e:
        print("blocked", repr(e)[:80])
