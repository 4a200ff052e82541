"""Tells the host, test by test, how a pytest run goes, and holds a deadline per test.

Loaded by Instar into the pytest of a stage with `report: {pytest: stream}`. One JSON record per
line goes to $INSTAR_OUT/$PYTEST_INSTAR_STREAM and is flushed at once:

    {"type": "start", "ids": [...]}                                 what was collected
    {"type": "collect_error", "id": FILE}                           what could not be
    {"type": "test", "id": ID, "outcome": WORD, "cpu_s": SECONDS}   one test has ended
    {"type": "end", "exit": CODE, "tests": COUNT}                   the run is complete

The tests run in a child process that this one watches. A test that hangs (in Python, in C, or
asleep), crashes or leaves by os._exit ends that child only: its test is recorded, and a new child,
forked from the state after collection, goes on with the rest.
"""

import json
import os
import select
import signal
import struct
import sys
import time

import pytest

# A deadline counts CPU seconds; a test that waits instead of computing meets this multiple of it by
# the clock, so that a loaded machine does not change an outcome.
WALL_FACTOR = 4
# After so many lost children the rest of the tests is given up: every fork repeats the fixtures.
MAX_LOST_CHILDREN = 20
# Captured output that is shown of a failing test, in characters.
MAX_SECTION = 20000


def pytest_configure(config):
    name = os.environ.get("PYTEST_INSTAR_STREAM")
    out = os.environ.get("INSTAR_OUT")
    if name and out and not config.option.collectonly:
        limit = float(os.environ.get("PYTEST_INSTAR_PER_TEST", "0"))
        plugin = Stream(config, os.path.join(out, name), limit)
        config.pluginmanager.register(plugin, "instar-stream")


def printable(text):
    """The same text for the same id, whatever bytes are in it."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def cpu_clock(pid):
    """The number of the clock that counts the CPU time of another process (clock_getcpuclockid)."""
    return (~pid << 3) | 2


class Stream:
    def __init__(self, config, path, limit_s):
        self.config = config
        self.limit_s = limit_s
        self.file = open(path, "x", encoding="utf-8")
        self.phases = {}
        self.ended = 0
        self.pipe = None  # of a child: where its reports go

    def write(self, record):
        self.file.write(json.dumps(record) + "\n")
        self.file.flush()

    # --- what the host is told -------------------------------------------------------------

    def pytest_collectreport(self, report):
        if report.failed:
            self.write({"type": "collect_error", "id": printable(report.nodeid)})

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session):
        self.write({"type": "start", "ids": [printable(item.nodeid) for item in session.items]})

    def end_test(self, nodeid, outcome, cpu_s):
        self.ended += 1
        self.write(
            {"type": "test", "id": printable(nodeid), "outcome": outcome, "cpu_s": round(cpu_s, 6)}
        )

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session, exitstatus):
        if self.pipe is None:
            self.write({"type": "end", "exit": int(exitstatus), "tests": self.ended})
            self.file.close()

    # --- the loop over the tests, in the watching process ----------------------------------

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session):
        if session.testsfailed and not session.config.option.continue_on_collection_errors:
            return None  # pytest's own loop tells about the collection errors
        lost = 0
        index = 0
        while index < len(session.items) and not self.stopped(session):
            if lost > MAX_LOST_CHILDREN:
                raise session.Failed("too many tests hung or crashed")
            index, ended_well = self.run_child(session, index)
            lost += not ended_well
        if session.shouldfail:
            raise session.Failed(session.shouldfail)
        if session.shouldstop:
            raise session.Interrupted(session.shouldstop)
        return True

    @staticmethod
    def stopped(session):
        return session.shouldfail or session.shouldstop

    def run_child(self, session, index):
        """Runs the tests from `index` in a child. Gives the index of the first that did not run,
        and whether the child ended by itself."""
        read_end, write_end = os.pipe()
        flush_output()
        pid = os.fork()
        if pid == 0:
            try:
                os.close(read_end)
                self.be_child(session, index, write_end)
            finally:
                os._exit(70)  # only reached when the loop itself broke
        os.close(write_end)
        try:
            os.setpgid(pid, pid)
        except OSError:
            pass  # the child did it first, or has ended
        try:
            return self.watch(session, index, pid, read_end)
        finally:
            os.close(read_end)
            end_group(pid)

    def watch(self, session, index, pid, read_end):
        frames = Frames(read_end)
        while index < len(session.items) and not self.stopped(session):
            item = session.items[index]
            self.config.hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
            cpu_start, wall_start = cpu_now(pid), time.monotonic()
            reports, fault = self.reports_of_one(frames, pid, cpu_start, wall_start)
            cpu_s = max(0.0, (cpu_now(pid) or 0) - (cpu_start or 0))
            if fault is not None:
                self.tell_lost(item, reports, fault, cpu_s)
                return index + 1, False
            self.tell_reports(item, reports, cpu_s)
            index += 1
        return index, True

    def reports_of_one(self, frames, pid, cpu_start, wall_start):
        """The reports of one test, and what ended the child before its last one (or None)."""
        reports = []
        while True:
            for frame in frames.take():
                if frame is None:
                    return reports, None
                reports.append(self.restored(frame))
            if frames.closed:
                return reports, "crashed"
            if not frames.wait(self.patience(pid, cpu_start, wall_start)):
                if self.patience(pid, cpu_start, wall_start) <= 0:
                    return reports, "timeout"

    def restored(self, frame):
        report = self.config.hook.pytest_report_from_serializable(config=self.config, data=frame)
        if report.skipped and isinstance(report.longrepr, list):
            report.longrepr = tuple(report.longrepr)  # JSON has no tuples; a skip's place is one
        return report

    def patience(self, pid, cpu_start, wall_start):
        """How long to wait before the deadline can have come, in seconds; 0 when it has."""
        if not self.limit_s:
            return 3600
        cpu = cpu_now(pid)
        if cpu is None or cpu_start is None:
            return 0.01  # it has just ended: its pipe says so at once
        cpu_left = self.limit_s - (cpu - cpu_start)
        wall_left = WALL_FACTOR * self.limit_s - (time.monotonic() - wall_start)
        return max(0.0, min(cpu_left, wall_left))

    def tell_reports(self, item, reports, cpu_s):
        for report in reports:
            self.config.hook.pytest_runtest_logreport(report=report)
        self.config.hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        self.end_test(item.nodeid, outcome_of(reports), cpu_s)

    def tell_lost(self, item, reports, fault, cpu_s):
        words = {
            "timeout": "the test did not end within %g s" % self.limit_s,
            "crashed": "the process of the test ended before the test did",
        }
        report = pytest.TestReport(
            nodeid=item.nodeid, location=item.location, keywords={}, outcome="failed",
            longrepr=words[fault], when="call", sections=[], duration=0.0, start=0.0, stop=0.0)
        for each in [r for r in reports if r.when == "setup"] + [report]:
            self.config.hook.pytest_runtest_logreport(report=each)
        self.config.hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        self.end_test(item.nodeid, "timeout" if fault == "timeout" else "error", cpu_s)

    # --- the child --------------------------------------------------------------------------

    def be_child(self, session, index, write_end):
        os.setpgid(0, 0)
        self.file.close()
        self.pipe = write_end
        terminal = self.config.pluginmanager.getplugin("terminalreporter")
        if terminal is not None:
            self.config.pluginmanager.unregister(terminal)  # the watching process prints
        items = session.items
        for position in range(index, len(items)):
            following = items[position + 1] if position + 1 < len(items) else None
            self.config.hook.pytest_runtest_protocol(item=items[position], nextitem=following)
            send(self.pipe, None)
            if self.stopped(session):
                break
        flush_output()
        os._exit(0)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report):
        if self.pipe is not None:
            report.sections = [(name, text[-MAX_SECTION:]) for name, text in report.sections]
            send(self.pipe, self.config.hook.pytest_report_to_serializable(
                config=self.config, report=report))


class Frames:
    """Messages from the child: a length, then a JSON text."""

    def __init__(self, descriptor):
        self.descriptor = descriptor
        self.buffer = b""
        self.closed = False

    def wait(self, seconds):
        ready, _, _ = select.select([self.descriptor], [], [], seconds)
        if ready:
            block = os.read(self.descriptor, 1 << 16)
            self.closed = not block
            self.buffer += block
        return bool(ready)

    def take(self):
        """The whole messages so far, up to and with the end of one test."""
        while len(self.buffer) >= 4:
            (length,) = struct.unpack(">I", self.buffer[:4])
            if len(self.buffer) < 4 + length:
                return
            frame = json.loads(self.buffer[4:4 + length])
            self.buffer = self.buffer[4 + length:]
            yield frame
            if frame is None:
                return


def send(descriptor, value):
    data = json.dumps(value, default=str).encode()
    data = struct.pack(">I", len(data)) + data
    while data:
        data = data[os.write(descriptor, data):]


def cpu_now(pid):
    try:
        return time.clock_gettime(cpu_clock(pid))
    except OSError:
        return None  # it has ended


def end_group(pid):
    """Kills the child with what it started, and reaps it."""
    for kill in (os.killpg, os.kill):
        try:
            kill(pid, signal.SIGKILL)
        except OSError:
            pass
    try:
        os.waitpid(pid, 0)
    except OSError:
        pass


def flush_output():
    for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
        try:
            stream.flush()
        except (AttributeError, ValueError, OSError):
            pass


def outcome_of(reports):
    """One word for the phases of a test: the worst of them."""
    word = "passed" if any(r.when == "call" and r.passed for r in reports) else "error"
    for report in reports:
        if report.failed:
            word = "failed" if report.when == "call" else "error"
            if report.when == "call":
                break
        elif report.skipped:
            word = "xfail" if hasattr(report, "wasxfail") else "skipped"
    return word
