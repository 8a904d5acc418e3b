

# ---- Neural network (SEV01) --------------------------------------------------------------


class Network:
    """An ensemble of networks that share most weights. Its members have scales, biases and
    output layers of their own."""

    def __init__(self, r):
        check_version(r)
        sizes = [r.uvarint() for _ in range(5)]
        self.classes, self.members, layers, width, size = sizes
        self.inputs = [NetworkInput(r) for _ in range(r.uvarint())]
        dense = sum(column.dense for column in self.inputs)
        embeddings = sum(column.table_rows > 0 for column in self.inputs)

        def matrices(*shape):
            return r.array("<f4", math.prod(shape)).reshape(shape)

        self.scale, self.bias = matrices(self.members, width), matrices(self.members, width)
        self.first = matrices(dense + embeddings * size, width)
        self.layers = [(matrices(width, width), matrices(width)) for _ in range(layers - 1)]
        self.heads, self.head_bias = matrices(self.members, width, self.classes), matrices(self.members, self.classes)
        for column in self.inputs:
            table = matrices(column.table_rows, size)
            # The rows of a numeric column are differences between neighbours.
            column.table = np.cumsum(table, axis=0, dtype=np.float32) if column.numeric else table

    def predict(self, columns, rows):
        size = 128  # rows at a time, so that the sums stay in the cache
        parts = []
        for at in range(0, rows, size):
            parts.append(self.predict_rows([column[at:at + size] for column in columns], min(size, rows - at)))
        return np.concatenate(parts)

    def predict_rows(self, columns, rows):
        inputs = [column.encode(columns[column.column]) for column in self.inputs]
        none = np.zeros((rows, 0), np.float32)  # a network may have no inputs
        x = np.concatenate([none] + [dense for dense, _ in inputs] + [embedding for _, embedding in inputs], axis=1)
        first = multiply_add(x, self.first, np.float32(0))
        mean = 0
        for scale, bias, head, head_bias in zip(self.scale, self.bias, self.heads, self.head_bias):
            hidden = np.maximum(first * scale + bias, 0)
            for weights, layer_bias in self.layers:
                hidden = np.maximum(multiply_add(hidden, weights, layer_bias), 0)
            logits = multiply_add(hidden, head, head_bias)
            e = exp(logits - logits.max(axis=1, keepdims=True))
            mean = mean + e / e.sum(axis=1, keepdims=True) / self.members
        return mean.astype(np.float32)


def multiply_add(x, weights, bias):
    """Returns x @ weights + bias with the rounding of Foretell.

    The products are added to the bias one after another, and each sum is rounded to float32
    (fused multiply-add). Another order changes probabilities by a few millionths.
    """
    total = np.empty((len(x), weights.shape[1]), np.float32)
    total[:] = bias
    term = np.empty(total.shape)  # float64 holds the product of two float32 exactly
    for column, row in zip(x.T.astype(np.float64), weights.astype(np.float64)):
        np.multiply(column[:, np.newaxis], row, out=term)
        term += total
        total[:] = term
    return total


class NetworkInput:
    """A column as an input: a number and a flag of missing cells, and an embedding."""

    def __init__(self, r):
        self.numeric, self.column = r.byte() == 1, r.uvarint()
        if self.numeric:
            self.flag, self.center, self.scale = r.byte() == 1, r.float64(), r.float64()
            self.knots = r.array("<f8", r.uvarint())
            self.table_rows, self.dense = len(self.knots), 1 + self.flag
        else:
            self.row_of_level = np.array([r.uvarint() for _ in range(r.uvarint())])
            self.table_rows, self.dense = int(self.row_of_level.max()) + 1, 0

    def encode(self, cells):
        """Returns the dense inputs and the embedding of the cells."""
        if not self.numeric:  # the first level is that of missing cells, the last that of other texts
            level = np.minimum(cells + 1, len(self.row_of_level) - 1)
            return np.zeros((len(cells), 0), np.float32), self.table[self.row_of_level[level]]
        missing = np.isnan(cells)
        cells = np.where(missing, self.center, cells)
        z = (cells - self.center) * self.scale
        far = np.abs(z) > 1e6
        dense = np.where(far, np.copysign(3, z), z / np.sqrt(1 + np.where(far, 0, z) ** 2 / 9))
        dense = np.stack([dense, missing][:self.dense], axis=1).astype(np.float32)
        if not self.table_rows:
            return dense, np.zeros((len(cells), 0), np.float32)
        # Interpolate between the knots before and after the cell.
        after = np.clip(np.searchsorted(self.knots, cells), 1, len(self.knots) - 1)
        low, high = self.knots[after - 1], self.knots[after]
        fraction = (cells - low) / (high - low)
        fraction = np.where(fraction <= 1, np.maximum(fraction, 0), 1).astype(np.float32)
        before = self.table[after - 1]
        return dense, before + fraction[:, np.newaxis] * (self.table[after] - before)
