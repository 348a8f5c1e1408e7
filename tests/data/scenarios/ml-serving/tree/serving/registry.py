def check(model: str) -> str:
    """Models are named by digest, not latest or stable."""
    if not model.startswith("sha256:"):
        raise ValueError(f"not a digest: {model}")
    return model
