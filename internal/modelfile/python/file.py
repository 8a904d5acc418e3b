

# ---- The file: CSV as RFC 4180, in UTF-8 ------------------------------------------------


class FileError(ValueError):
    """An error in a CSV file. The message begins with the line."""


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


def find_delimiter(lines):
    """Returns the delimiter with which most of the first records have the same fields."""
    best, most = ",", 0
    for delimiter in ",;\t|":
        lengths = []
        with contextlib.suppress(FileError):
            for _, _, fields in read_records(lines, delimiter):
                lengths.append(len(fields))
                if len(lengths) == 50:
                    break
        same = sum(length == lengths[0] for length in lengths)
        if 10 * same >= 9 * len(lengths) and lengths and same * (lengths[0] - 1) > most:
            best, most = delimiter, same * (lengths[0] - 1)
    return best


def quote(field):
    """Returns a field as text of a CSV file, in quotes if necessary."""
    if not re.search('[,"\r\n]', field) and field.strip(" ") == field and not "\uf000" <= field[:1] <= "\uffff":
        return field
    return '"' + field.replace('"', '""') + '"'


class BlindFile:
    """A CSV file that has the columns of the model. Its rows are read in blocks."""

    def __init__(self, lines, schema):
        lines = iter(lines)
        head, size = [], 0
        for line in lines:
            head.append(line)
            size += len(line)
            if size > 65536:
                break
        self.delimiter = find_delimiter(head)
        self.records = read_records(itertools.chain(head, lines), self.delimiter)
        line, text, fields = next(self.records, (1, "", []))
        if not fields:
            raise FileError("line 1: the file is empty")
        self.header = text if self.delimiter == "," else ",".join(map(quote, fields))
        self.names = [field.strip(SPACE) for field in fields]
        self.places = {name: at for at, name in enumerate(self.names)}
        if len(self.places) < len(self.names):
            raise FileError(f"line {line}: two columns have the same name")
        sources = field_names(schema)
        missing = [repr(name) for name in sources if name not in self.places]
        if len(missing) == 1:
            raise FileError(f"line {line}: the column {missing[0]} of the training file is missing")
        if missing:
            more = f" and {len(missing) - 10} more" if len(missing) > 10 else ""
            raise FileError(f"line {line}: the columns {', '.join(missing[:10])}{more} of the training file are missing")
        self.id = self.places.get(schema["id"], 0)
        if schema["id"] not in self.places and self.names[0] in sources:
            raise FileError(f"line {line}: the ID column {schema['id']!r} is missing, and the first column is a feature")

    def blocks(self, size):
        """Yields the texts of at most size rows and their cells by column."""
        while True:
            rows = list(itertools.islice(self.records, size))
            if not rows:
                return
            for line, _, fields in rows:
                if len(fields) != len(self.names):
                    raise FileError(f"line {line}: expected {len(self.names)} fields, got {len(fields)}")
                if not fields[self.id].strip(SPACE):
                    raise FileError(f"line {line}: the row has no ID")
            texts = [text if self.delimiter == "," else ",".join(map(quote, fields)) for _, text, fields in rows]
            columns = zip(*(fields for _, _, fields in rows))
            yield texts, dict(zip(self.names, columns))


def field_names(schema):
    """Returns the names of the columns that a file must have in addition to its ID."""
    return schema.get("fields") or [source(column) for column in schema["columns"]]


def source(column):
    return column.get("source") or column["name"]
