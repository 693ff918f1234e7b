"""Files are read within bounds, and errors name the file and the line."""

import tracemalloc

import pytest

import mrmlib as mrm
from mrmlib.interop import dot, files, rm_text

MACHINE = mrm.MealyRewardMachine({("u", "größer"): ("u", 0.1)}, "u", null_reward=-1.0)
FORMATS = {
    "json": (MACHINE.to_json(), mrm.MealyRewardMachine.from_json),
    "dot": (dot.to_dot(MACHINE), dot.from_dot),
    "txt": (rm_text.to_rm_text(MACHINE), rm_text.from_rm_text),
}


@pytest.fixture(params=FORMATS)
def file(request, tmp_path):
    """A sound file, and its reader."""
    text, reader = FORMATS[request.param]
    path = tmp_path / f"machine.{request.param}"
    path.write_text(text, encoding="utf-8")
    return path, reader


def test_every_format_is_read_from_a_file(file):
    assert files.read(*file) == MACHINE
    assert files.read(str(file[0]), file[1]) == MACHINE


def test_a_byte_order_mark_and_foreign_line_ends_are_no_harm(file):
    path, reader = file
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert files.read(path, reader) == MACHINE


def test_what_is_not_utf_8_is_refused_with_its_line(file):
    path, reader = file
    path.write_bytes(b"\n\n" + "größer".encode("latin-1"))
    with pytest.raises(mrm.FormatError, match=r"machine\.\w+, line 3: not UTF-8 text"):
        files.read(path, reader)


def test_a_reader_is_told_the_name_of_the_file(file):
    path, reader = file
    path.write_text("junk")
    with pytest.raises(mrm.FormatError) as raised:
        files.read(path, reader)
    assert str(raised.value).startswith(f"{path}, line 1: ")


def test_a_file_of_exactly_the_limit_is_read(file):
    path, reader = file
    size = path.stat().st_size
    assert files.read(path, reader, limit=size) == MACHINE
    with pytest.raises(mrm.FormatError, match=f"line 1: more than the {size - 1} bytes that are read"):
        files.read(path, reader, limit=size - 1)


def test_a_huge_file_is_refused_before_it_is_read(file):
    path, reader = file
    with open(path, "wb") as huge:
        huge.truncate(10**12)  # takes no room on the disk
    tracemalloc.start()
    with pytest.raises(mrm.FormatError, match="more than the 16777216 bytes"):
        files.read(path, reader)
    assert tracemalloc.get_traced_memory()[1] < 10**6
    tracemalloc.stop()


def test_what_tells_no_size_is_read_no_further_than_the_limit():
    with pytest.raises(mrm.FormatError, match=r"^/dev/zero, line 1: more than the 1000 bytes"):
        files.read("/dev/zero", dot.from_dot, limit=1000)


def test_a_file_that_is_not_there_is_the_systems_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        files.read(tmp_path / "nothing.dot", dot.from_dot)
