

# ---- Features: the cells of columns to numbers and codes of categories -------------------


def extract_features(schema, cells, rows):
    """Returns an array for each column of the schema.

    cells maps the name of a column of the file to its texts. A numeric feature is an array
    of float64, NaN if missing. A category is an array of int32: the index of its level, the
    number of levels for other texts, or -1 if missing. A text is a list of texts.
    """
    parsed = {}  # the dates, words or items of a column of the file, which several features share

    def parse_once(column, parse, key=""):
        name = source(column)
        if (name, key) not in parsed:
            parsed[name, key] = parse(cells[name])
        return parsed[name, key]

    def feature(column):
        part, texts = column.get("part", ""), cells[source(column)]
        if column["kind"] == 2:
            return [text.strip(SPACE) for text in texts]
        if column["kind"] == 1:
            return convert(texts, LevelIndex(column.get("levels", []), part, column.get("length", 0)).code, np.int32)
        if part == "":
            return convert(texts, number_or_nan)
        if part == "amount":
            unit, decimal_comma = column.get("unit", ""), column.get("comma", False)
            return convert(texts, lambda cell: amount_or_nan(cell, unit, decimal_comma))
        if part in ("length", "words", "word"):
            return parse_once(column, TextColumn).feature(part, column.get("word", ""))
        if part in ("item", "items"):
            separator = column["separator"]
            return parse_once(column, lambda texts: ListColumn(texts, separator), separator).feature(part, column.get("word", ""))
        if part == "since":
            return days_between(feature(dates[column["since"]]), feature(dates[source(column)]))
        return parse_once(column, lambda texts: DateColumn(texts, column)).feature(part, column.get("needsTime", False))

    dates = {source(column): column for column in schema["columns"] if column.get("part") == "time"}
    return [feature(column) for column in schema["columns"]]


def warn_unread(schema, cells):
    """Warns about columns of numbers and dates of which most cells that are not empty cannot be read."""
    columns = {}
    for column in schema["columns"]:
        columns.setdefault(source(column), []).append(column)
    for name, features in columns.items():
        filled = [cell for cell in cells[name] if classify(cell)[0] in ("number", "text")]
        parts = {feature.get("part", "") for feature in features}
        if any(feature["kind"] for feature in features) or not filled or not parts & {"", "amount", "time", "hour"}:
            continue
        parsed = extract_features({"columns": [feature for feature in features if feature.get("part") != "since"]}, {name: filled}, len(filled))
        unread = int(np.isnan(parsed).all(axis=0).sum())
        if 2 * unread > len(filled):
            kind = "numbers" if parts & {"", "amount"} else "dates"
            print(f"warning: column {name!r}: {unread:,} of {len(filled):,} values cannot be read as {kind}, and are missing for the model", file=sys.stderr)


def days_between(dates, others):
    """Returns the days from each date to the other, rounded to a second, halves away from 0."""
    seconds = (others - dates) * 86400
    whole = np.trunc(seconds)
    return (whole + np.where(np.abs(seconds - whole) >= 0.5, np.sign(seconds), 0)) / 86400


class TextColumn:
    """The words of a column of texts. An empty cell has no words and no length."""

    def __init__(self, cells):
        self.texts = [cell.strip(SPACE) for cell in cells]
        self.words = [words(text) for text in self.texts]
        self.rows = {}  # by word: the rows that have it
        for row, found in enumerate(self.words):
            for word in found:
                self.rows.setdefault(word, []).append(row)

    def feature(self, part, word):
        if part == "word":
            values = np.zeros(len(self.texts))
            values[self.rows.get(word, [])] = 1
            return values
        sizes = map(byte_length, self.texts) if part == "length" else map(len, self.words)
        return np.array([size if text else NAN for size, text in zip(sizes, self.texts)], np.float64)


class ListColumn:
    """The items of a column of lists. An empty cell has no items, and its number of items is missing."""

    def __init__(self, cells, separator):
        found = {cell: items(cell, separator) for cell in set(cells)}
        self.lists = [found[cell] for cell in cells]
        self.blank = [not cell.strip(SPACE) for cell in cells]

    def feature(self, part, item):
        if part == "item":
            return np.array([item in found for found in self.lists], np.float64)
        return np.array([NAN if blank else len(found) for blank, found in zip(self.blank, self.lists)], np.float64)


class DateColumn:
    """The dates of a column. A time of day without a date has only the part hour."""

    def __init__(self, cells, column):
        if "epoch" in column:
            parse = lambda cell: parse_unix_time(cell, column["epoch"])
        else:
            parse = lambda cell: parse_date(cell, column.get("dayFirst", False), column.get("yearFirst", False))
        dates = {cell: parse(cell) for cell in set(cells)}
        self.dates = [dates[cell] for cell in cells]

    def feature(self, part, needs_time=False):
        has_part = [date and (date[1] or part == "hour") and (date[2] or not needs_time) for date in self.dates]
        return np.array([date_feature(date[0], part) if has else NAN for date, has in zip(self.dates, has_part)], np.float64)


def convert(cells, parse, dtype=np.float64):
    """Returns the parsed cells. Equal texts are parsed once."""
    values = {cell: parse(cell) for cell in set(cells)}
    return np.array([values[cell] for cell in cells], dtype)


BOOLEAN_PAIRS = [{"yes", "no"}, {"true", "false"}, {"y", "n"}, {"t", "f"}, {"on", "off"}]
UNICODE_SPACE = SPACE + "\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))


def fold_case(text):
    return text.strip(UNICODE_SPACE).lower()


class LevelIndex:
    """The codes of the levels of a category. If the levels are booleans, such as True and False, other
    texts may differ from them in case. If they are texts of a column of numbers, 12 and 12.0 are the
    same level, and so are 07030 and 7030 unless several levels are this number. Other texts for a
    missing value, such as NA, are missing, unless the levels are only the words of such a column. If
    length is not 0, the levels are the first characters of codes, at most length of them."""

    def __init__(self, levels, part, length=0):
        self.length = length
        self.codes = {level: code for code, level in enumerate(levels)}
        self.folded = {}
        self.has_codes = part == "text"
        self.numbers = {}  # None is the code of a number that several levels have
        for code, level in enumerate(levels if self.has_codes else []):
            number = code_number(level)
            if number is not None:
                self.numbers[number] = None if number in self.numbers else code
        if not part and set(map(fold_case, levels)) in BOOLEAN_PAIRS:
            for code, level in enumerate(levels):
                self.folded.setdefault(fold_case(level), code)

    def code(self, cell):
        cell = cell.strip(SPACE)
        if self.length:
            prefix = cell[: self.length].strip(SPACE)
            return -1 if classify(cell)[0] in ("blank", "null") else self.codes.get(prefix, len(self.codes))
        if cell in self.codes or not cell:
            return self.codes.get(cell, -1)
        code = self.folded.get(fold_case(cell))
        if self.has_codes:
            code = self.codes.get(cell[:-2] if cell.endswith(".0") else cell + ".0")
            if code is None:
                code = self.numbers.get(code_number(cell))
        if code is None:
            may_be_missing = not self.has_codes or self.numbers
            code = -1 if may_be_missing and classify(cell)[0] == "null" else len(self.codes)
        return code


def code_number(text):
    """Returns the number that a code means, or None. A code of more than 15 digits may not be exact."""
    if sum("0" <= char <= "9" for char in text) > 15:
        return None
    number = number_or_nan(text)
    return None if math.isnan(number) else number
