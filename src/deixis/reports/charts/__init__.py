"""Charts as SVG text, drawn by hand: plain numbers and strings in, a picture for a page or a file of its own out."""

from deixis.reports.charts.bars import Bars, bar_chart
from deixis.reports.charts.heat import heat_map
from deixis.reports.charts.line import Series, line_chart
from deixis.reports.charts.scales import Axis

__all__ = ["Axis", "Bars", "Series", "bar_chart", "heat_map", "line_chart"]
