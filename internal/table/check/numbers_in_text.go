package check

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"foretell/internal/humanize"
	"foretell/internal/table/cells"
	"foretell/internal/table/columnstats"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/inference"
)

// Limits for the warning about a text column whose texts are made of numbers. A shape is a pattern
// of such texts; see numberShape.
const (
	minShapeShare    = 0.95 // smallest fraction of cells with the shape or a plain number
	minCompoundShare = 0.1  // smallest fraction of cells with the shape
	minShapeTexts    = 20   // smallest number of distinct texts with the shape
	minDecimalsShare = 0.5  // smallest fraction of cells whose numbers have decimals, for shapes with needsDecimals
	minLargeShare    = 0.1  // smallest fraction of pairs that are certainly not a day and a month, such as 120/80
	minPairNumbers   = 10   // in pairs, the first number and the second must each have at least this many distinct values
	maxPairRatio     = 10   // largest ratio of the numbers of a pair
	maxRangeRatio    = 2.5  // in a range of two integers, the larger number is at most this many times the smaller
	shapeSample      = 100  // if none of the first 100 texts has the shape, the other texts are not examined
)

// numberPart matches a number of at most five digits before the decimals. More digits are probably a code.
const numberPart = `(\d{1,5}(?:[.,]\d+)?)`

// numberShape is a pattern of cells that are made of numbers. Codes, versions, phone numbers and
// addresses match none of these patterns.
type numberShape struct {
	pattern func() *regexp.Regexp       // compiled on first use, because compiling all patterns would delay every command by 1 ms
	isValid func(numbers []string) bool // nil if all numbers are valid
	// needsDecimals is set if the numbers of many cells must have decimals.
	needsDecimals bool
	// isPair is set if the cells are two numbers that may also be a day and a month, or two parts of a code.
	isPair bool
	// varies is set if both the first and the second numbers must have many distinct values. This
	// excludes pack sizes such as 5 x 10 and 50 x 10, where the second number is always the same.
	varies bool
	// needsSpaces is set if many of the numbers must have a space between thousands. To exclude
	// phone numbers such as 555 123, these numbers must also differ in length or have decimals.
	needsSpaces bool
}

// numberShapes are the known patterns. A # is a number, and _ optional spaces.
var numberShapes = []numberShape{
	newNumberShape(`#_/_#`, isBloodPressure).asPair(),
	newNumberShape(`[<>≤≥]=?_#`, nil),
	newNumberShape(`[-−]?#_[(\[]_[-−]?#_(?:-|–|,|;|to|bis)_[-−]?#_[)\]]`, nil),
	newNumberShape(`#_(?:-|–|to|bis)_#`, isRange).asPair(),
	newNumberShape(`#_[x×*]_#(?:_[x×*]_#)?`, isUnpadded).requiringVariety(),
	newNumberShape(`[NSEWO]?_#_°_#_['′’](?:_#_(?:"|″|”|''))?_[NSEWO]?`, nil),
	newNumberShape(`#_(?:'|′|’|ft\.?)_#_(?:"|″|”|''|in\.?)?`, nil),
	newNumberShape(`# #/#`, isUnpadded),
	newNumberShape(`[-−]?(\d{1,4}):([0-5]\d(?:[.,]\d+)?)`, nil), // durations of more than 24 hours, or minutes and seconds
	newNumberShape(`[A-Za-z]+_[:=]_#`, nil).withDecimals(),
	newNumberShape(`[-−]?(?:(?:[A-Z]{0,3}\p{Sc}|[A-Z]{3}|Rs?\.?|kr\.?)_)?[-−]?(\d{1,3}(?: \d{3})*(?:[.,]\d+)?)`, isUnpadded).withSpaces(),
	newNumberShape(`\(?_[-−]?(\d{1,3}\.\d+)_[,;]_[-−]?(\d{1,3}\.\d+)_\)?`, nil), // latitude and longitude
	newNumberShape(`(?i:point)_\(_[-−]?# +[-−]?#_\)`, nil),
	newNumberShape(`(\d{4})-?W(\d{2})(?:-\d)?`, nil), // weeks and quarters of a year
	newNumberShape(`(\d{4})[ -]?Q([1-4])`, nil),
	newNumberShape(`Q([1-4])[ /-]?(\d{4})`, nil),
	newNumberShape(`(\d{1,3}(?:[. ]\d{3})+|\d{1,5}),(?:[-–—]|--)`, isUnpadded),
	newNumberShape(`(?:[-−]?'|=")[-−]?#['"]?`, isUnpadded), // as text for a spreadsheet program, such as '142 and ="142"
	newNumberShape(`[-−]?((?:[٠-٩]+|[۰-۹]+|[０-９]+)(?:[.,٫．](?:[٠-٩]+|[۰-۹]+|[０-９]+))?)`, nil),
}

func newNumberShape(pattern string, isValid func(numbers []string) bool) numberShape {
	compile := func() *regexp.Regexp {
		pattern := strings.NewReplacer("#", numberPart, "_", "[ \u00A0]*").Replace(pattern)
		return regexp.MustCompile(`^` + pattern + `[ \x{A0}]*[\pL\p{Sc}%²³/]{0,8}\.?$`)
	}
	return numberShape{pattern: sync.OnceValue(compile), isValid: isValid}
}

func (s numberShape) asPair() numberShape { s.isPair, s.varies = true, true; return s }

func (s numberShape) requiringVariety() numberShape { s.varies = true; return s }

func (s numberShape) withDecimals() numberShape { s.needsDecimals = true; return s }

func (s numberShape) withSpaces() numberShape { s.needsSpaces = true; return s }

// isUnpadded reports whether no number begins with 0. It returns false for codes such as 007 and 0x12.
func isUnpadded(numbers []string) bool {
	for _, number := range numbers {
		if len(number) > 1 && number[0] == '0' && number[1] != '.' && number[1] != ',' {
			return false
		}
	}
	return numbers[0] != "0"
}

// isBloodPressure reports whether two numbers are like 120/80, but not like 5/2024, 05/12 or 3/1234.
func isBloodPressure(numbers []string) bool {
	first, second := toNumber(numbers[0]), toNumber(numbers[1])
	isYear := len(numbers[1]) == 4 && second >= 1900 && second <= 2099
	return isUnpadded(numbers) && !isYear && first <= maxPairRatio*second && second <= maxPairRatio*first
}

// isRange reports whether two numbers are probably the ends of a range, such as 10-20. The second
// number must be larger than the first. Numbers without decimals may be parts of a code, such as
// 2024-3581, or of a phone number, such as 950-1000. They must therefore have few digits, and their
// ratio must be at most maxRangeRatio instead of maxPairRatio.
func isRange(numbers []string) bool {
	first, second := toNumber(numbers[0]), toNumber(numbers[1])
	if !isUnpadded(numbers) || first >= second {
		return false
	}
	if strings.ContainsAny(numbers[0]+numbers[1], ".,") {
		return second <= maxPairRatio*first
	}
	digits := len(numbers[0])
	isPhone := digits == 3 && len(numbers[1]) == 4
	return digits < 4 && len(numbers[1]) <= digits+1 && !isPhone && second <= maxRangeRatio*first
}

func toNumber(text string) float64 {
	value, _ := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64)
	return value
}

// numbersOf returns the numbers of a cell with the shape, or nil.
func (s *numberShape) numbersOf(cell string) []string {
	found := s.pattern().FindStringSubmatch(cell)
	if found == nil {
		return nil
	}
	numbers := found[1:]
	for len(numbers) > 1 && numbers[len(numbers)-1] == "" {
		numbers = numbers[:len(numbers)-1] // an optional number
	}
	if s.isValid != nil && !s.isValid(numbers) {
		return nil
	}
	return numbers
}

// warnNumbersInText warns about a text column of a training file if nearly all cells are made of
// numbers in the same way, such as 120/80 or <5.
func (c *columnChecker) warnNumbersInText() {
	inf := c.inferred
	if c.opts.Blind || inf.Form != inference.FormCategory && inf.Form != inference.FormText || inf.FirstOther.Rows > 0 || len(c.warnings) > 0 {
		return
	}
	texts := c.stats.AllOrSample()
	if len(texts) < minShapeTexts {
		return
	}
	for i := range numberShapes {
		rows, distinct, first := numberShapes[i].count(texts)
		if distinct < minShapeTexts {
			continue
		}
		effect := "read as " + describeReading(inf.Form)
		if c.opts.Unused {
			effect = "not used"
		}
		c.warnAt(first.FirstLine(), csvfile.CodeNumbersInText, "in %s, the cell is a text made of numbers, such as %s (%s); the column is %s, so a model cannot compare the numbers by size",
			humanize.Count(rows, "row"), csvfile.Excerpt(first.Text), c.opts.FormatLine(first.FirstLine()), effect)
		return
	}
}

// shapeCount counts the cells of a column that have a shape.
type shapeCount struct {
	columnstats.Occurrences                 // the rows with the shape
	distinct                int             // the distinct texts with the shape
	all, plain              int             // rows whose cell is not missing, and rows whose cell is only a number
	withDecimals            int             // rows with the shape and decimals
	large                   int             // rows with the shape whose numbers cannot be a day and a month
	ascending               int             // rows with the shape whose last number is larger than the first
	spaced                  int             // rows with the shape and a space between digits
	low, high               map[string]bool // the first numbers and the last numbers of the texts with the shape
	digits                  map[int]bool    // the lengths of the first numbers, without their decimals, in the rows in spaced
}

// count returns the number of rows and of distinct texts with the shape, and the first text with
// the shape. If too few cells have the shape, both numbers are 0.
func (s *numberShape) count(texts []columnstats.Value) (rows, distinct int, first columnstats.Value) {
	n, seen := shapeCount{low: map[string]bool{}, high: map[string]bool{}, digits: map[int]bool{}}, 0
	for i := range texts {
		one := &texts[i]
		if one.Kind == cells.Blank || one.Kind == cells.Null {
			continue
		}
		n.all, seen = n.all+one.Rows, seen+1
		if one.Kind == cells.Number {
			n.plain += one.Rows
		} else if numbers := s.numbersOf(one.Text); numbers != nil {
			n.add(one, numbers)
		} else if seen >= shapeSample && n.distinct == 0 {
			break
		}
	}
	isConstant := min(len(n.low), len(n.high)) < minPairNumbers
	if !n.areMostCells() || s.varies && isConstant || s.needsDecimals && float64(n.withDecimals) < minDecimalsShare*float64(n.Rows) || s.isPair && !n.arePairs() || s.needsSpaces && !n.areSpacedNumbers() {
		return 0, 0, n.First
	}
	return n.Rows, n.distinct, n.First
}

func (n *shapeCount) add(one *columnstats.Value, numbers []string) {
	low, high := numbers[0], numbers[len(numbers)-1]
	hasDecimals := strings.ContainsAny(strings.Join(numbers, ""), ".,")
	n.Add(one)
	n.distinct++
	n.low[low], n.high[high] = true, true
	if toNumber(low) < toNumber(high) {
		n.ascending += one.Rows
	}
	if hasDecimals {
		n.withDecimals += one.Rows
	}
	if strings.Contains(low, " ") {
		n.spaced += one.Rows
		n.digits[strings.IndexAny(low+".", ".,")] = true
	}
	if hasDecimals || toNumber(low) > 31 || toNumber(high) > 31 {
		n.large += one.Rows
	}
}

func (n *shapeCount) areMostCells() bool {
	return float64(n.Rows+n.plain) >= minShapeShare*float64(n.all) && float64(n.Rows) >= minCompoundShare*float64(n.all)
}

// areSpacedNumbers reports whether enough numbers have spaces between thousands, and whether these
// numbers differ in length or have decimals. If they do not, they may be phone numbers such as 555
// 123.
func (n *shapeCount) areSpacedNumbers() bool {
	return float64(n.spaced) >= minCompoundShare*float64(n.all) && (len(n.digits) > 1 || n.withDecimals > 0)
}

// arePairs reports whether pairs of numbers such as 120/80 are neither dates nor codes. At least a
// tenth of them must not be possible as a day and a month, and in nearly all of them the larger
// number must be at the same position, first or last.
func (n *shapeCount) arePairs() bool {
	return float64(n.large) >= minLargeShare*float64(n.Rows) &&
		float64(max(n.ascending, n.Rows-n.ascending)) >= minShapeShare*float64(n.Rows)
}
