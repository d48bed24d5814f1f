# Fetches one target with python-tuf and prints it: metadata URL, targets URL, folder of its state, trusted root, target.
import pathlib
import sys

from tuf.ngclient import Updater

metadata_url, targets_url, state, root, target = sys.argv[1:]
folder = pathlib.Path(state)
(folder / "targets").mkdir(parents=True, exist_ok=True)
updater = Updater(
    str(folder),
    metadata_url,
    str(folder / "targets"),
    targets_url,
    bootstrap=pathlib.Path(root).read_bytes(),
)
updater.refresh()
info = updater.get_targetinfo(target)
if info is None:
    sys.exit(f"no target {target}")
path = updater.download_target(info, str(folder / "targets" / "file"))
sys.stdout.write(pathlib.Path(path).read_text())
