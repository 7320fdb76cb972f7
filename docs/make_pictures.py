"""Writes the samples' pictures into docs/pictures: ``python docs/make_pictures.py``. Takes some minutes.

Each sample is built by hfpy, run at its default size, and drawn by its own ``plot.py``. Pictures are kept small: 1100
pixels wide at most, 256 colours.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures"
# The sample, and what its program gets after the file.
SAMPLES = {"weather": (), "euler": (), "cloud": (), "mandelbrot": ("1000", "400")}
WIDTH, COLOURS = 1100, 256


def call(*command: str | Path) -> None:
    """Run a command, which has to succeed."""
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)


def draw(sample: str, folder: Path) -> Path:
    """The picture of a sample as its ``plot.py`` makes it."""
    home = ROOT / "samples" / sample
    data, picture = folder / f"{sample}.dat", folder / f"{sample}.png"
    call(sys.executable, "-m", "hfpy", "run", "-C", home, "--", data, *SAMPLES[sample])
    call(sys.executable, home / "plot.py", data, picture)
    return picture


def main() -> None:
    """Draw all samples."""
    for sample in SAMPLES:
        with tempfile.TemporaryDirectory() as folder:
            image = Image.open(draw(sample, Path(folder))).convert("RGB")
        if image.width > WIDTH:
            image = image.resize((WIDTH, round(image.height * WIDTH / image.width)), Image.Resampling.LANCZOS)
        image.quantize(COLOURS).save(PICTURES / f"{sample}.png", optimize=True)
        print(f"{sample}.png: {(PICTURES / f'{sample}.png').stat().st_size // 1024} KB")


if __name__ == "__main__":
    main()
