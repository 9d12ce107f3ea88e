"""A page of black rectangles and one line of text as a PDF file of true size (ISO 32000-1, one page).

No library that draws a PDF page comes without a whole imaging package; this needs none of it.
"""

from typing import Final, NamedTuple

POINTS_PER_MM: Final = 72 / 25.4
"""PDF counts in points, 72 an inch."""


class Rectangle(NamedTuple):
    """Upper left corner and size, millimetres from the upper left of the page."""

    x: float
    y: float
    width: float
    height: float

    @property
    def edges(self) -> tuple[float, float, float, float]:
        """Left, top, right, foot."""
        return self.x, self.y, self.x + self.width, self.y + self.height

    def moved(self, right: float, down: float) -> "Rectangle":
        """The same elsewhere."""
        return self._replace(x=self.x + right, y=self.y + down)


class TextLine(NamedTuple):
    """A line of text: start of its base line and height, millimetres; characters of ASCII."""

    x: float
    y: float
    height: float
    words: str


class Page(NamedTuple):
    """The content of a printed page."""

    width_mm: float
    height_mm: float
    black: tuple[Rectangle, ...]
    label: TextLine


def pdf_bytes(page: Page) -> bytes:
    """The file. Its size is that of the page, so that it prints true without scaling."""
    content = _content(page).encode("ascii")
    size = f"{page.width_mm * POINTS_PER_MM:.3f} {page.height_mm * POINTS_PER_MM:.3f}"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R /ViewerPreferences << /PrintScaling /None >> >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {size}] /Contents 4 0 R "
        "/Resources << /Font << /F1 5 0 R >> >> >>".encode("ascii"),
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    return _file(objects)


def _content(page: Page) -> str:
    """Drawing commands in millimetres, y upwards as PDF counts it."""
    scale = f"{POINTS_PER_MM:.6f}"
    lines = ["q", f"{scale} 0 0 {scale} 0 0 cm", "0 g"]
    for black in page.black:
        foot = page.height_mm - black.y - black.height
        lines.append(f"{black.x:.3f} {foot:.3f} {black.width:.3f} {black.height:.3f} re")
    label = page.label
    words = label.words.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    lines += ["f", "BT", f"/F1 {label.height:.3f} Tf", f"{label.x:.3f} {page.height_mm - label.y:.3f} Td"]
    return "\n".join([*lines, f"({words}) Tj", "ET", "Q"])


def _file(objects: list[bytes]) -> bytes:
    """Number the objects and add the table of where each begins."""
    data = b"%PDF-1.4\n"
    starts = []
    for number, body in enumerate(objects, start=1):
        starts.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % start for start in starts)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    tail = b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(data))
    return data + head + table + tail
