"""Pictures and films of recordings without a browser, drawn by the page's own code in Node.

`svg` needs Node, from PATH or from `backscope[pictures]`; `png`, `gif` and `webm` need that extra. Each takes the path
of a `.backscope` file, its bytes, or a recording with a method `save`, and raises PictureError, which says what to do.
"""

from backscope.pictures.drawing import PictureError as PictureError, Theme as Theme
from backscope.pictures.pictures import (
    Png as Png,
    gif as gif,
    page_width as page_width,
    picture_of_step as picture_of_step,
    png as png,
    png_of_step as png_of_step,
    svg as svg,
    webm as webm,
)
