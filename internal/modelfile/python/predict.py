

# ---- The model: the weighted mean of its members -----------------------------------------

ALGORITHMS = {1: Smoothed, 2: Forest, 3: Boosting, 4: Boosting}


def check_version(r, version=1):
    if r.byte() != version:
        raise ValueError("this version of a member of the model is unknown")


def soften(probabilities, temperature):
    """Raises probabilities to the power 1/temperature and scales their sum to 1."""
    if temperature == 1:
        return probabilities
    ratio = probabilities / probabilities.max(axis=1, keepdims=True)
    power = ratio.astype(np.float64) ** (1 / temperature)
    return (power / power.sum(axis=1, keepdims=True)).astype(np.float32)


class Model:
    def __init__(self, data):
        r = Reader(data)
        if r.bytes(8) != b"FORETELL":
            raise ValueError("this is not a model file")
        version = r.number("H")
        if not 1 <= version <= 7:
            raise ValueError(f"the model has version {version}, but this program reads versions 1 to 7")
        self.schema = json.loads(r.bytes(r.uint32()))
        self.algorithm = r.bytes(r.uint32()).decode()
        self.temperature = r.float64()
        self.decision_weights = r.array("<f8", r.uint32())
        self.members, count = [], r.uint32()
        self.texts = [i for i, column in enumerate(self.schema["columns"]) if column["kind"] == 2]
        sets = [[self.read_texts(r) for _ in self.texts] for _ in range(r.uint32() if version >= 4 else 0)]
        self.text_sets = sets
        for _ in range(count):
            algorithm, weight = ALGORITHMS[r.byte()], r.float64()
            selected = r.array("<u4", r.uint32()) if version >= 2 else []
            number = r.uint32() if version >= 4 else 0
            end = r.uint32() + r.at
            self.members.append((np.float32(weight), selected, sets[number - 1] if number else None, algorithm(r)))
            if r.at != end:
                raise ValueError("the model is damaged")
        # The rest are the rows that explanations compare with, and a checksum.

    @staticmethod
    def read_texts(r):
        end = r.uint32() + r.at
        model = TextModel(r)
        if r.at != end:
            raise ValueError("the model is damaged")
        return model

    def choose(self, columns, selected, texts):
        """Returns the columns that a member sees: those selected and the scores of texts."""
        if texts is None:
            return [columns[i] for i in selected] if len(selected) else columns
        scores = [model.scores(columns[i]).astype(np.float64).T for i, model in zip(self.texts, texts)]
        return [columns[i] for i in selected] + [column for part in scores for column in part]

    def predict_proba(self, cells, rows):
        """Returns the probabilities of rows, which are given as texts by column."""
        if rows == 0:
            return np.zeros((0, len(self.schema["classes"])), np.float32)
        columns = extract_features(self.schema, cells, rows)
        total = np.zeros((rows, len(self.schema["classes"])), np.float32)
        with np.errstate(over="ignore", invalid="ignore"):  # of cells such as 1e308
            chosen = {}  # the columns by text models, which members share
            for weight, selected, texts, member in self.members:
                key = (id(texts), selected.tobytes()) if len(selected) else id(texts)
                if key not in chosen:
                    chosen[key] = self.choose(columns, selected, texts)
                one = member.predict(chosen[key], rows)
                total = total + weight * one if len(self.members) > 1 else one
        return np.minimum(soften(total, self.temperature), 1)

    def features(self, cells, rows):
        """Returns the features of rows, which are given as texts by column: rows × FEATURES."""
        columns = extract_features(self.schema, cells, rows)
        parts = [column for i, column in enumerate(columns) if i not in self.texts]
        parts = [np.where(part < 0, NAN, part) if part.dtype == np.int32 else part for part in parts]
        for texts in self.text_sets:
            for i, model in zip(self.texts, texts):
                parts.extend(model.scores(columns[i]).T)
        return np.stack(parts, axis=1).astype(np.float64)

    def decide(self, probabilities):
        """Returns the index of the predicted class of each row."""
        if len(self.decision_weights):
            probabilities = probabilities.astype(np.float64) * self.decision_weights
        return probabilities.argmax(axis=1)


def predict_proba(rows):
    """Returns the probabilities of CLASSES for rows, as an array of rows × classes."""
    return loaded_model().predict_proba(*cells_of(rows))


def features(rows):
    """Returns the FEATURES of rows, as an array of rows × features.

    It is the input of the model that `foretell models export --format onnx` writes. A
    category is its index among the levels, or the number of levels for other texts. Missing
    cells are NaN.
    """
    return loaded_model().features(*cells_of(rows))


def cells_of(rows):
    """Returns the texts of rows by column, and the number of rows."""
    rows = list(rows)
    if any(name not in row for row in rows for name in COLUMNS):  # csv.DictReader keeps spaces around names
        rows = [{**{name.strip(SPACE): row[name] for name in row.keys() if isinstance(name, str)}, **row} for row in rows]
    missing = [name for name in COLUMNS if any(name not in row for row in rows)]
    if missing:
        raise ValueError(f"a row has no value for {', '.join(missing)}")
    numbers, levels = numbers_and_levels()
    return {name: [cell_text(row[name], name, numbers, levels) for row in rows] for name in COLUMNS}, len(rows)


@functools.lru_cache(maxsize=1)
def numbers_and_levels():
    """Returns the names of the columns of numbers, and the pairs of a column and a level."""
    features = loaded_model().schema["columns"]
    numbers = {source(feature) for feature in features if is_number(feature)}
    return numbers, {(source(feature), level) for feature in features for level in feature.get("levels", ())}


def is_number(feature):
    """Returns whether a feature is the number in a cell."""
    return feature["kind"] == 0 and feature.get("part", "") in ("", "amount")


def cell_text(value, name, numbers, levels):
    """Returns the text that a value has in a CSV file.

    A boolean in a column of numbers is 0 or 1. A whole float has no .0, unless a level has it: a
    column of integers is a column of floats in pandas if a cell is empty.
    """
    if value is None or type(value).__name__ == "NAType":  # pandas.NA has no truth value, nor has NA != NA
        return ""
    if isinstance(value, (bool, np.bool_)) and name in numbers:
        return str(int(value))
    text = "" if value != value else str(value)
    if isinstance(value, (float, np.floating)) and (name, text) not in levels:
        return text.removesuffix(".0")
    return text


def predict(rows):
    """Returns the predicted class of each row."""
    return [CLASSES[i] for i in loaded_model().decide(predict_proba(rows))]


@functools.lru_cache(maxsize=1)
def loaded_model():
    return Model(zlib.decompress(base64.b64decode(MODEL)))


def predict_file(source, target, model, id_column=None):
    """Predicts the rows of a CSV file and writes them with their predictions."""
    blind = BlindFile(source, model.schema, id_column)
    classes = model.schema["classes"]
    names = added_columns(blind.output_names, classes)
    target.write(",".join([blind.header, *map(quote, names)]) + "\n")
    count = 0
    for texts, _, cells in blind.blocks(BLOCK):
        probabilities = model.predict_proba(cells, len(texts))
        for text, row, best in zip(texts, probabilities.tolist(), model.decide(probabilities).tolist()):
            numbers = ["%.6g" % probability for probability in [row[best], *row]]
            target.write(",".join([text, quote(classes[best]), *numbers]) + "\n")
        count += len(texts)
    if count == 0:
        raise FileError("line 1: no data row follows the header")


def write_features(source, target, model, id_column=None):
    """Writes the ID and the features of the rows of a CSV file."""
    blind = BlindFile(source, model.schema, id_column)
    target.write(",".join(map(quote, [blind.id_name, *FEATURES])) + "\n")
    for _, ids, cells in blind.blocks(BLOCK):
        for row_id, row in zip(ids, model.features(cells, len(ids)).tolist()):
            numbers = ["" if x != x else repr(int(x)) if x == int(x) else repr(x) for x in row]
            target.write(",".join([quote(row_id), *numbers]) + "\n")


def added_columns(names, classes):
    """Returns the names of the columns that a prediction adds, which must not be taken."""
    added = []
    for name in ["prediction", "probability", *("probability_" + one for one in classes)]:
        added.append(free_name(name, [*names, *added]))
    return added


def main():
    parser = argparse.ArgumentParser(
        description="Predicts the rows of a CSV file as `foretell predict` does. The probabilities have six "
        "significant digits, and may differ from those of `foretell predict` in the last of them."
    )
    parser.add_argument("csv", help="CSV file in UTF-8 or UTF-16 with the columns that the model was trained on, or - for the standard input")
    parser.add_argument("-o", "--output", help="file to write, or - for the standard output, which is the default")
    parser.add_argument("--id", metavar="COLUMN", help="column of the row IDs, or - to number the rows r1, r2, …; defaults to the ID column of the training file, or else a column that looks like IDs, or else -")
    parser.add_argument("--features", action="store_true", help="write the features of the rows, which an ONNX model reads, instead of predictions")
    options = parser.parse_args()
    write = write_features if options.features else predict_file
    name = "the standard input" if options.csv == "-" else options.csv
    try:
        with open_text(0 if options.csv == "-" else options.csv) as source:
            if options.output in (None, "-"):
                sys.stdout.reconfigure(encoding="utf-8", newline="")
                write(source, sys.stdout, loaded_model(), options.id)
                return
            if os.path.exists(options.output) and not os.path.isfile(options.output):  # a device or a pipe
                with open(options.output, "w", encoding="utf-8", newline="") as target:
                    write(source, target, loaded_model(), options.id)
                return
            part = options.output + ".part"  # it gets its name when it is complete
            try:
                with open(part, "w", encoding="utf-8", newline="") as target:
                    write(source, target, loaded_model(), options.id)
                os.replace(part, options.output)
            except BaseException:  # also Ctrl-C
                with contextlib.suppress(OSError):
                    os.remove(part)
                raise
    except UnicodeDecodeError as error:
        sys.exit(f"{name}: the file is not valid {error.encoding.upper()}: {error}")
    except BrokenPipeError:  # the reader, such as head, has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or the interpreter would report it at its end
    except (FileError, OSError) as error:
        sys.exit(f"{name}: {error}" if isinstance(error, FileError) else str(error))


# ---- The model file ----------------------------------------------------------------------

