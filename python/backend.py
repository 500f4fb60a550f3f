"""Builds the package from its sources for pip (PEP 517): with Cargo, for this computer alone."""

import io
import os
import platform
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
from pathlib import Path

from pack import METADATA, pack

ROOT = Path(__file__).resolve().parent.parent

#: What a source distribution leaves out.
LEFT_OUT = ("target", ".git", ".venv", "node_modules", "__pycache__", "shots")


def _version() -> str:
    with (ROOT / "Cargo.toml").open("rb") as file:
        version: str = tomllib.load(file)["workspace"]["package"]["version"]
    return version


def get_requires_for_build_wheel(config_settings=None):
    """Cargo alone, which pip does not have."""
    return []


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Builds module and shared library, and zips them."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    for words in (["-p", "fixstep-python"], ["-p", "fixstep-library", "--target-dir", str(target / "library")]):
        try:
            subprocess.run(["cargo", "build", "--release", *words], cwd=ROOT, check=True, env=_environment())
        except FileNotFoundError:
            raise SystemExit("fixstep is built by Cargo: install Rust 1.89 or later (https://rustup.rs)") from None
    module, library = {
        "win32": ("_fixstep.dll", "fixstep.dll"),
        "darwin": ("lib_fixstep.dylib", "libfixstep.dylib"),
    }.get(sys.platform, ("lib_fixstep.so", "libfixstep.so"))
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine().lower(), platform.machine().lower())
    system = {"win32": "windows", "darwin": "darwin"}.get(sys.platform, "linux")
    tag = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    libraries = {f"{machine}-{system}": target / "library/release" / library}
    wheel = pack(Path(wheel_directory), _version(), tag, target / "release" / module, libraries)
    return wheel.name


def _environment():
    own = dict(os.environ, PYO3_NO_PYTHON="1")
    if sys.platform == "darwin":
        # The interpreter that loads the module has its symbols.
        own["RUSTFLAGS"] = (own.get("RUSTFLAGS", "") + " -C link-arg=-undefined -C link-arg=dynamic_lookup").strip()
    return own


def build_sdist(sdist_directory, config_settings=None):
    """Packs the sources."""
    version = _version()
    name = f"fixstep-{version}"
    path = Path(sdist_directory, f"{name}.tar.gz")
    with tarfile.open(path, "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for file in sorted(_sources()):
            archive.add(file, f"{name}/{file.relative_to(ROOT).as_posix()}", recursive=False)
        about = METADATA.format(version=version, description=(ROOT / "docs/python.md").read_text(encoding="utf-8")).encode()
        entry = tarfile.TarInfo(f"{name}/PKG-INFO")
        entry.size = len(about)
        archive.addfile(entry, io.BytesIO(about))
    return path.name


def _sources():
    """The files that Git has, or all of an unpacked source distribution."""
    if (ROOT / ".git").exists():
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True).stdout
        return [ROOT / name for name in listed.decode().split("\0") if name]
    found = []
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [own for own in folders if own not in LEFT_OUT]
        found += [Path(folder, own) for own in files if own != "PKG-INFO"]
    return found
