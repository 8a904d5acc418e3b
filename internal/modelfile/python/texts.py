

# ---- Scores of texts: a linear model of words, pairs and sequences of characters ---------

FNV_PRIME, WORD_START = 16777619, 2166136261
PAIR_START, GRAM_START = WORD_START ^ 0x5BD1E995, WORD_START ^ 0x1B873593
MIN_GRAM, MAX_GRAM, MAX_GRAM_RUN = 3, 5, 40
MAX_TEXT_TERMS = 20000
BLOCK_NORMS = np.array([1, 0.7], np.float32)  # of words and pairs, of sequences
LOG_COUNT = np.array([0] + [1 + math.log(count) for count in range(1, 256)]).astype(np.float32)
MAX_SCORES, MIN_LOG_PROBABILITY = 64, np.float32(-20)
UNICODE_SPACES = frozenset("\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000\ufffd" + "".join(map(chr, range(0x2000, 0x200B))))


def hash_bytes(h, data):
    """Adds bytes to a hash (FNV-1a)."""
    for byte in data:
        h = ((h ^ byte) * FNV_PRIME) & 0xFFFFFFFF
    return h


def bucket_of(h):
    h = ((h ^ h >> 16) * 0x85EBCA6B) & 0xFFFFFFFF
    h = ((h ^ h >> 13) * 0xC2B2AE35) & 0xFFFFFFFF
    return (h ^ h >> 16) >> 12


@functools.lru_cache(maxsize=1 << 16)
def gram_buckets(run):
    """Returns the buckets of the sequences of characters of a run, with a space around it."""
    chars = [char.encode() for char in " " + run[:MAX_GRAM_RUN] + " "]
    buckets = []
    for first in range(len(chars) - MIN_GRAM + 1):
        h = hash_bytes(GRAM_START, b"".join(chars[first:first + MIN_GRAM - 1]))
        for last in range(first + MIN_GRAM - 1, min(first + MAX_GRAM, len(chars))):
            h = hash_bytes(h, chars[last])
            buckets.append(bucket_of(h))
    return buckets


def text_terms(text):
    """Returns for each term of a text its bucket · 2 + its block: 0 words and pairs, 1 sequences."""
    terms, previous = [], None
    for word in words(text):
        data = word.encode()
        terms.append(2 * bucket_of(hash_bytes(WORD_START, data)))
        if previous is not None:
            terms.append(2 * bucket_of(hash_bytes(hash_bytes(previous, b" "), data)))
        previous = hash_bytes(PAIR_START, data)
    grams, run = [], []
    for char in itertools.chain(text, " "):
        if char > " " and char not in UNICODE_SPACES:
            run.append(lower(char))
        elif run:
            grams += [2 * bucket + 1 for bucket in gram_buckets("".join(run))]
            run = []
            if len(grams) >= MAX_TEXT_TERMS:
                break
    return terms[:MAX_TEXT_TERMS] + grams[:MAX_TEXT_TERMS]


class TextModel:
    """Scores the classes of a text."""

    def __init__(self, r):
        check_version(r)
        self.classes = r.uvarint()
        outputs = 1 if self.classes == 2 else self.classes
        self.bias = r.array("<f4", outputs)
        bucket, self.index = -1, {}
        for i in range(r.uvarint()):
            bucket += r.uvarint() + 1
            self.index[bucket] = i
        self.idf = r.array("<f4", len(self.index))
        self.weights = r.array("<f4", len(self.index) * outputs).reshape(len(self.index), outputs)
        self.signs = random_signs(outputs) if outputs > MAX_SCORES else None

    def scores(self, texts):
        """Returns the scores of texts, a row for each text."""
        known = {text: self.score(text) for text in set(texts)}
        return np.array([known[text] for text in texts])

    def score(self, text):
        counts = {}
        for term in text_terms(text):
            index = self.index.get(term >> 1)
            if index is not None:
                key = 2 * index + (term & 1)
                counts[key] = min(counts.get(key, 0) + 1, 255)
        keys = np.array(sorted(counts), np.int64)
        index, block = keys >> 1, keys & 1
        values = LOG_COUNT[[counts[key] for key in keys]] * self.idf[index]
        for kind, norm in enumerate(BLOCK_NORMS):
            squares = sequential_sum((values * values)[block == kind])
            if squares > 0:
                values[block == kind] *= norm / np.float32(math.sqrt(squares))
        products = values[:, None] * self.weights[index]
        if self.classes == 2:
            return self.features(sequential_sum(products) + self.bias)
        return self.features(sequential_sum(np.vstack([self.bias, products])))

    def features(self, scores):
        if len(scores) == 1:
            return np.clip(scores, MIN_LOG_PROBABILITY, -MIN_LOG_PROBABILITY)
        top = scores.max()
        total = float(top) + math.log(sum(math.exp(score) for score in (scores - top).tolist()))
        scores = np.maximum(scores - np.float32(total), MIN_LOG_PROBABILITY)
        if len(scores) <= MAX_SCORES:
            return scores
        scale = np.float32(1 / math.sqrt(len(scores)))
        return sequential_sum(scores[:, None] * scale * self.signs)


def random_signs(classes):
    """Returns MAX_SCORES signs, 1 or -1, for each class."""
    signs = [[1 - 2 * (mix(c) >> i & 1) for i in range(MAX_SCORES)] for c in range(classes)]
    return np.array(signs, np.float32)


def sequential_sum(values):
    """Returns the sum over the first axis in float32, one value after another."""
    if len(values) == 0:
        return np.zeros(values.shape[1:], np.float32)
    return np.cumsum(values, axis=0, dtype=np.float32)[-1]


def mix(c):
    """Returns 64 random bits of a class, by SplitMix64."""
    z = (c + 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
    z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
    z = ((z ^ z >> 27) * 0x94D049BB133111EB) & 0xFFFFFFFFFFFFFFFF
    return z ^ z >> 31
