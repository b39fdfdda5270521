"""Chains of steps give what tf.data gives for them, as `chains/make_golden.py` recorded it from TensorFlow."""

from __future__ import annotations

import json
import pathlib
import sys

import pytest

import feedline as fl

FOLDER = pathlib.Path(__file__).with_name("chains")
sys.path.insert(0, str(FOLDER))

from texts import CHAINS, RECORDS, names, outcome, write_texts  # noqa: E402

CASES = [json.loads(line) for line in (FOLDER / "golden.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = str(tmp_path_factory.mktemp("chains"))
    write_texts(folder)
    with fl.io.TFRecordWriter(f"{folder}/a.tfrecord") as writer:
        for record in RECORDS:
            writer.write(fl.io.example(record))
    return folder


def test_every_chain_is_recorded():
    recorded = {case["chain"] for case in CASES}
    assert [chain for chain in CHAINS if chain not in recorded] == []
    assert len(CASES) > 400


@pytest.mark.parametrize("case", CASES, ids=[str(number) for number in range(len(CASES))])
def test_chain_gives_what_tf_data_gives(case, files):
    gives = outcome(case["chain"], names(fl, fl, files, "fl"))
    if case["gives"] == "error":
        # One that says what is wrong with the chain, and neither a bug here nor a name that there is not.
        kind = gives.split(": ")[1] if isinstance(gives, str) else ""
        error = getattr(fl, kind, None)
        is_ours = isinstance(error, type) and issubclass(error, fl.FeedlineError) and not issubclass(error, fl.InternalError)
        assert is_ours, f"{case['chain']} gives {gives}"
    else:
        assert json.loads(json.dumps(gives)) == case["gives"], case["chain"]
