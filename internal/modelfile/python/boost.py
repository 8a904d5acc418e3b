

# ---- Gradient boosting (SIX01, SEV02) ----------------------------------------------------


class Boosting:
    """Trees whose values are added up to scores. Scores are float32, as in Foretell."""

    def __init__(self, r):
        check_version(r)
        symmetric, self.classes = r.byte() > 0, r.number("H")
        self.base = r.array("<f4", 1 if self.classes == 2 else self.classes)
        self.trees = (SymmetricTrees if symmetric else LeafwiseTrees)(r, len(self.base))

    def predict(self, columns, rows):
        scores = np.tile(self.base, (rows, 1))
        self.trees.add(scores, columns)
        if self.classes == 2:
            e = exp(-np.abs(scores[:, 0]))
            first = np.stack([1 / (1 + e), e / (1 + e)], axis=1)
            return np.where(scores < 0, first, first[:, ::-1]).astype(np.float32)
        e = exp(scores - scores.max(axis=1, keepdims=True))
        return (e / e.sum(axis=1, keepdims=True)).astype(np.float32)


def exp(x):
    return np.where(x < -87, 0, np.exp(x.astype(np.float64)))


class LeafwiseTrees:
    """One tree for each output and round, or none if the output had converged."""

    def __init__(self, r, outputs):
        self.mappers = [BinMapper(r) for _ in range(r.uvarint())]
        missing = [mapper.missing for mapper in self.mappers]
        self.trees = []
        for i in range(r.uvarint()):
            if r.byte():
                tree = Tree(r, missing)
                self.trees.append((i % outputs, tree, r.array("<f4", tree.leaves)))

    def add(self, scores, columns):
        bins = bin_columns(self.mappers, columns, len(scores))
        for output, tree, values in self.trees:
            scores[:, output] += values[tree.leaf(bins)]


class SymmetricTrees:
    """Trees with one split a level. The splits that a row passes are the bits of its leaf."""

    def __init__(self, r, outputs):
        self.outputs = outputs
        self.sources = [FeatureSource(r) for _ in range(r.uvarint())]
        self.trees = [self.read_tree(r) for _ in range(r.uvarint())]

    def read_tree(self, r):
        splits = [(r.uvarint(), r.byte(), r.byte()) for _ in range(r.byte())]
        leaves = 1 << len(splits)
        if self.outputs == 1:
            return splits, r.array("<f4", leaves).reshape(leaves, 1)
        used = np.unpackbits(r.array("u1", (leaves + 7) // 8), bitorder="little")[:leaves].astype(bool)
        values = np.zeros((leaves, self.outputs), np.float32)
        values[used] = r.array("<f4", int(used.sum()) * self.outputs).reshape(-1, self.outputs)
        return splits, values

    def add(self, scores, columns):
        bins = [source.bins(columns) for source in self.sources]
        for splits, values in self.trees:
            leaf = np.zeros(len(scores), np.uint8)
            for level, (feature, low, high) in enumerate(splits):
                passes = bins[feature] - np.uint8(low) <= np.uint8((high - low) % 256)
                leaf |= passes.view(np.uint8) << np.uint8(level)
            scores += values.take(leaf, axis=0)


# The largest number of categories of a statistic of two columns. Further combinations share numbers.
MAX_COMBINATIONS = 65521


class FeatureSource:
    """A binned column, or a statistic of the categories of one or two columns."""

    def __init__(self, r):
        self.column = r.uvarint() - 1
        if self.column >= 0:
            self.mapper = BinMapper(r)
            return
        self.keys = [(r.uvarint() - 1, r.uvarint()) for _ in range(2)]  # column and number of categories
        self.size = self.keys[0][1] * self.keys[1][1]
        if self.keys[1][0] >= 0:
            self.size = min(self.size, MAX_COMBINATIONS)
        self.category_bins = r.array("u1", self.size)

    def bins(self, columns):
        if self.column >= 0:
            return self.mapper.bins(columns[self.column])
        category = 0
        for column, levels in self.keys:
            if column >= 0:
                category = category * levels + np.minimum(columns[column], levels - 2).astype(np.int64) + 1
        return self.category_bins[category % self.size]
