"""A local embedder without a model: text on standard input, a JSON array of numbers on standard output.

It hashes the letter trigrams of each word into 256 numbers, so that spellings and endings of one word lie close
together. It knows nothing of meaning; a program around a real model takes its place with the same two lines of
contract.
"""

import json
import math
import sys
import unicodedata
from hashlib import blake2b

NUMBERS = 256


def embed(text: str) -> list[float]:
    """A vector of length 1."""
    vector = [0.0] * NUMBERS
    for word in unicodedata.normalize("NFKD", text).casefold().split():
        letters = f"<{''.join(filter(str.isalnum, word))}>"
        for start in range(len(letters) - 2):
            digest = blake2b(letters[start : start + 3].encode(), digest_size=4).digest()
            vector[int.from_bytes(digest) % NUMBERS] += 1.0
    length = math.hypot(*vector) or 1.0
    return [round(number / length, 6) for number in vector]


if __name__ == "__main__":
    json.dump(embed(sys.stdin.read()), sys.stdout)
