# Ends: ok, error, ProgramDied
import importlib.machinery, importlib.util, sys

for read in (
    lambda p: importlib.machinery.SourceFileLoader("x", p).get_data(p),
    lambda p: importlib.machinery.FileFinder("/tmp", (importlib.machinery.SourceFileLoader, [".py"])).find_spec("x"),
    lambda p: __import__("_imp").create_dynamic(importlib.machinery.ModuleSpec("x", None, origin=p)),
    lambda p: importlib.util.spec_from_file_location("c", p).loader.get_code("c"),
    lambda p: __import__("zipimport").zipimporter(p),
    lambda p: __import__("runpy").run_path(p),
    lambda p: __import__("_frozen_importlib_external").path_stats(p),
):
    try:
        found = read("@CANARY@")
        print("PWNED" if found else "nothing", found)
    except BaseException as e:
        print("blocked", repr(e)[:60])
sys.meta_path.insert(0, importlib.machinery.PathFinder)
sys.path.insert(0, "/tmp")
for name in ("sqlite3", "mmap", "ssl", "curses", "test.support", "ensurepip", "dbm.gnu", "readline"):
    try:
        __import__(name)
        print("note imported", name)
    except BaseException as e:
        print("blocked", repr(e)[:60])
