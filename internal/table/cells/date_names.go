package cells

// The names of months and weekdays in English, German, French, Spanish and Italian, and their
// abbreviations, in lower case. Names with accents are also written without them.
var (
	monthNames = mapNamesToNumbers([][]string{
		{"january", "jan", "januar", "jänner", "jaenner", "jän", "janvier", "janv", "enero", "ene", "gennaio"},
		{"february", "feb", "februar", "février", "fevrier", "févr", "fevr", "fév", "fev", "febrero", "febbraio", "febb"},
		{"march", "mar", "märz", "maerz", "mär", "mrz", "mars", "marzo"},
		{"april", "apr", "avril", "avr", "abril", "abr", "aprile"},
		{"may", "mai", "mayo", "maggio", "magg"},
		{"june", "jun", "juni", "juin", "junio", "giugno"},
		{"july", "jul", "juli", "juillet", "juil", "julio", "luglio"},
		{"august", "aug", "août", "aout", "agosto", "ago"},
		{"september", "sep", "sept", "septembre", "septiembre", "setiembre", "settembre", "sett"},
		{"october", "oct", "oktober", "okt", "octobre", "octubre", "ottobre"},
		{"november", "nov", "novembre", "noviembre"},
		{"december", "dec", "dezember", "dez", "décembre", "decembre", "déc", "diciembre", "dic", "dicembre"}, //nolint:misspell // French without accents
	})
	// monthsAfterDay are Italian abbreviations that are months only after a day, as in 3 gen 2024.
	// Without a day, SET-12 is probably the code of a product.
	monthsAfterDay = mapNamesToNumbers([][]string{
		{"gen"}, {}, {}, {}, {"mag"}, {"giu"}, {"lug"}, {}, {"set"}, {"ott"}, {}, {},
	})
	weekdayNames = mapNamesToNumbers([][]string{
		{"monday", "mon", "montag", "mo", "lundi", "lunes", "lunedì", "lunedi"},
		{"tuesday", "tue", "dienstag", "di", "mardi", "martes", "martedì", "martedi"},
		{"wednesday", "wed", "mittwoch", "mi", "mercredi", "miércoles", "miercoles", "mercoledì", "mercoledi"},
		{"thursday", "thu", "donnerstag", "do", "jeudi", "jueves", "giovedì", "giovedi"},
		{"friday", "fri", "freitag", "fr", "vendredi", "viernes", "venerdì", "venerdi"},
		{"saturday", "sat", "samstag", "sonnabend", "sa", "samedi", "sábado", "sabado", "sabato"},
		{"sunday", "sun", "sonntag", "so", "dimanche", "domingo", "domenica"},
	})
)

// maxNameLen is the length of the longest name of a month or weekday, in bytes.
const maxNameLen = 10

// mapNamesToNumbers maps the names of each list to the number of the list, from 1.
func mapNamesToNumbers(lists [][]string) map[string]int {
	numbers := make(map[string]int)
	for i, names := range lists {
		for _, name := range names {
			numbers[name] = i + 1
		}
	}
	return numbers
}

// parseMonth parses the name of a month and returns the number of the month. If the unread
// text does not start with a name, it returns 0 and skips nothing.
func (p *dateParser) parseMonth() int { return p.parseName(monthNames) }

// parseMonthAfterDay is like parseMonth, but also accepts abbreviations that mean a month only
// after a day.
func (p *dateParser) parseMonthAfterDay() int {
	if month := p.parseMonth(); month > 0 {
		return month
	}
	return p.parseName(monthsAfterDay)
}

func (p *dateParser) skipWeekday() bool { return p.parseName(weekdayNames) > 0 }

// parseName parses one of the names and an optional point, and returns the number of the name.
func (p *dateParser) parseName(numbers map[string]int) int {
	var lower [maxNameLen]byte
	n := p.lowerWord(lower[:])
	number := numbers[string(lower[:n])]
	if number > 0 {
		p.rest = p.rest[n:]
		p.skipByte('.')
	}
	return number
}

// lowerWord copies the word at the start of the unread text to dst, in lower case, and returns its
// length, or 0 if the word does not fit. A word consists of ASCII letters and of characters from
// U+00C0 to U+00FF, whose first byte in UTF-8 is latinLead.
func (p *dateParser) lowerWord(dst []byte) (n int) {
	const latinLead = 0xC3
	for n < len(p.rest) {
		char := p.rest[n]
		isLatin := char == latinLead && n+1 < len(p.rest)
		if !isLetter(char) && !isLatin {
			break
		}
		size := 1
		if isLatin {
			size = 2
		}
		if n+size > len(dst) {
			return 0
		}
		copy(dst[n:], p.rest[n:n+size])
		dst[n+size-1] |= 0x20
		n += size
	}
	return n
}

// skipOrdinal skips the suffix of a day, as in 1st, 2nd, 3rd, 4th, 1er (French) and 1. (German).
func (p *dateParser) skipOrdinal() {
	if p.skipByte('.') || len(p.rest) < 2 {
		return
	}
	switch string(p.rest[:2]) {
	case "st", "nd", "rd", "th", "er":
		p.rest = p.rest[2:]
	}
}

// skipSpanishOf skips the word de before a month or a year, as in 3 de enero de 2024.
func (p *dateParser) skipSpanishOf() {
	if len(p.rest) > 3 && string(p.rest[:3]) == "de " {
		p.rest = p.rest[3:]
	}
}

func isLetter(c byte) bool { return c|0x20-'a' < 26 }
