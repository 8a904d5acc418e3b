# ---- Cells: numbers, amounts and words ---------------------------------------------------

SPACE = " \t\n\x0b\x0c\r"  # the white space that is ignored around a cell
AMOUNT_SPACE = "\u00a0\u2009\u202f"  # more spaces in amounts: no-break, thin, and narrow no-break
NAN = math.nan

DECIMAL = re.compile(r"[0-9]+\.?[0-9]*|\.[0-9]+")
NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")

# These texts, in lower case, mean a missing value in a column of numbers.
NULLS = frozenset(
    "nan +nan -nan na n/a <na> #n/a #na null nil none ? - -- . #div/0! #value! "
    ".. ... … : [c] [x] [z] [low] "
    "inf +inf -inf infinity +infinity -infinity".split()
)


def byte_length(text):
    return len(text) if text.isascii() else len(text.encode())


def classify(cell):
    """Returns the kind of a cell (blank, number, null or text) and its number or NaN."""
    cell = cell.strip(SPACE)
    if not cell:
        return "blank", NAN
    if NUMBER.fullmatch(cell):
        value = float(cell)
        return ("null", NAN) if math.isinf(value) else ("number", value)
    if byte_length(cell) <= 9 and "".join(map(lower, cell)) in NULLS:
        return "null", NAN
    return "text", NAN


def number_or_nan(cell):
    """Returns the number in a cell of a column of plain numbers."""
    kind, value = classify(cell)
    if kind == "text":
        amount, unit, ok = parse_amount(cell, False)
        if ok and unit == "" and not math.isinf(amount):
            return amount
    return value


def amount_or_nan(cell, unit, decimal_comma):
    """Returns the number in a cell of a column of amounts such as 1,234.5, $12.50 or 45%."""
    if not decimal_comma and not is_total(unit):
        kind, value = classify(cell)
        if kind == "number":
            return value
    value, found, ok = parse_amount(cell, decimal_comma)
    if found == "" and ends_in_letter(cell) and ends_in_letter(unit):
        return NAN  # if the unit is A, as in 5A and 7A, then 5B is not 5 billion
    factor = unit_factor(found, unit)
    if not ok or factor is None or math.isinf(value * factor):
        return NAN
    return value * factor


def unit_factor(found, unit):
    """Returns the number by which numbers with the unit found are multiplied, or None."""
    if not found and not is_total(unit) or canonical_unit(found) == canonical_unit(unit):
        return 1.0
    parts = {"h": HOUR_PARTS, "year": YEAR_PARTS}.get(unit, {})
    return parts.get(found.removesuffix("."), (0, None, 0))[1]


def is_total(unit):
    """Returns whether a unit is that of scores, such as /10."""
    return unit[:1] == "/" and "0" <= unit[1:2] <= "9"


# Currencies that are also written in letters.
CURRENCY_SYMBOLS = {"eur": "€", "euro": "€", "usd": "$", "us$": "$", "US$": "$", "gbp": "£"}


def canonical_unit(unit):
    """Returns the same text for units that mean the same, such as € and eur."""
    return CURRENCY_SYMBOLS.get(unit, unit)


def ends_in_letter(text):
    return text[-1:].isascii() and text[-1:].isalpha()


NO_AMOUNT = (0.0, "", False)
FOOTNOTE_MARKS = re.compile(
    r"(?:[%s]*(?:[*†‡§]|\[(?:[0-9]{1,3}|[A-Za-z])\]))+[%s]*\Z" % (2 * (SPACE + AMOUNT_SPACE,))
)


def parse_amount(cell, decimal_comma):
    """Returns the number, the unit and whether the cell is an amount.

    An amount is a number with an optional currency before it, or a scale (k, M, B), a plus
    and a unit after it. Parentheses mean minus, as in accounting, and so does a hyphen that is
    all that follows a number with decimals or thousands. Footnote marks at the end and a mark
    such as ~ before the number are ignored. An error, a power of ten or a total may follow the
    number; see TAIL. A duration such as 26:30:00 or 3h 36m is a number of hours with the unit
    h, and an age such as 56y 1m is a number of years.
    """
    cell = cell.strip(SPACE)
    if byte_length(cell) > 32:
        return NO_AMOUNT
    cell = APPROXIMATE_MARK.sub("", FOOTNOTE_MARKS.sub("", cell))
    if not cell:
        return NO_AMOUNT
    hours = parse_duration(cell)
    if hours is not None:
        return hours, "h", True
    duration, unit = parse_unit_duration(cell)
    if duration is not None:
        return duration, unit, True
    negative = cell[0] == "(" and cell[-1] == ")"
    if negative:
        cell = cell[1:-1]
    digits = [i for i, char in enumerate(cell) if "0" <= char <= "9"]
    if not digits:
        return NO_AMOUNT
    begin, end = digits[0], digits[-1] + 1
    suffix = cell[end:]
    tail = parse_tail(cell, begin)
    if tail:
        end, suffix = tail.end(1), cell[tail.end():]
    point = "," if decimal_comma else "."
    if begin > 0 and cell[begin - 1] == point and not ends_in_letter(cell[: begin - 1]):
        begin -= 1  # not the point of Rs.500
    minus, before, ok = parse_prefix(cell[:begin])
    if not ok:
        return NO_AMOUNT
    trailing = not tail and suffix == "-" and cell[begin:end].strip("0123456789") != ""
    scale, after, ok = parse_suffix("" if trailing else suffix, not tail or power_of_10(tail) == 0)
    if not ok or (before and after) or trailing and (minus or negative):
        return NO_AMOUNT
    value, ok = parse_digit_groups(cell[begin:end], point)
    if negative != (minus or trailing):
        value = -value
    value *= scale
    if not tail or not ok:
        return value, before + after, ok
    if tail["total"]:
        unit = "/" + tail["total"] + (" " + after if after else "")
        return value, unit, not before and 0 <= value <= int(tail["total"])
    power = power_of_10(tail)
    return value * 10.0**power if power >= 0 else value / 10.0**-power, before + after, True


APPROXIMATE_MARK = re.compile(
    r"\A(?:[~\u223c≈]|[Cc]a\. |[Cc]a\.|[Cc]a |approx\. |approx )[%s]*" % (SPACE + AMOUNT_SPACE)
)
SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
# What follows the first number of a cell: an error, a power of ten, or the total of a score.
TAIL = re.compile(
    r"([0-9](?:[0-9,.'’\u00a0\u2009\u202f]*[0-9])?)(?:"
    r"_*(?:±|\+/-)_*[0-9]+(?:[.,][0-9]+)?"
    r"|_*[×xX*·⋅]_*10(?:\^(?P<power>[-\u2212+]?[0-9]{1,2})(?![0-9])|(?P<super>⁻?[^]{1,2})(?![^]))"
    r"|(?:_*/|_+(?:out )?of(?=_))_*(?P<total>[1-9][0-9]{0,5})(?![0-9]))"
    .replace("_", "[%s]" % (SPACE + AMOUNT_SPACE))
    .replace("[^]", "[%s]" % SUPERSCRIPTS)
)


def parse_tail(cell, begin):
    """Returns the match of TAIL at an offset of a cell, or None."""
    found = TAIL.match(cell, begin)
    if not found:
        return None
    if found["total"]:
        is_padded = re.match("0[0-9]", cell[begin:])
        is_year = 1900 <= int(found["total"]) <= 2099
        return None if is_padded or is_year else found
    if found["power"] or found["super"]:
        return found if 1 <= abs(power_of_10(found)) <= 22 else None
    return found


def power_of_10(tail):
    """Returns the exponent of the power of ten in a match of TAIL; 0 if there is none."""
    text = tail["power"] or tail["super"] or "0"
    digits = [SUPERSCRIPTS.find(char) if char in SUPERSCRIPTS else int(char) for char in text if char not in "-+\u2212⁻"]
    power = int("".join(map(str, digits)))
    return -power if text[0] in "-\u2212⁻" else power


# The rank, the length and the limit of each unit of a duration in hours or years.
HOUR_PARTS = {
    name: part
    for part, names in (
        ((0, 24.0, 0), "d day days tag tage"),
        ((1, 1.0, 24), "h hr hrs hour hours std stunde stunden"),
        ((2, 1 / 60, 60), "m min mins minute minutes minuten"),
        ((3, 1 / 3600, 60), "s sec secs second seconds sek sekunde sekunden"),
    )
    for name in names.split()
}
YEAR_PARTS = {
    name: part
    for part, names in (
        ((0, 1.0, 0), "y yr yrs year years"),
        ((1, 1 / 12, 12), "m mo mos mth mths month months"),
    )
    for name in names.split()
}
UNIT_PART = re.compile(r"([0-9]{1,9})(?:[.,]([0-9]{1,9}))? ?(?:([a-z])(?![A-Za-z])|([A-Za-z]{2,})\.?)")
PART_SEPARATOR = re.compile(r" and | und |,? ?")


def parse_unit_duration(cell):
    """Returns a duration of several numbers with units and its unit, or (None, None)."""
    none = (None, None)
    sign = -1 if is_minus(cell[:1]) else 1
    at = 1 if cell[:1] in ("-", "\u2212", "+") else 0
    parts, last, total, count, fraction = HOUR_PARTS, -1, 0.0, 0, None
    while at < len(cell):
        if count:
            at = PART_SEPARATOR.match(cell, at).end()
        found = UNIT_PART.match(cell, at)
        if not found or fraction:
            return none
        whole, fraction, letter, word = found.groups()
        name = letter or word.lower()
        if not count and name in YEAR_PARTS and name != "m":
            parts = YEAR_PARTS
        rank, factor, limit = parts.get(name, (-1, 0, 0))
        if rank <= last or count and int(whole) >= limit:
            return none
        total += with_fraction(whole, fraction) * factor
        last, count, at = rank, count + 1, found.end()
    return (sign * total, "year" if parts is YEAR_PARTS else "h") if count >= 2 else none


CLOCK_DURATION = re.compile(
    r"([-\u2212+]?)(?:([0-9]{1,9}) days?,? \+?(?=[0-9]{1,2}:))?"
    r"([0-9]{1,9}):([0-5][0-9]):([0-5][0-9]|60)(?:[.,]([0-9]{1,9}))?"
)
ISO_DURATION = re.compile(
    "([-\u2212+]?)P(?:#W)?(?:#D)?(?:T(?:#H)?(?:#M)?(?:#S)?)?".replace("#", "([-\u2212+]?)([0-9]{1,9})(?:[.,]([0-9]{1,9}))?")
)
ISO_HOURS = (7 * 24, 24, 1, 1 / 60, 1 / 3600)


def parse_duration(cell):
    """Returns the hours of a duration such as 26:30:00, 1 day, 2:03:04 or PT1H30M, or None."""
    found = CLOCK_DURATION.fullmatch(cell)
    if found:
        sign, days, hour, minute, whole, fraction = found.groups()
        clock = int(hour) + int(minute) / 60 + with_fraction(whole, fraction) / 3600
        sign = -1 if is_minus(sign) else 1
        if days is None:
            return sign * clock
        return sign * 24.0 * int(days) + clock if int(hour) < 24 else None
    found = ISO_DURATION.fullmatch(cell)
    if not found or cell[-1] in "PT":
        return None
    sign, *numbers = found.groups()
    hours = 0.0
    for part_sign, whole, fraction, unit in zip(numbers[::3], numbers[1::3], numbers[2::3], ISO_HOURS):
        if whole is not None:
            number = with_fraction(whole, fraction)
            hours += (-number if is_minus(part_sign) else number) * unit
    return -hours if is_minus(sign) else hours


def is_minus(sign):
    return sign in ("-", "\u2212")


def with_fraction(whole, fraction):
    return int(whole) + (int(fraction) / 10.0 ** len(fraction) if fraction else 0.0)


def parse_prefix(text):
    """Returns whether there is a minus, the currency, and whether the text is valid."""
    text, negative = cut_sign(text)
    currency = text.strip(SPACE + AMOUNT_SPACE)
    if not currency:
        return negative, "", True
    if currency in CURRENCY_CODES:
        is_apart = text[-1] == "." or text[-1] in SPACE + AMOUNT_SPACE
        return negative, currency.lower(), is_apart
    return negative, currency, byte_length(currency) <= 5 and unicodedata.category(currency[-1]) == "Sc"


# A space or a point follows the code of a currency before a number.
CURRENCY_CODES = frozenset(
    "Rs. Rs INR USD EUR GBP CHF JPY CNY AUD CAD NZD SEK NOK DKK PLN CZK HUF "
    "kr kr. Kr Kr. BRL MXN ZAR TRY RUB KRW SGD HKD AED".split()
)

MINUS_SIGN = "\u2212"
EN_DASH = "\u2013"


def cut_sign(text):
    """Removes a sign from the begin or the end of the text, and returns whether it is a minus.

    A minus is a hyphen or U+2212. An en dash is a minus only directly before the digits.
    """
    if text.endswith(EN_DASH):
        return text[:-1], True
    text = text.lstrip(SPACE + AMOUNT_SPACE)
    for sign in ("-", MINUS_SIGN, "+"):
        if text.startswith(sign):
            return text[1:], sign != "+"
        if text.rstrip(SPACE + AMOUNT_SPACE).endswith(sign):
            return text.rstrip(SPACE + AMOUNT_SPACE)[:-1], sign != "+"
    return text, False


def parse_suffix(text, may_have_scale):
    """Returns the scale, the unit, and whether the text is valid.

    After a power of ten, M is a unit such as mol/L rather than a million.
    """
    text = text.strip(SPACE + AMOUNT_SPACE).removeprefix("+")
    scale = 1.0
    if may_have_scale and text and (len(text) == 1 or text[1] == "+"):
        if text[0] in "kKMB":
            scale = {"k": 1e3, "K": 1e3, "M": 1e6, "B": 1e9}[text[0]]
            text = text[1:]
        text = text.removeprefix("+")
    text = text.strip(SPACE + AMOUNT_SPACE)
    if not text:
        return scale, "", True
    if byte_length(text) > 12:
        return NO_AMOUNT
    for char in text:
        if unicodedata.category(char)[0] not in "LS" and char not in "%/²³µ'\". ‰":
            return NO_AMOUNT
    text = "".join(map(lower, text))
    if byte_length(text) > 2 and text[-1] == "s":
        text = text[:-1]
    return scale, text, True


def parse_digit_groups(text, point):
    """Returns a number whose digits may be in groups, and whether it is one.

    All groups but the first have three digits. In Indian numbers such as 12,34,567, the groups
    between the first and the last have two. With a decimal comma, an exponent may follow a number
    without groups.
    """
    whole, has_point, decimals = text.partition(point)
    separator = next((char for char in whole if char in ",.'’" + AMOUNT_SPACE), "")
    if separator:
        first, *groups = whole.split(separator)
        if not 1 <= len(first) <= 3 or first[0] == "0" or len(groups[-1]) != 3:
            return 0.0, False
        sizes = {len(group) for group in groups[:-1]}
        if sizes - {3} and (sizes != {2} or separator != "," or len(first) > 2):
            return 0.0, False
        whole = first + "".join(groups)
    text = whole + "." * len(has_point) + decimals
    form = NUMBER if point == "," and not separator else DECIMAL
    return (float(text), True) if form.fullmatch(text) else (0.0, False)


def lower(char):
    return "i" if char == "İ" else char.lower()


HEX_ID = re.compile("[0-9A-Fa-f-]{16,}")
ASCII_WORD = re.compile("(?:[a-z]+'*|[0-9]+)+")
LETTERS_OR_DIGITS = re.compile("[0-9]+|[^0-9]+")


def words(cell):
    """Returns the words of a text, in lower case.

    A word is a run of letters and digits, but letters followed by digits, or digits followed
    by letters, are two words. In scripts without spaces each character is a word.
    """
    if HEX_ID.fullmatch(cell):
        return []  # a UUID or a hash
    runs = ASCII_WORD.findall(cell.lower()) if cell.isascii() else unicode_runs(cell)
    found = []
    for run in runs:
        run = run.replace("'", "")
        if byte_length(run) > 40:
            continue
        parts = LETTERS_OR_DIGITS.findall(run)
        found += parts if len(parts) == 2 else [run]
    return found


def unicode_runs(cell):
    runs, run = [], ""
    for char in cell:
        if "0" <= char <= "9" or unicodedata.category(char)[0] in "LM":
            if char >= "\u0e00" and any(first <= char <= last for first, last in UNSPACED):
                runs += [run, char]
                run = ""
            else:
                run += lower(char)
        elif not (char == "'" and run and not "0" <= run[-1] <= "9"):
            runs.append(run)
            run = ""
    return [run for run in runs + [run] if run]


def items(cell, separator):
    """Returns the items of a list such as C++;SQL, without white space, brackets and quotes around them."""
    rest, found = cell.strip(SPACE), []
    if len(rest) > 1 and rest[0] + rest[-1] in ("[]", "{}"):
        rest = rest[1:-1]
    unclosed = set()  # the quotes that are known to end no item
    while rest:
        rest = rest.strip(SPACE)
        quote, at = rest[:1], 0
        if quote in ('"', "'") and quote not in unclosed:
            at = rest.find(quote, 1)
            while at > 0 and (rest[at + 1:].lstrip(SPACE) or separator)[0] != separator:
                at = rest.find(quote, at + 1)
            if at < 0:
                unclosed.add(quote)
        if at > 0:
            item, rest = rest[1:at].strip(SPACE), rest[at + 1:].lstrip(SPACE)[1:]
        else:
            item, _, rest = rest.partition(separator)
            item = item.strip(SPACE)
            for first, last in ("[]", "{}"):
                if last not in item:
                    item = item.lstrip(first).strip(SPACE)
                elif first not in item:
                    item = item.rstrip(last).strip(SPACE)
        if item:
            found.append(item)
    return found
