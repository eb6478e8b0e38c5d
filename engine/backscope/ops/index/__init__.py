"""Reading and writing by indices, slices and masks."""
