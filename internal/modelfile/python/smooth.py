

# ---- Neural network with a smooth part (SEV01 of small tables) ---------------------------


class Smoothed:
    """The networks, and beside them a logistic regression of the given weight."""

    def __init__(self, r):
        if r.data[r.at] == 1:
            self.networks, self.smooth = Network(r), None
            return
        check_version(r, 2)
        self.weight = r.float64()
        end = r.uvarint() + r.at
        self.networks = Network(r)
        if r.at != end:
            raise ValueError("the model is damaged")
        self.smooth = LogisticRegression(r)

    def predict(self, columns, rows):
        p = self.networks.predict(columns, rows)
        if self.smooth is None:
            return p
        return np.float32(1 - self.weight) * p + np.float32(self.weight) * self.smooth.predict(columns, rows)


class LogisticRegression:
    """Scores are sums of exp(-gamma · distance²) to the centres, or linear functions of the inputs."""

    def __init__(self, r):
        linear = r.data[r.at] == 2
        check_version(r, 2 if linear else 1)
        self.classes = r.uvarint()
        self.gamma = 0 if linear else r.float64()
        self.inputs = [RegressionInput(r) for _ in range(r.uvarint())]
        width, outputs = sum(column.size for column in self.inputs), 1 if self.classes == 2 else self.classes
        self.bias = r.array("<f8", outputs)
        self.centers, count = None, width
        if not linear:
            count = r.uvarint()
            self.centers = r.array("<f8", count * width).reshape(count, width)
        self.coefficients = r.array("<f8", count * outputs).reshape(count, outputs)

    def features(self, x):
        """Returns the values that the coefficients are multiplied by, one array for each coefficient."""
        if self.centers is None:
            yield from x.T
            return
        for center in self.centers:
            distance = np.zeros(len(x))
            for j, v in enumerate(center):
                distance += (x[:, j] - v) ** 2
            yield np.exp(-self.gamma * distance)

    def predict(self, columns, rows):
        x = np.concatenate([column.encode(columns[column.column]) for column in self.inputs], axis=1)
        scores = np.repeat(self.bias[np.newaxis], rows, axis=0)
        for feature, coefficients in zip(self.features(x), self.coefficients):
            scores += feature[:, np.newaxis] * coefficients
        if self.classes == 2:
            scores = np.concatenate([np.zeros((rows, 1)), scores], axis=1)
        scores = scores.astype(np.float32)
        e = exp(scores - scores.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)


class RegressionInput:
    """A column as inputs: a number and a flag of missing cells, or a number for each level."""

    def __init__(self, r):
        self.numeric, self.column = r.byte() == 1, r.uvarint()
        if self.numeric:
            self.flag, self.center, self.scale = r.byte() == 1, r.float64(), r.float64()
            self.size = 1 + self.flag
        else:
            self.input_of_level = np.array([r.uvarint() for _ in range(r.uvarint())])
            self.size = int(self.input_of_level.max())

    def encode(self, cells):
        if self.numeric:
            missing = np.isnan(cells)
            z = (np.where(missing, self.center, cells) - self.center) * self.scale
            far = np.abs(z) > 1e6
            clipped = np.where(far, np.copysign(3, z), z / np.sqrt(1 + np.where(far, 0, z) ** 2 / 9))
            return np.stack([clipped, missing][:self.size], axis=1).astype(np.float64)
        level = np.minimum(cells + 1, len(self.input_of_level) - 1)
        return (self.input_of_level[level][:, np.newaxis] == np.arange(1, self.size + 1)).astype(np.float64)
