"""Pages and pictures of measured results: HTML and SVG made here, nothing fetched, every foreign string escaped."""
