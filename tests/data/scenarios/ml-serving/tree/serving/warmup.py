SHAPES = [(1, 64), (1, 512), (32, 512)]


def warm_up(session) -> None:
    """Run each shape once; the kernels are compiled when this returns."""
    for shape in SHAPES:
        session.run_shape(shape)
