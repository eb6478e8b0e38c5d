"""New tensors: from data, numbers, buffers, or from tensors of another dtype."""
