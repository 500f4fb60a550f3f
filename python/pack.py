"""Packs the wheel: package, module, shared libraries and metadata in a zip whose bytes follow from its files.

    python pack.py FOLDER VERSION TAG MODULE PLATFORM=LIBRARY...

prints the path of the wheel. TAG is such as manylinux2014_x86_64; the module is for CPython 3.11 and later (abi3).
"""

import base64
import hashlib
import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent

METADATA = """\
Metadata-Version: 2.4
Name: fixstep
Version: {version}
Summary: Flexible-multibody dynamics that is a Functional Mock-up Unit
License-Expression: MIT OR Apache-2.0
License-File: LICENSE-MIT
License-File: LICENSE-APACHE
Keywords: multibody,FMI,FMU,co-simulation,real time
Classifier: Development Status :: 4 - Beta
Classifier: Intended Audience :: Science/Research
Classifier: Operating System :: POSIX :: Linux
Classifier: Operating System :: Microsoft :: Windows
Classifier: Programming Language :: Python :: 3
Classifier: Programming Language :: Rust
Classifier: Topic :: Scientific/Engineering :: Physics
Classifier: Typing :: Typed
Requires-Python: >=3.11
Requires-Dist: numpy>=1.26
Provides-Extra: all
Requires-Dist: pandas; extra == "all"
Requires-Dist: matplotlib; extra == "all"
Requires-Dist: xarray; extra == "all"
Requires-Dist: pyarrow; extra == "all"
Provides-Extra: gym
Requires-Dist: gymnasium>=1.4; extra == "gym"
Description-Content-Type: text/markdown

{description}"""

WHEEL = """\
Wheel-Version: 1.0
Generator: fixstep
Root-Is-Purelib: false
{tags}
"""


def tags(tag: str) -> list[str]:
    """The tags of a platform; manylinux2014 has two names."""
    machine = tag.removeprefix("manylinux2014_")
    return [f"manylinux_2_17_{machine}", tag] if machine != tag else [tag]


def pack(folder: Path, version: str, tag: str, module: Path, libraries: dict[str, Path]) -> Path:
    """Writes the wheel."""
    info = f"fixstep-{version}.dist-info"
    root = HERE.parent
    files = {}
    for path in sorted((HERE / "fixstep").rglob("*")):
        if path.suffix in (".py", ".pyi", ".typed"):
            files[f"fixstep/{path.relative_to(HERE / 'fixstep').as_posix()}"] = path.read_bytes()
    # The name that Python looks for on each system.
    ending = ".pyd" if module.suffix == ".dll" else ".abi3.so"
    files[f"fixstep/_fixstep{ending}"] = module.read_bytes()
    for name, path in sorted(libraries.items()):
        files[f"fixstep/lib/{name}/{path.name}"] = path.read_bytes()
    description = (root / "docs" / "python.md").read_text(encoding="utf-8")
    files[f"{info}/METADATA"] = METADATA.format(version=version, description=description).encode()
    lines = "\n".join(f"Tag: cp311-abi3-{own}" for own in tags(tag))
    files[f"{info}/WHEEL"] = WHEEL.format(tags=lines).encode()
    files[f"{info}/entry_points.txt"] = b"[console_scripts]\nfixstep = fixstep._program:main\n"
    for name in ("LICENSE-MIT", "LICENSE-APACHE"):
        files[f"{info}/licenses/{name}"] = (root / name).read_bytes()
    record = f"{info}/RECORD"
    rows = [f"{name},sha256={_sum(content)},{len(content)}" for name, content in files.items()]
    files[record] = "\n".join([*rows, f"{record},,"]).encode() + b"\n"
    folder.mkdir(parents=True, exist_ok=True)
    wheel = folder / f"fixstep-{version}-cp311-abi3-{'.'.join(tags(tag))}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content, compresslevel=9)
    return wheel


def _sum(content: bytes) -> str:
    digest = hashlib.sha256(content).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


if __name__ == "__main__":
    place, number, platform, built, *given = sys.argv[1:]
    named = dict(pair.split("=", 1) for pair in given)
    print(pack(Path(place), number, platform, Path(built), {k: Path(v) for k, v in named.items()}))
