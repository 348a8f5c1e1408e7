"""The seam where a model is asked: what it is told, the shape of its answer, the answer read."""
