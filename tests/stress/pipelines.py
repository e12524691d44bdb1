"""Random pipelines of nnz commands, compared with SciPy and NumPy.

`cargo xtask stress` runs this. The last line of standard output is a summary in JSON.
"""

import argparse
import collections
import json
import pathlib
import shlex
import shutil
import subprocess
import sys
import time
import traceback

import numpy as np

import binsparse_files
import text_files
from fragments import Fragments
from matrix import Matrix, bits, cast, concatenated, holds, random_matrix, random_values
from targets import BINSPARSE, DENSE, GZIP, TARGETS, ZSTD, bpcells_type

TYPES = {"bint8": "bool", "complex[float32]": "complex64", "complex[float64]": "complex128"}
# Directories that are kept per class of findings.
KEPT = 3


class Finding(Exception):
    """A failure."""

    def __init__(self, kind, detail):
        super().__init__(detail)
        self.kind = kind


class Refused(Exception):
    """An expected error of nnz."""


class Pipeline:
    """One round: a matrix, and operations on it."""

    def __init__(self, nnz, rng, directory):
        self.nnz, self.rng, self.directory = nnz, rng, directory
        self.log, self.files, self.checks, self.refused = [], 0, 0, collections.Counter()

    def run(self, *words):
        words = [str(word) for word in words]
        self.log.append(shlex.join([self.nnz, *words]))
        try:
            done = subprocess.run([self.nnz, *words], capture_output=True, timeout=120)
        except subprocess.TimeoutExpired:
            raise Finding("a command does not end", self.log[-1]) from None
        message = done.stderr.decode(errors="replace")
        if done.returncode != 0:
            self.log.append(f"    -> {done.returncode}: {message.strip()} {done.stdout[:500]}")
        questions = words[0] in ("validate", "diff")
        if done.returncode not in ((0, 1, 2) if questions else (0, 1)) or "panicked" in message:
            raise Finding("unexpected status", f"{done.returncode}: {message}")
        if done.returncode == 1 and not message.startswith("nnz: ") and not questions:
            raise Finding("a command fails without a message", f"{message}")
        return done

    def fresh(self, ending):
        self.files += 1
        return self.directory / f"{self.files}.{ending}"

    def chance(self, share):
        return self.rng.random() < share

    def pick(self, list_):
        return list_[int(self.rng.integers(len(list_)))]

    # Sources

    def source(self):
        """Writes a random matrix; returns its path and content."""
        if self.chance(0.15):
            return self.symmetric()
        matrix = random_matrix(self.rng)
        return self.written(matrix)

    def written(self, matrix):
        kind = matrix.values.dtype.kind
        small = matrix.shape[0] * matrix.shape[1] <= DENSE
        ways = ["mtx", "mtx", "npz", "h5", "h5 group"]
        ways += ["pattern"] * (kind == "b" and bool(matrix.values.all()))
        ways += ["array"] * small
        ways += ["dbdf"] * (kind in "iuf")
        way = self.pick(ways)
        if way in ("mtx", "pattern", "array") and matrix.values.dtype == np.dtype("u8"):
            # A text of integers is read as int64.
            if (matrix.values > np.uint64(2**63 - 1)).any():
                way = "npz"
        self.log.append(f"source: {way} {matrix.shape} {len(matrix.rows)} entries of {matrix.values.dtype}")
        if way == "mtx":
            path = self.fresh(self.pick(["mtx", "mtx.gz"]))
            if str(path).endswith(".gz"):
                text_files.write_mtx(_NoScipy(self.rng), path, matrix)
            else:
                text_files.write_mtx(self.rng, path, matrix)
            return path, matrix
        if way == "pattern":
            path = self.fresh("mtx")
            text_files.write_pattern(path, matrix)
            return path, matrix
        if way == "array":
            path = self.fresh("mtx")
            text_files.write_array(path, matrix)
            return path, matrix.dense()
        if way == "dbdf":
            path = self.fresh("dbdf")
            text_files.write_dbdf(self.rng, path, matrix)
            return path, matrix
        formats = ["CSR", "CSC", "DCSR", "DCSC", "COO", "COOR", "COOC"] + ["DMATR", "DMATC"] * small
        name = self.pick(formats)
        matrix = matrix.dense() if name.startswith("DMAT") else matrix
        if way == "npz":
            path = self.fresh("npz")
            binsparse_files.write_npz(self.rng, path, matrix, name)
            return path, matrix
        path, group = self.fresh("h5"), "" if way == "h5" else "some/group"
        binsparse_files.write_hdf5(self.rng, path, group, matrix, name)
        return (f"{path}::{group}" if group else path), matrix

    def symmetric(self):
        """Writes one triangle of a matrix."""
        rng, length = self.rng, int(self.pick([1, 2, 7, 60, 500]))
        count = int(length * length * self.pick([0.01, 0.2, 0.6]))
        rows, cols = np.divmod(np.sort(rng.choice(length * length, min(count, 5000), replace=False)), length)
        symmetry = self.pick(["symmetric", "skew-symmetric", "hermitian"])
        dtype = np.dtype(self.pick(["c16"] if symmetry == "hermitian" else ["i8", "f8", "c16"]))
        below = rows > cols if symmetry == "skew-symmetric" else rows >= cols
        rows, cols = rows[below], cols[below]
        values = random_values(rng, dtype, len(rows))
        if dtype.kind == "i":
            # The minimum of an integer type has no negative.
            values = np.clip(values, -(2**63) + 1, 2**63 - 1)
        if symmetry != "symmetric":
            # Arrays lose the sign of zeros across the diagonal, which are cells.
            values = np.where(values == 0, np.ones(1, dtype=dtype), values)
        if symmetry == "hermitian":
            values = np.where(rows == cols, values.real.astype("c16"), values)
        stored = Matrix((length, length), rows, cols, values)
        whole = binsparse_files.mirrored(symmetry.replace("-", "_"), rows, cols, values)
        matrix = Matrix((length, length), *whole)
        self.log.append(f"source: {symmetry} {length} {len(rows)} entries of {dtype}")
        path = self.fresh("mtx")
        text_files.write_mtx(rng, path, matrix, symmetry, stored)
        return path, matrix

    # Steps

    def options(self, target, matrix):
        """Draws options; returns them and the resulting matrix, or None if an error is expected."""
        rng, words, dtype = self.rng, list(target.flags), matrix.values.dtype
        small = matrix.shape[0] * matrix.shape[1] <= DENSE
        after = np.dtype(target.types(dtype) or dtype) if target.types else dtype
        unsure = False
        if target.types and target.types(dtype) is None:
            after = None
        elif self.chance(0.2) and dtype.kind in "iuf":
            names = {"u4": "uint", "f4": "float", "f8": "double"}
            if target.types is bpcells_type:
                after = np.dtype(self.pick(list(names)))
                words += ["--type", names[after.str[1:]]]
            elif target.name in ("npz", "HDF5", "NetCDF", "Zarr"):
                after = np.dtype(self.pick(["u1", "i2", "u4", "i8", "u8", "f4", "f8"]))
                words += ["--type", str(after)]
        if after is not None and not holds(after, matrix.values):
            after = None
        if target.name.startswith("DAPHNE") and dtype.kind in "bc":
            unsure = True
        if target.order and "--to" not in words and self.chance(0.3):
            words += ["--order", self.pick(["row", "col"])]
        elif "tree" in target.options and self.chance(0.5):
            trees = BINSPARSE if small else BINSPARSE[:9]
            tree = self.pick(trees)
            words += ["--to", tree]
            if "DMAT" in tree or "dense2" in tree or "(dense" in tree:
                matrix = matrix.dense()
        if "array" in target.options and small and self.chance(0.2):
            words += ["--layout", "array"]
            matrix = matrix.dense()
            unsure |= matrix.values.dtype.kind == "b"
        if "dense" in target.options:
            matrix = matrix.dense()
        if "blocks" in target.options and self.chance(0.4):
            words += ["--block", f"{self.pick([1, 7, 100, 5000])}x{self.pick([1, 9, 1000])}"] \
                if small else ["--block", "500x5000"]
            matrix = matrix.dense()
        if "blocks" in target.options and self.chance(0.2):
            words += ["--narrow"]
        if "unpacked" in target.options and self.chance(0.3):
            words += ["--unpacked"]
        if "minimize" in target.options and self.chance(0.2) and "--type" not in words:
            words += ["--minimize"]
        if "structure" in target.options and self.chance(0.3):
            words += self.pick([["--structure", "auto"], ["--structure", "general"], ["--expand"]])
        ways = GZIP * ("gzip" in target.options) + ZSTD * ("zstd" in target.options)
        if ways and self.chance(0.4):
            words += ["--compress", self.pick(ways)]
        words += ["--threads", self.pick(["1", "2", "7"])] if self.chance(0.6) else []
        words += ["--memory", "1M"] if self.chance(0.4) else []
        return words, matrix, after, unsure

    def write(self, verb, sources, matrix, words=(), unsure=False):
        """Runs a verb; returns the path of the result, and its expected content."""
        given = matrix
        for _ in range(4):
            small = given.shape[0] * given.shape[1] <= DENSE
            target = self.pick([one for one in TARGETS if small or "dense" not in one.options])
            options, matrix, after, doubtful = self.options(target, given)
            # A few expected errors are enough.
            if after is not None or self.chance(0.15):
                break
        path = self.fresh(target.ending)
        place = f"{path}::{target.group}" if target.group else path
        done = self.run(verb, "-q", "--no-sync", *options, *words, *sources, place)
        self.checks += 1
        if done.returncode:
            if path.exists():
                raise Finding("a refused command leaves its target", str(path))
            if after is not None and not (unsure or doubtful) and not self.may_refuse(target, options, done):
                raise Finding("a supported write is refused", done.stderr.decode())
            self.refused[target.name] += 1
            raise Refused
        if after is None:
            raise Finding("an unsupported write succeeds", f"{self.log[-1]}")
        if unsure:
            raise Refused
        self.valid(place)
        if after != matrix.values.dtype:
            values = cast(matrix.values, after)
            matrix = Matrix(matrix.shape, matrix.rows, matrix.cols, values, matrix.exact)
        return target, path, place, matrix

    def may_refuse(self, target, options, done):
        """Documented errors that are independent of the values."""
        message = done.stderr.decode()
        if target.name.startswith("mtx") and "row" in options:
            # A dense matrix is an array, which is stored by column.
            return True
        known = ["symmetric array", "skew-symmetric", "hermitian", "--expand"]
        return any(words in message for words in known)

    def valid(self, place):
        done = self.run("validate", place)
        self.checks += 1
        if done.returncode:
            raise Finding("the output is not valid", done.stdout.decode() + done.stderr.decode())

    def step(self, source, matrix):
        chosen = self.rng.random()
        if chosen < 0.5:
            return self.write("convert", [source], matrix)
        if chosen < 0.65:
            return self.write("transpose", [source], matrix.transposed())
        if chosen < 0.85:
            return self.slice(source, matrix)
        return self.concat(source, matrix)

    def slice(self, source, matrix):
        words, picked = [], []
        for axis, length in zip(("rows", "cols"), matrix.shape, strict=True):
            chosen = self.rng.random()
            if chosen < 0.3:
                picked.append(None)
                continue
            if chosen < 0.6:
                start, end = sorted(self.rng.integers(0, length + 1, 2).tolist())
                picked.append(list(range(start, end)))
                words += [f"--{axis}", f"{start}:{end}"]
                continue
            some = self.rng.permutation(length)[:int(self.rng.integers(0, min(length, 200) + 1))].tolist()
            if not some:
                picked.append(None)
                continue
            picked.append(some)
            if chosen < 0.8:
                words += [f"--{axis}", ",".join(map(str, some))]
            else:
                listed = self.fresh("txt")
                listed.write_text("".join(f"{at}\n" for at in some))
                words += [f"--{axis}", f"@{listed}"]
        words = words or ["--rows", ":"]
        return self.write("slice", [source], matrix.sliced(*picked), [*words, "--allow-empty"])

    def concat(self, source, matrix):
        axis = self.pick(["rows", "cols"])
        parts, places = [matrix], [source]
        for _ in range(int(self.rng.integers(1, 3))):
            if self.chance(0.3):
                parts.append(matrix)
                places.append(source)
                continue
            other = random_matrix(self.rng)
            # As long as the first across the axis.
            across = 1 if axis == "rows" else 0
            length = matrix.shape[across]
            shape = (other.shape[0], length) if across else (length, other.shape[1])
            inside = (other.cols if across else other.rows) < length
            values = other.values[inside]
            if self.chance(0.7) and matrix.values.dtype.kind != "b":
                values = random_values(self.rng, matrix.values.dtype, int(inside.sum()))
            other = Matrix(shape, other.rows[inside], other.cols[inside], values)
            place, other = self.written(other)
            parts.append(other)
            places.append(place)
        dtype = np.result_type(*[part.values.dtype for part in parts])
        # Types as they are read: a text of integers is int64, and so on.
        mixed = len({part.values.dtype.kind for part in parts}) > 1 or \
            any(part.values.dtype == np.dtype("u8") for part in parts)
        unsure = mixed or not all(holds(dtype, part.values) for part in parts)
        together = concatenated(parts, axis)
        if unsure:
            self.write("concat", places, together, ["--axis", axis], unsure=True)
        return self.write("concat", places, together, ["--axis", axis])

    # Results

    def listed(self, place):
        """Reads a matrix with `nnz cat`."""
        info = json.loads(self.run("info", "--json", place).stdout)
        dtype = np.dtype(TYPES.get(info["value_type"], info["value_type"]))
        lines = self.run("cat", "--expand", place).stdout.decode().splitlines()
        fields = [line.split("\t") for line in lines]
        rows, cols = [int(words[0]) for words in fields], [int(words[1]) for words in fields]
        if dtype.kind == "c":
            part = "f4" if dtype.itemsize == 8 else "f8"
            pairs = np.array([(float(words[2]), float(words[3])) for words in fields], dtype=part)
            values = np.ascontiguousarray(pairs.reshape(len(fields), 2)).view(dtype).reshape(len(fields))
        elif dtype.kind == "f":
            values = np.array([float(words[2]) for words in fields], dtype=dtype)
        else:
            values = np.array([int(words[2]) for words in fields], dtype=dtype)
        return Matrix((info["rows"], info["cols"]), rows, cols, values)

    def compare(self, found, matrix, who):
        """Compares a result with the expected matrix, bit by bit."""
        self.checks += 1
        kind = f"{who} finds another matrix"
        if found.shape != matrix.shape:
            raise Finding(kind, f"shape {found.shape}, not {matrix.shape}")
        found = Matrix(found.shape, found.rows, found.cols, found.values, found.exact and matrix.exact)
        rows, cols, values = found.sorted()
        matrix = Matrix(matrix.shape, matrix.rows, matrix.cols, matrix.values, found.exact)
        wanted_rows, wanted_cols, wanted = matrix.sorted()
        if len(rows) != len(wanted_rows):
            raise Finding(kind, f"{len(rows)} entries, not {len(wanted_rows)}")
        if not (np.array_equal(rows, wanted_rows) and np.array_equal(cols, wanted_cols)):
            raise Finding(kind, "entries are at other positions")
        if not holds(values.dtype, wanted):
            raise Finding(kind, f"{values.dtype} does not hold values of {wanted.dtype}")
        differ = bits(known(values)) != bits(known(cast(wanted, values.dtype)))
        if len(values) and differ.any():
            at = int(np.argmax(differ.any(axis=1)))
            raise Finding(kind, f"({rows[at]}, {cols[at]}): {values[at]!r}, not {wanted[at]!r}; "
                          f"{int(differ.any(axis=1).sum())} of {len(values)} differ")

    def fail(self, kind, detail):
        raise Finding(kind, detail)

    def go(self):
        """Runs the pipeline."""
        if self.chance(0.1):
            Fragments(self).go()
            return
        place, matrix = self.source()
        if self.chance(0.3):
            self.compare(self.listed(place), matrix, "cat of the source")
        for _ in range(int(self.rng.integers(1, 6))):
            try:
                target, path, place, matrix = self.step(place, matrix)
            except Refused:
                break
            if target.reader and self.chance(0.7):
                self.compare(target.reader(path, target.group), matrix, f"who reads {target.name}")
        self.compare(self.listed(place), matrix, "cat")


class _NoScipy:
    """A generator that never selects compression, which SciPy does not support."""

    def __init__(self, rng):
        self.rng, self.first = rng, True

    def random(self):
        drawn = self.rng.random()
        return max(drawn, 0.5)

    def shuffle(self, list_):
        self.rng.shuffle(list_)


def known(values):
    """Values with equal NaNs: only some formats keep their bits, and text never does."""
    if values.dtype.kind not in "fc" or not len(values):
        return values
    parts = np.ascontiguousarray(values).view(values.real.dtype).copy()
    parts[np.isnan(parts)] = np.nan
    return parts


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--nnz", required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--first", type=int, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--directory", type=pathlib.Path, required=True)
    parser.add_argument("--once", action="store_true")
    options = parser.parse_args()
    end = time.monotonic() + options.seconds
    rounds, checks, findings = 0, 0, []
    classes, refused = collections.Counter(), collections.Counter()
    while rounds == 0 or (time.monotonic() < end and not options.once):
        number = options.first + rounds
        directory = options.directory / f"pipelines-{number}"
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
        rng = np.random.default_rng([options.seed, number])
        pipeline = Pipeline(options.nnz, rng, directory)
        found = None
        try:
            pipeline.go()
        except Finding as finding:
            found = (finding.kind, str(finding))
        except Exception as error:  # noqa: BLE001: an error of this program is not a result
            found = (f"the pipeline stops: {type(error).__name__}", traceback.format_exc())
        rounds += 1
        checks += pipeline.checks
        refused += pipeline.refused
        if found:
            classes[found[0]] += 1
            findings.append({"round": number, "class": found[0], "detail": found[1]})
        if found and classes[found[0]] <= KEPT:
            again = f"cargo xtask stress --seed {options.seed} --only pipelines --round {number}"
            text = [again, "", f"== {found[0]}", found[1], "", "== commands", *pipeline.log]
            (directory / "finding.txt").write_text("\n".join(text) + "\n")
        else:
            shutil.rmtree(directory)
    print(json.dumps({"rounds": rounds, "checks": checks, "findings": findings, "refused": refused}))


if __name__ == "__main__":
    sys.exit(main())
