

# ---- The file: CSV as RFC 4180, or columns separated by spaces, in UTF-8 or UTF-16 -------


class FileError(ValueError):
    """An error in a CSV file. The message begins with the line."""


class Unread(io.RawIOBase):
    """A pipe. Its first bytes, head, were already read, and are returned again."""

    def __init__(self, head, file):
        self.head, self.file = head, file

    def readable(self):
        return True

    def readinto(self, buffer):
        data = self.head[: len(buffer)] or self.file.read1(len(buffer))
        self.head = self.head[len(data) :]
        buffer[: len(data)] = data
        return len(data)

    def close(self):
        self.file.close()
        super().close()


def open_text(path):
    """Opens a text in UTF-8 or UTF-16, with or without a byte order mark."""
    file = open(path, "rb")
    head, encoding = file.read(4), "utf-8-sig"
    if file.seekable():
        file.seek(0)
    else:
        file = io.BufferedReader(Unread(head, file))
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        encoding = "utf-16"
    elif head[0::2] == b"\0\0":  # the high bytes of two characters
        encoding = "utf-16-be"
    elif head[1::2] == b"\0\0":
        encoding = "utf-16-le"
    return io.TextIOWrapper(file, encoding=encoding, newline="")


# A first line that sets the delimiter for Excel, such as sep=;
SEPARATOR_LINE = re.compile(r'(?i:sep)=[^\w"\r\n]|"(?i:sep)=[^\w"\r\n]"')


def unique_names(names):
    """Returns the names of columns, changed so that each is unique and only the first may be empty."""
    unique, taken, seen = [], set(names), set()
    for at, name in enumerate(names):
        fresh = name
        if at and not name:
            fresh = free_name(f"column_{at + 1}", taken)
        elif name in seen:
            fresh = free_name(name, taken)
        seen.add(name)
        taken.add(fresh)
        unique.append(fresh)
    return unique


# The name of a first column without a name, such as the index of a pandas table, unless it is the ID.
FIRST_COLUMN = "column_1"


def read_records(lines, delimiter):
    """Yields the line number, the text and the fields of each record."""
    record, quotes = "", 0
    for number, line in enumerate(lines, 1):
        if not record:
            begin = number
            if not line.rstrip("\r\n"):
                continue  # a blank line
        record += line
        quotes += line.count('"')
        if quotes % 2 == 0:
            text = record.rstrip("\r\n")
            yield begin, text, split_record(text, delimiter, begin)
            record, quotes = "", 0
    if record:
        raise FileError(f"line {begin}: a quote is never closed")


def split_record(text, delimiter, line):
    if "\0" in text:
        raise FileError(f"line {line}: the record has a NUL byte, which a text file must not have")
    if '"' not in text:
        return text.split(delimiter)
    pattern = re.compile(r'(?:"([^"]*(?:""[^"]*)*)"|([^"\r\n%s]*))(%s|\Z)' % (2 * (re.escape(delimiter),)))
    fields, at = [], 0
    while True:
        found = pattern.match(text, at)
        if not found:
            raise FileError(f"line {line}: a field has a quote inside: put the field in quotes, and double each quote in it")
        quoted, plain, end = found.groups()
        fields.append(plain if quoted is None else quoted.replace('""', '"'))
        at = found.end()
        if not end:
            return fields


def without_blank_end(records, delimiter):
    """Yields the records except those at the end that have only delimiters, as spreadsheets write them."""
    held, size = [], 0
    for record in records:
        blank = not record[1].strip(delimiter)
        if held and (not blank or size > 1 << 24):
            yield from held
            held, size = [], 0
        if blank:
            held.append(record)
            size += len(record[1])
        else:
            yield record
    if held:
        rows = "1 row" if len(held) == 1 else f"{len(held):,} rows"
        print(f"warning: left out {rows} of empty cells at the end of the file", file=sys.stderr)


def find_delimiter(lines):
    """Returns the delimiter with which most of the first records have the same fields.

    If no delimiter fits, only the header or only the rows may end with delimiters.
    """
    best, most = "", 0
    for delimiter in ",;\t|":
        records = first_records(lines, delimiter)
        lengths = [len(fields) for fields in records]
        same = sum(length == lengths[0] for length in lengths)
        if 10 * same >= 9 * len(lengths) and lengths and same * (lengths[0] - 1) > most:
            best, most = delimiter, same * (lengths[0] - 1)
        elif most == 0 and not best and lengths and len(fit_header(records[0], records[1:])) != lengths[0]:
            best = delimiter
    return best or ","


# A field of a table of columns separated by spaces: its text in quotes, or its text
SPACED_FIELD = re.compile(r'[ \t\r\n]*(?:"([^"]*)"|([^ \t\r\n]+))')


def split_spaces(line):
    return [quoted or plain for quoted, plain in SPACED_FIELD.findall(line)]


def spaced_width(lines):
    """Returns the number of columns of a table of columns separated by spaces, or 0 for another file."""
    lines = [line for line in lines if line.strip()][:50]
    delimiter = find_delimiter(lines)
    if len(lines) < 3 or lines[0].count(delimiter) > (delimiter == "\t"):
        return 0
    rows = [split_spaces(line) for line in lines]
    widths = {len(fields) for fields in rows[1:]}
    width = widths.pop()
    if widths or width < 3 or width - len(rows[0]) not in (0, 1) or all(fields[1][:1] in [*",;\t|"] for fields in rows):
        return 0
    return width


def spaced_to_csv(lines, width):
    """Yields the lines of a table of columns separated by spaces as CSV. The column of row names may have no name."""
    header = None
    for line in lines:
        fields = split_spaces(line)
        header = header or fields
        missing = width - len(fields) if fields and fields is header else 0
        yield ",".join(map(quote, [""] * missing + fields)) + "\n"


def first_records(lines, delimiter):
    """Returns the fields of the first 50 records, or of those before an error."""
    records = []
    with contextlib.suppress(FileError):
        for _, _, fields in itertools.islice(read_records(lines, delimiter), 50):
            records.append(fields)
    return records


def fit_header(header, rows):
    """Returns the header with as many fields as the rows, if only one of them ends with delimiters."""
    widths = {len(fields) for fields in rows}
    width = widths.pop() if len(widths) == 1 else 0
    more = width - len(header)
    if min(width, len(header)) < 2:
        return header
    if more < 0 and are_blank(header[width:]):
        return header[:width]
    if more > 0 and header[-1].strip(SPACE) and all(are_blank(fields[-more:]) for fields in rows):
        return header + [""] * more
    return header


def are_blank(fields):
    """Returns whether no field has a value."""
    return not any(field.strip(SPACE) for field in fields)


def quote(field):
    """Returns a field as text of a CSV file, in quotes if necessary."""
    if not re.search('[,"\r\n]', field) and field.strip(" ") == field and not "\uf000" <= field[:1] <= "\uffff":
        return field
    return '"' + field.replace('"', '""') + '"'


BLOCK = 16384  # number of rows that are predicted together


class BlindFile:
    """A CSV file that has the columns of the model. Its rows are read in blocks."""

    def __init__(self, lines, schema, id_column=None):
        """id_column is the name of the ID column, - to number the rows, or None."""
        self.schema = schema
        lines = iter(lines)
        head, size = [], 0
        for line in lines:
            head.append(line)
            size += len(line)
            if size > 65536:
                break
        if head and SEPARATOR_LINE.fullmatch(head[0].rstrip("\r\n")):
            head[0] = "\n"
        width, lines = spaced_width(head), itertools.chain(head, lines)
        if width:
            self.delimiter, lines = ",", spaced_to_csv(lines, width)
        else:
            self.delimiter = find_delimiter(head)
        records = without_blank_end(read_records(lines, self.delimiter), self.delimiter)
        line, text, fields = next(records, (1, "", []))
        if not fields:
            raise FileError("line 1: the file is empty")
        first = list(itertools.islice(records, 49))
        records = itertools.chain(first, records)
        fitted = fit_header(fields, [row for _, _, row in first])
        omitted = self.delimiter * (len(fields) - len(fitted))
        if text.endswith(omitted):
            fields, text = fitted, text[: len(text) - len(omitted)]
        given = [field.strip(SPACE) for field in fields]
        self.names = unique_names(given)
        named = self.names == given
        sources = field_names(schema)
        if not self.names[0] and FIRST_COLUMN in [*sources, schema["id"]] and FIRST_COLUMN not in self.names:
            self.names[0], named = FIRST_COLUMN, False
        renamed = self.match_names([*sources, schema["id"]])
        self.places = {name: at for at, name in enumerate(self.names)}
        used = {source(column) for column in schema["columns"]}
        missing = [name for name in sources if name not in self.places]
        if not used.isdisjoint(missing):
            raise FileError(f"line {line}: {missing_text([name for name in missing if name in used])}")
        if missing:
            reason = "it, so it is" if len(missing) == 1 else "them, so they are"
            print(f"warning: {missing_text(missing)}; the model does not use {reason} added without values", file=sys.stderr)
        self.width = len(self.names)  # of the file, without the added columns
        self.names += missing
        self.places.update((name, self.width + at) for at, name in enumerate(missing))
        first = list(itertools.islice(records, BLOCK))
        self.ignored = [at for at, name in enumerate(given) if not name and self.names[at] not in (schema["id"], FIRST_COLUMN) and self.is_blank(at, first)]
        self.records = itertools.chain(first, records)
        self.copied = None  # the position of a feature whose values are also the IDs
        if id_column is None:
            self.id = self.find_id(schema, sources, first)
        elif id_column == "-":
            self.id = None
        elif id_column in sources:
            self.id, self.copied = None, self.places[id_column]
        elif id_column in self.places:
            self.id = self.places[id_column]
        else:
            raise FileError(f"line {line}: there is no column {id_column!r} to be the ID")
        if not self.names[0] and self.id != 0:  # only the ID may have no name
            self.names[0], named = free_name(FIRST_COLUMN, self.names), False
            self.places = {name: at for at, name in enumerate(self.names)}
        self.find_order(schema)
        names = list(self.names)
        if self.id is None:
            self.id_name = free_name("id", names)
            if schema["id"] in self.places:
                names[self.places[schema["id"]]] = free_name(schema["id"], [*names, self.id_name])
            self.output_names = [self.id_name, *(names[at] for at in self.order)]
            self.header = ",".join(map(quote, self.output_names))
        else:
            self.id_name = names[self.id]
            self.output_names = [names[at] for at in self.order]
            self.header = text if self.unchanged and named and not renamed else ",".join(map(quote, self.output_names))

    def match_names(self, wanted):
        """Renames columns that differ from those of the training file only in case and punctuation.

        Returns whether there are such columns, and warns about them. As with `foretell predict`,
        a column is renamed only if no other column matches.
        """
        have, known = set(self.names), set(wanted)
        missing, others = {}, {}  # names by their folded form
        for name in wanted:
            if name not in have:
                missing.setdefault(fold_name(name), []).append(name)
        for name in self.names:
            if name not in known:
                others.setdefault(fold_name(name), []).append(name)
        renamed = {names[0]: missing[form][0] for form, names in others.items() if len(names) == 1 and len(missing.get(form, ())) == 1}
        if renamed:
            pairs = [f"{name!r} as {other!r}" for name, other in renamed.items()]
            more = f" and {len(pairs) - 10} more" if len(pairs) > 10 else ""
            print(f"warning: columns are read under their names in the training file: {', '.join(pairs[:10])}{more}", file=sys.stderr)
        self.names = [renamed.get(name, name) for name in self.names]
        return bool(renamed)

    def find_id(self, schema, sources, rows):
        """Returns the position of the ID column, or None if the rows are numbered.

        It chooses as `foretell predict` does: the ID column of the training file, or else a
        column that is not a feature and looks like IDs. rows are the first rows of the file. If
        a later row has an empty or a repeated ID, blocks() raises an error. `foretell predict` does
        so only for the ID column of the training file. For another column, it numbers the rows.
        """
        if schema["id"] and schema["id"] in self.places:
            return self.places[schema["id"]]
        for at, name in enumerate(self.names):
            if name in sources or name == schema["label"]:
                continue
            cells = [fields[at].strip(SPACE) for _, _, fields in rows if at < len(fields)]
            unique = all(cells) and len(set(cells)) == len(cells)
            if unique and (at == 0 or is_id_name(name)) and not are_measurements(cells):
                return at
        return None

    @staticmethod
    def is_blank(at, rows):
        """Returns whether all cells of a column are blank. Missing cells are errors; see blocks()."""
        return not any(fields[at].strip(SPACE) for _, _, fields in rows if at < len(fields))

    def find_order(self, schema):
        """Sets the order of the columns in the output: the ID first and the label last."""
        label = self.places.get(schema["label"], self.id)
        self.order = [at for at in range(self.width) if at not in (self.id, label, *self.ignored)]
        if self.id is not None:
            self.order.insert(0, self.id)
        if label != self.id:
            self.order.append(label)
        self.order += range(self.width, len(self.names))
        self.unchanged = self.delimiter == "," and self.order == list(range(self.width))

    def row_text(self, text, fields):
        """Returns the columns of a row, except an ID that is added, as text of the output."""
        return text if self.unchanged else ",".join(quote(fields[at]) for at in self.order)

    def blocks(self, size):
        """Yields the texts of at most size rows, their IDs, and their cells by column.

        An empty or a repeated ID is an error, unless the rows are numbered.
        """
        count, seen = 0, {}
        id_place = self.id if self.copied is None else self.copied
        while True:
            rows = list(itertools.islice(self.records, size))
            if not rows:
                return
            for line, _, fields in rows:
                if len(fields) != self.width:
                    raise FileError(f"line {line}: expected {self.width} fields, got {len(fields)}")
                fields += [""] * (len(self.names) - self.width)
                if any(fields[at].strip(SPACE) for at in self.ignored):
                    raise FileError(f"line {line}: a column without a name has a value, but no value in the first {BLOCK} rows: give it a name")
                if id_place is None:
                    continue
                row_id = fields[id_place].strip(UNICODE_SPACE)
                if not row_id:
                    raise FileError(f"line {line}: the row has no ID; --id - numbers the rows")
                if seen.setdefault(row_id, line) != line:
                    raise FileError(f"line {line}: line {seen[row_id]} has the same ID; --id - numbers the rows")
            texts = [self.row_text(text, fields) for _, text, fields in rows]
            columns = dict(zip(self.names, zip(*(fields for _, _, fields in rows))))
            if self.id is not None:
                ids = columns[self.names[self.id]]
            else:
                ids = [f"r{count + number}" for number in range(1, len(rows) + 1)] if self.copied is None else columns[self.names[self.copied]]
                texts = [f"{quote(row_id)},{text}" for row_id, text in zip(ids, texts)]
            if count == 0:
                warn_unread(self.schema, columns)
            count += len(rows)
            yield texts, ids, columns


def missing_text(names):
    """Returns a text that says that columns are missing."""
    if len(names) == 1:
        return f"the column {names[0]!r} of the training file is missing"
    more = f" and {len(names) - 10} more" if len(names) > 10 else ""
    return f"the columns {', '.join(map(repr, names[:10]))}{more} of the training file are missing"


def fold_name(name):
    """Returns the letters and digits of a name in lower case, or the name itself if it has none."""
    return "".join(char.lower()[:1] for char in name if char.isalpha() or char.isdecimal()) or name


def is_id_name(name):
    """Returns whether a column with this name is nearly always the ID: id, customer_id, userID."""
    if "".join(char for char in name.lower() if char.isalnum()) in ("id", "uuid", "guid", "rowid"):
        return True
    words = re.split(r"[\W_]", name)
    if len(words) > 1 and words[-1].lower() in ("id", "key", "uuid", "guid"):
        return True
    return name[-2:] in ("Id", "ID") and (name[-3:-2].islower() or name[-3:-2].isdigit())


def are_measurements(cells):
    """Returns whether unique cells are fractions or dates, which are not IDs."""
    parsed = [classify(cell) for cell in cells]
    if all(kind == "number" for kind, _ in parsed):
        return any(value != int(value) for _, value in parsed)
    return all(parse_date(cell, False) for cell in cells)


def free_name(name, taken):
    """Returns name or, if it is taken, name with a number appended."""
    unique, number = name, 2
    while unique in taken:
        unique, number = f"{name}_{number}", number + 1
    return unique


def field_names(schema):
    """Returns the names of the columns between the ID and the label of the training file."""
    return schema.get("fields") or [source(column) for column in schema["columns"]]


def source(column):
    return column.get("source") or column["name"]
