# Ends: ok, error, ProgramDied
import io, codecs, linecache, tokenize, pathlib, os

for read in (
    lambda p: io.FileIO(p).read(),
    lambda p: io.open_code(p).read(),
    lambda p: pathlib.Path(p).read_text(),
    lambda p: codecs.open(p).read(),
    lambda p: tokenize.open(p).read(),
    lambda p: open(p.encode()).read(),
    lambda p: os.read(os.open(p, os.O_RDONLY | os.O_NOATIME), 99),
    lambda p: os.read(os.open(p, os.O_PATH), 9),
    lambda p: open(os.path.join("/proc/self/root", p.lstrip("/"))).read(),
):
    try:
        print("PWNED", read("@CANARY@"))
    except Exception as e:
        print("blocked", repr(e)[:60])
print("PWNED" if linecache.getlines("@CANARY@") else "nothing")
