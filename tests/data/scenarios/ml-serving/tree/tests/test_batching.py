from serving.batching import Batcher


def test_largest():
    assert Batcher(4).largest == 4
