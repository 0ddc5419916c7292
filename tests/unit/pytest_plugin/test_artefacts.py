"""What is said of the files that pytest-playwright keeps of a failed test."""

from harness.pytest_plugin.artefacts import artefact_lines


def test_a_trace_comes_with_its_command_quoted_for_a_shell() -> None:
    assert artefact_lines([("playwright_trace", "test results/it's/trace.zip")]) == [
        "trace: test results/it's/trace.zip",
        "  playwright show-trace 'test results/it'\"'\"'s/trace.zip'",
    ]


def test_every_trace_and_video_is_named_traces_first() -> None:
    properties = [
        ("lanewright_commands", 3),
        ("playwright_video", "out/video.webm"),
        ("playwright_trace", "out/trace-1.zip"),
        ("playwright_trace", "out/trace-2.zip"),
        ("playwright_screenshot", "out/test-failed-1.png"),
    ]
    assert artefact_lines(properties) == [
        "trace: out/trace-1.zip",
        "  playwright show-trace out/trace-1.zip",
        "trace: out/trace-2.zip",
        "  playwright show-trace out/trace-2.zip",
        "video: out/video.webm",
    ]


def test_without_either_nothing_is_said() -> None:
    assert artefact_lines([("playwright_screenshot", "out/test-failed-1.png")]) == []
