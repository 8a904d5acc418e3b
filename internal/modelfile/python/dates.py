

# ---- Dates and times of day --------------------------------------------------------------

def number_names(text):
    """Maps the names of each line to the number of the line, from 1."""
    lines = text.strip().splitlines()
    return {name: i + 1 for i, line in enumerate(lines) for name in line.split() if name != "-"}


# Names in English, German, French, Spanish and Italian.
MONTHS = number_names("""
january jan januar jänner jaenner jän janvier janv enero ene gennaio
february feb februar février fevrier févr fevr fév fev febrero febbraio febb
march mar märz maerz mär mrz mars marzo
april apr avril avr abril abr aprile
may mai mayo maggio magg
june jun juni juin junio giugno
july jul juli juillet juil julio luglio
august aug août aout agosto ago
september sep sept septembre septiembre setiembre settembre sett
october oct oktober okt octobre octubre ottobre
november nov novembre noviembre
december dec dezember dez décembre decembre déc diciembre dic dicembre
""")
# These are names only after a day, as in 3 gen 2024.
MONTHS_AFTER_DAY = number_names("""
gen
-
-
-
mag
giu
lug
-
set
ott
-
-
""")
WEEKDAYS = number_names("""
monday mon montag mo lundi lunes lunedì lunedi
tuesday tue dienstag di mardi martes martedì martedi
wednesday wed mittwoch mi mercredi miércoles miercoles mercoledì mercoledi
thursday thu donnerstag do jeudi jueves giovedì giovedi
friday fri freitag fr vendredi viernes venerdì venerdi
saturday sat samstag sonnabend sa samedi sábado sabado sabato
sunday sun sonntag so dimanche domingo domenica
""")


# The name of a zone after its offset, as in +01:00[Europe/Berlin] and GMT+0100 (Central European Time).
ZONE_NAME = re.compile(r"\[[A-Za-z0-9/_+-]{3,38}\]\Z")
LONG_ZONE_NAME = re.compile(r"\A[^)]*?( \([^()]*\))\Z", re.DOTALL)


class NotADate(Exception):
    pass


class DateParser:
    """Parses dates and times of day from left to right. NotADate ends the parsing."""

    def __init__(self, text, day_first, year_first):
        self.rest, self.day_first, self.year_first = text, day_first, year_first
        self.time_separator = ":"
        self.is_compact = self.has_month_name = False  # 20060102, 02/Jan/2006
        self.has_zone = False
        self.hour = None  # a time of day before the year, as in the output of Unix date

    def parse(self):
        """Returns the days since 1 January 1970, with a fraction, and whether there are a date and a time."""
        zone_name = ZONE_NAME.search(self.rest)
        if zone_name:
            self.rest = self.rest[: zone_name.start()]
        elif self.rest.endswith(")"):
            zone_name = LONG_ZONE_NAME.match(self.rest)
            self.require(zone_name and byte_length(zone_name[1]) <= 80)
            self.rest = self.rest[: zone_name.start(1)]
        self.require(4 <= byte_length(self.rest) <= 40)
        other_time = re.match(r"\d{1,2}(?:(h)\d\d|(\.)(?:00|1[3-9]|[2-9]\d)\.00)$", self.rest, re.ASCII)
        if other_time:
            self.time_separator = other_time[1] or other_time[2]
        if other_time or self.at_time_of_day():
            hour = self.time_of_day()
            self.require(not self.rest and not zone_name)
            return hour / 24, False, True
        day = self.date()
        if not self.rest:
            self.require(not zone_name)
            return day + (self.hour or 0.0) / 24, True, self.hour is not None
        self.require(self.hour is None)
        self.skip_to_time_of_day()
        hour = self.time_of_day()
        self.require(not self.rest and (self.has_zone or not zone_name))
        return day + hour / 24, True, True

    def skip_to_time_of_day(self):
        """Skips what is between a date and a time of day."""
        if self.skip("T") or self.skip("t"):
            if self.is_compact and not self.at_time_of_day():
                self.time_separator = ""
                return
        elif not (self.has_month_name and self.skip(":")):
            self.skip(",")
            self.require(self.skip(" "))
            if re.match(r"[0-9]{1,2}\.[0-9]{2}(?![0-9])", self.rest):
                self.time_separator = "."
                return
        self.require(self.at_time_of_day())

    @staticmethod
    def require(ok):
        if not ok:
            raise NotADate

    def skip(self, char):
        if self.rest.startswith(char):
            self.rest = self.rest[1:]
            return True
        return False

    def match(self, pattern):
        found = re.match(pattern, self.rest, re.ASCII)
        if found:
            self.rest = self.rest[found.end():]
        return found

    def digits(self, most):
        found = self.match(r"\d{1,%d}" % most)
        self.require(found)
        return int(found[0]), len(found[0])

    def at_time_of_day(self):
        return re.match(r"\d{1,2}:", self.rest, re.ASCII)

    def date(self):
        if not "0" <= self.rest[0] <= "9":
            return self.name_first()
        first, digits = self.digits(8)
        self.is_compact = digits == 8
        if self.is_compact:
            return self.day_number(first // 10000, first // 100 % 100, first % 100)
        self.require(self.rest)
        part, letter_next = self.rest[0], is_letter(self.rest[1:2])
        if digits <= 2 and (part == " " or is_letter(part) or letter_next or self.rest[:2] == ". "):
            self.has_month_name = part == "/"
            return self.month_year(first)
        if digits == 4 and (part == "," or letter_next):
            return self.month_day(first)
        self.rest = self.rest[1:]
        self.require(part in "-/.")
        second, _ = self.digits(2)
        if not self.rest and digits == 4 and part != ".":
            return self.day_number(first, second, 1)
        self.require(self.skip(part))
        third, last = self.digits(4)
        if digits == 4:
            self.require(last <= 2)
            return self.day_number(first, second, third)
        if self.year_first and digits == 2 and last <= 2:
            return self.day_number(full_year(first), second, third)
        self.require(digits <= 2 and last in (2, 4))
        if last == 2:
            third = full_year(third)
        if part == "." or self.day_first:
            first, second = second, first
        return self.day_number(third, first, second)

    def name_first(self):
        """Parses a date that starts with the name of a month or weekday."""
        month = self.name(MONTHS)
        if not month and self.name(WEEKDAYS):
            self.skip(",")
            self.rest = self.rest.lstrip(" ")
            if self.rest and "0" <= self.rest[0] <= "9":
                return self.month_year(self.digits(2)[0])
            month = self.name(MONTHS)
        self.require(month)
        if self.skip("-") or self.skip("/"):
            return self.day_number(self.year(), month, 1)
        self.rest = self.rest.lstrip(" ")
        day, digits = self.digits(4)
        if digits == 4:
            return self.day_number(day, month, 1)
        self.require(digits <= 2)
        self.ordinal()
        self.skip(",")
        self.require(self.skip(" "))
        if self.at_time_of_day():
            self.hour = self.time_of_day()
            self.require(self.skip(" "))
        return self.day_number(self.year(), month, day)

    def month_year(self, day):
        has_point = self.rest.startswith(".")
        self.ordinal()
        self.separator()
        if has_point and "0" <= self.rest[:1] <= "9":  # 2. 1. 2006
            month, _ = self.digits(2)
            self.require(self.skip("."))
            self.rest = self.rest.lstrip(" ")
            return self.day_number(self.year(), month, day)
        self.match("de (?=.)")
        month = self.name(MONTHS) or self.name(MONTHS_AFTER_DAY)
        self.require(month)
        self.skip(",")
        self.separator()
        self.match("de (?=.)")
        return self.day_number(self.year(), month, day)

    def month_day(self, year):
        self.skip(",")
        self.separator()
        month, day = self.name(MONTHS), 1
        self.require(month)
        if self.rest:
            self.separator()
            day, _ = self.digits(2)
        return self.day_number(year, month, day)

    def ordinal(self):
        self.match(r"\.|st|nd|rd|th|er")

    def separator(self):
        if not self.skip("-") and not self.skip("/"):
            self.rest = self.rest.lstrip(" ")

    def year(self):
        year, digits = self.digits(4)
        self.require(digits in (2, 4))
        return full_year(year) if digits == 2 else year

    def name(self, names):
        """Parses one of the names and an optional point. Returns its number or 0."""
        word = re.match("[A-Za-zÀ-ÿ]*", self.rest)[0]
        number = names.get(word.lower(), 0)
        if number:
            self.rest = self.rest[len(word):]
            self.skip(".")
        return number

    def day_number(self, year, month, day):
        self.require(1000 <= year <= 2999)
        try:
            return datetime.date(year, month, day).toordinal() - 719163
        except ValueError:
            raise NotADate from None

    def time_of_day(self):
        """Parses a time of day and returns the hours since midnight."""
        hour, hour_digits = self.digits(2)
        separator = self.time_separator
        self.require(self.skip(separator) if separator else hour_digits == 2)
        minute, digits = self.digits(2)
        self.require(digits == 2 and minute < 60)
        second = 0.0
        if self.skip(separator) if separator else "0" <= self.rest[:1] <= "9":
            whole, digits = self.digits(2)
            self.require(digits == 2 and whole <= 60)
            second = float(whole)
            if self.skip(".") or self.skip(","):
                fraction, digits = self.digits(9)
                second += fraction / 10.0**digits
                if digits == 9:
                    self.match(r"\d*")
        half = self.match("[ \xa0\u202f]?([AaPp])(?:[Mm]|\\.[ \xa0\u202f]?[Mm]\\.?)")
        if half:
            self.require(1 <= hour <= 12)
            hour = hour % 12 + 12 * (half[1] in "Pp")
        self.zone()
        self.require(hour < 24)
        return hour + minute / 60 + second / 3600

    def zone(self):
        before = self.rest
        self.skip(" ")
        self.has_zone = True
        self.match("(?:GMT|UTC)(?=[+-])")
        letters = len(re.match("[A-Z]*", self.rest)[0])
        if 0 < letters <= 5:
            self.rest = self.rest[letters:]
        elif self.skip("z"):
            pass
        elif self.skip("+") or self.skip("-"):
            hours, digits = self.digits(2)
            self.require(digits == 2 and hours <= 14)
            if self.rest and self.rest[0] != " ":
                self.skip(":")
                minutes, digits = self.digits(2)
                self.require(digits == 2 and minutes < 60)
            self.match(" [A-Z]{1,5}(?![A-Z])")
        else:
            self.rest, self.has_zone = before, False


def is_letter(char):
    return char.isascii() and char.isalpha()


def full_year(last_digits):
    return last_digits + (2000 if last_digits < 30 else 1900)


def parse_date(cell, day_first, year_first=False):
    """Returns the days since 1 January 1970, and whether the cell has a date and a time, or None."""
    try:
        return DateParser(cell.strip(SPACE), day_first, year_first).parse()
    except NotADate:
        return None


UNITS_PER_DAY = {"s": 86400.0, "ms": 86400e3, "us": 86400e6, "ns": 86400e9}


def parse_unix_time(cell, unit):
    """Returns what parse_date returns, for a number of units since 1 January 1970. 0 and -1 mean that the
    time is missing."""
    number, per_day = number_or_nan(cell), UNITS_PER_DAY[unit]
    if not 0 < number < 376200 * per_day:  # 1 January 3000
        return None
    rest = math.fmod(number, per_day)
    return int((number - rest) / per_day) + rest / (per_day / 24) / 24, True, True


def date_feature(days, part):
    whole = math.floor(days)
    if part == "time":
        return days
    if part == "hour":
        seconds = (days - whole) * 86400
        return (math.floor(seconds) + (seconds - math.floor(seconds) >= 0.5)) / 3600
    if part == "weekday":  # 1 January 1970 was a Thursday
        return (whole + 3) % 7
    date = datetime.date.fromordinal(whole + 719163)
    return date.month if part == "month" else date.day
