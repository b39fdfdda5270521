"""The test runner itself: a test that hangs is ended and named, and the others are not harmed by it."""

import os
import stat
import tempfile
import time
import unittest

import run_tests

# Behaves like a Rust test program as far as the runner asks.
FAKE = r"""#!/bin/sh
case "$*" in
  "--list --format terse --ignored") printf 'later: test\n' ;;
  "--list --format terse") printf 'passes: test\nfails: test\nhangs: test\nlater: test\nspeed: benchmark\n' ;;
  "--exact passes") ;;
  "--exact fails") echo 'it went wrong'; exit 101 ;;
  "--exact hangs") sleep 1000 & echo $! > "$CARGO_MANIFEST_DIR/child"; wait ;;
  *) echo "what is $*?"; exit 1 ;;
esac
"""


class RunTests(unittest.TestCase):
    def test_a_hanging_test_is_ended_with_its_children_and_named(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "fake")
            with open(path, "w", encoding="utf-8") as file:
                file.write(FAKE)
            os.chmod(path, stat.S_IRWXU)
            program = run_tests.Program("fake", path, folder)
            lines = []
            start = time.monotonic()
            num_failed = run_tests.run_all([program], limit=2, jobs=2, report=lines.append)
            self.assertLess(time.monotonic() - start, 60)
            with open(os.path.join(folder, "child"), encoding="utf-8") as file:
                child = int(file.read())
        report = "\n".join(lines)
        self.assertEqual(num_failed, 2, report)
        self.assertIn("fake passes: ok", report)
        self.assertIn("fake fails: FAILED (exit code 101)\nit went wrong", report)
        self.assertIn("fake hangs: HUNG (ended after 2 s)", report)
        self.assertIn("1 of 3 tests passed", report)
        self.assertFalse(is_running(child), "what the test started has ended with it")


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


if __name__ == "__main__":
    unittest.main()
