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
    if not decimal_comma:
        kind, value = classify(cell)
        if kind == "number":
            return value
    value, found, ok = parse_amount(cell, decimal_comma)
    if found == "" and ends_in_letter(cell) and ends_in_letter(unit):
        return NAN  # if the unit is A, as in 5A and 7A, then 5B is not 5 billion
    if found == "day" and unit == "h":
        value, found = 24 * value, unit
    if not ok or found and canonical_unit(found) != canonical_unit(unit) or math.isinf(value):
        return NAN
    return value


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
    all that follows a number with decimals or thousands. Footnote marks at the end are ignored. A duration such as
    26:30:00 is a number of hours with the unit h.
    """
    cell = cell.strip(SPACE)
    if byte_length(cell) > 32:
        return NO_AMOUNT
    cell = FOOTNOTE_MARKS.sub("", cell)
    if not cell:
        return NO_AMOUNT
    hours = parse_duration(cell)
    if hours is not None:
        return hours, "h", True
    negative = cell[0] == "(" and cell[-1] == ")"
    if negative:
        cell = cell[1:-1]
    digits = [i for i, char in enumerate(cell) if "0" <= char <= "9"]
    if not digits:
        return NO_AMOUNT
    begin, end = digits[0], digits[-1] + 1
    point = "," if decimal_comma else "."
    if begin > 0 and cell[begin - 1] == point and not ends_in_letter(cell[: begin - 1]):
        begin -= 1  # not the point of Rs.500
    minus, before, ok = parse_prefix(cell[:begin])
    if not ok:
        return NO_AMOUNT
    trailing = cell[end:] == "-" and cell[begin:end].strip("0123456789") != ""
    scale, after, ok = parse_suffix("" if trailing else cell[end:])
    if not ok or (before and after) or trailing and (minus or negative):
        return NO_AMOUNT
    value, ok = parse_digit_groups(cell[begin:end], point)
    if negative != (minus or trailing):
        value = -value
    return value * scale, before + after, ok


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
    "BRL MXN ZAR TRY RUB KRW SGD HKD AED".split()
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


def parse_suffix(text):
    """Returns the scale, the unit, and whether the text is valid."""
    text = text.strip(SPACE + AMOUNT_SPACE).removeprefix("+")
    scale = 1.0
    if text and (len(text) == 1 or text[1] == "+"):
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
    between the first and the last have two.
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
    return (float(text), True) if DECIMAL.fullmatch(text) else (0.0, False)


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
