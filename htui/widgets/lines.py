"""The base of all widgets here: whole lines, drawn through the line API and nothing else."""

from collections.abc import Sequence

from rich.segment import Segment
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget

from htui.present.cells import width
from htui.present.lines import Line, cut_line
from htui.theme import Theme


def to_strip(line: Line, theme: Theme, cells: int) -> Strip:
    """The line as a strip of exactly `cells`."""
    segments = []
    used = 0
    for span in line:
        segments.append(Segment(span.text, theme.style(span.role)))
        used += width(span.text)
    if used > cells:
        return to_strip(cut_line(line, cells), theme, cells)
    if used < cells:
        segments.append(Segment(" " * (cells - used)))
    return Strip(segments, cells)


class Lines(Widget, inherit_bindings=False):
    """A widget as wide as the screen that shows strips. `show` replaces them and repaints the lines that changed."""

    DEFAULT_CSS = """
    Lines {
        width: 100%;
        height: auto;
    }
    """

    can_focus = False

    def __init__(self, theme: Theme, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.theme = theme
        self._strips: list[Strip] = []

    @property
    def cells(self) -> int:
        return max(1, self.size.width or self.app.size.width)

    @property
    def line_count(self) -> int:
        return len(self._strips)

    def show(self, lines: Sequence[Line]) -> None:
        """Shows other lines; the layout changes only when their number does."""
        cells = self.cells
        self.show_strips([to_strip(line, self.theme, cells) for line in lines])

    def show_strips(self, strips: list[Strip]) -> None:
        old, self._strips = self._strips, strips
        if len(strips) != len(old):
            self.refresh(layout=True)
            return
        for place, (before, after) in enumerate(zip(old, strips, strict=True)):
            if before is not after and before != after:
                self.refresh(Region(0, place, self.cells, 1))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._strips)

    def render_lines(self, crop: Region) -> list[Strip]:
        """The strips as they are: no style of the sheet lies over them."""
        blank = Strip.blank(crop.width)
        found = []
        for place in range(crop.y, crop.bottom):
            strip = self._strips[place] if 0 <= place < len(self._strips) else blank
            found.append(strip.crop_extend(crop.x, crop.right, None))
        return found
