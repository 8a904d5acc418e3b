

# ---- The binary form: numbers, bin mappers and trees -------------------------------------


class Reader:
    """Reads the model file from its begin to its end. All numbers are little endian."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def bytes(self, size):
        self.at += size
        return self.data[self.at - size:self.at]

    def number(self, form):
        return struct.unpack("<" + form, self.bytes(struct.calcsize("<" + form)))[0]

    def byte(self):
        return self.number("B")

    def uint32(self):
        return self.number("I")

    def float64(self):
        return self.number("d")

    def array(self, dtype, size):
        return np.frombuffer(self.bytes(size * np.dtype(dtype).itemsize), dtype)

    def uvarint(self):
        """Reads seven bits of a number from each byte, the lowest first, until a byte below 128."""
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7


class BinMapper:
    """Maps the cells of a feature to bins. The last bin holds missing cells."""

    def __init__(self, r):
        self.categorical = r.byte() == 1
        if self.categorical:
            size, bins = r.uvarint(), r.byte()
            self.missing = bins - 1
            # Codes without a bin have the bin before the last, missing cells (-1) the last.
            self.code_bins = np.append(r.array("u1", size), [bins - 2, bins - 1]).astype(np.uint8)
        else:
            self.thresholds = r.array("<f8", r.uvarint())
            self.missing = len(self.thresholds) + 1

    def bins(self, column):
        if self.categorical:
            return self.code_bins[np.minimum(column, len(self.code_bins) - 2)]
        bins = np.searchsorted(self.thresholds, column)  # the first threshold that is not below the cell
        return np.where(np.isnan(column), self.missing, bins).astype(np.uint8)


def bin_columns(mappers, columns, rows):
    """Returns the bins of columns as an array of features × rows."""
    bins = np.empty((len(mappers), rows), np.uint8)
    for i, mapper in enumerate(mappers):
        bins[i] = mapper.bins(columns[i])
    return bins


class Tree:
    """A binary tree in breadth-first order, so that inner node k has the children 2k+1, 2k+2.

    A row goes left if its bin is in low … low+width, modulo 256, or in a set of bins. That
    the range may wrap around includes the bin of missing cells, which is the last.
    """

    def __init__(self, r, missing):
        count = r.uvarint()
        feature, low, width = [-1] * count, bytearray(count), bytearray(count)
        sets = {}
        data, at = r.data, r.at
        for i in range(count):
            number = data[at]
            at += 1
            if number == 0:
                continue  # a leaf
            if number >= 128:
                r.at = at - 1
                number, at = r.uvarint(), r.at
            feature[i] = number - 1
            flag, threshold = data[at], data[at + 1]
            if flag == 1:
                sets[i] = data[at + 1:at + 33]
                at += 33
                continue
            if flag == 2:
                low[i] = missing[number - 1]
            width[i] = (threshold - low[i]) % 256
            at += 2
        r.at = at
        self.feature = np.array(feature, np.intp)
        self.low, self.width = np.frombuffer(low, np.uint8), np.frombuffer(width, np.uint8)
        inner = self.feature >= 0
        # The left child of an inner node, the number of a leaf.
        self.left = np.where(inner, 2 * np.cumsum(inner) - 1, np.cumsum(~inner) - 1)
        self.leaves = count - int(inner.sum())
        self.set_of = None
        if sets:
            self.set_of = np.full(count, -1)
            self.set_of[list(sets)] = range(len(sets))
            packed = np.frombuffer(b"".join(sets.values()), np.uint8).reshape(-1, 32)
            self.sets = np.unpackbits(packed, axis=1, bitorder="little").astype(bool)

    def leaf(self, bins):
        """Returns the leaf of each row. bins is an array of features × rows."""
        rows = bins.shape[1]
        flat = bins.ravel()
        node, row = np.zeros(rows, np.intp), np.arange(rows)  # of the rows that have no leaf yet
        leaf = np.empty(rows, np.intp)
        while True:
            feature = self.feature.take(node)
            at_leaf = feature < 0
            if at_leaf.any():
                leaf[row[at_leaf]] = self.left.take(node[at_leaf])
                row, node, feature = row[~at_leaf], node[~at_leaf], feature[~at_leaf]
                if not len(row):
                    return leaf
            bin = flat.take(feature * rows + row)
            right = bin - self.low.take(node) > self.width.take(node)
            if self.set_of is not None:
                number = self.set_of.take(node)
                right = np.where(number < 0, right, ~self.sets[number, bin])
            node = self.left.take(node) + right
