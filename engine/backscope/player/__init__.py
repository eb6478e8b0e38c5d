"""The page that plays a recording: in one HTML file, and in the cell of a notebook."""
