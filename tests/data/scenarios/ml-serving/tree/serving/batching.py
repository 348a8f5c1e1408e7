import asyncio


class Batcher:
    def __init__(self, largest: int):
        self.largest = largest
        self.queue: asyncio.Queue = asyncio.Queue()
