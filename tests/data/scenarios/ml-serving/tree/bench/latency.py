"""bench/latency.py DIGEST: latency of a local pod."""
import statistics


def p95(samples: list[float]) -> float:
    return statistics.quantiles(samples, n=100)[94]
