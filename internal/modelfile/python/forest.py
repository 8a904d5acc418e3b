

# ---- Random forest (FIF01) ---------------------------------------------------------------


class Forest:
    """Trees whose leaves hold class distributions in units of 1/65535."""

    def __init__(self, r):
        check_version(r)
        self.temperature = r.float64()
        self.prior = r.array("<f4", r.uvarint())
        self.mappers = [BinMapper(r) for _ in range(r.uvarint())]
        missing = [mapper.missing for mapper in self.mappers]
        self.trees = []
        for _ in range(r.uvarint()):
            tree = Tree(r, missing)
            weights = []  # of each distribution, the number, class and weight
            for number in range(r.uvarint()):
                weights += [(number, r.uvarint(), r.uvarint()) for _ in range(r.uvarint())]
            distribution = np.array([r.uvarint() for _ in range(tree.leaves)])  # of each leaf
            self.trees.append((tree, np.array(weights), distribution))

    def predict(self, columns, rows):
        bins = bin_columns(self.mappers, columns, rows)
        votes = np.zeros((rows, len(self.prior)))
        for tree, weights, distribution in self.trees:
            table = np.zeros((distribution.max() + 1, len(self.prior)))
            table[weights[:, 0], weights[:, 1]] = weights[:, 2]
            votes += table.take(distribution[tree.leaf(bins)], axis=0)
        # The class frequencies count as one more tree.
        mean = (votes / 65535 + self.prior.astype(np.float64)) / (len(self.trees) + 1)
        return soften(mean.astype(np.float32), self.temperature)
