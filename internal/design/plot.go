package design

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Point is a point of a curve.
type Point struct{ X, Y float64 }

// Curve is a curve of a plot.
type Curve struct {
	Name string
	// Style is a number from 1 to 4 that selects the colour and the dashes.
	Style  int
	Points []Point
	// Note is shown after the name in the legend, such as the last value.
	Note string
}

// Axes are the ranges and names of the axes of a plot.
type Axes struct {
	Title, X, Y            string
	MinX, MaxX, MinY, MaxY float64
	// Level is the height of a dashed line across the plot, such as a threshold, and LevelName its
	// name. If Level is nil, there is no line.
	Level     *float64
	LevelName string
	// Diagonal draws a line from corner to corner, which is the ROC curve of a random
	// guess.
	Diagonal bool
	// IsDateX reports whether the values of X are dates, in days since 1 January 1970.
	IsDateX bool
	// Square makes the plot as high as it is wide.
	Square bool
	// Empty is shown instead of the curves if the plot has no points.
	Empty string
}

// Plot is a picture of curves for the template "plot". Its coordinates are from 0 to 1000 in both
// directions. The stylesheet stretches the picture to the width of the page. The labels are HTML
// next to the picture, so that their size does not change.
type Plot struct {
	Axes
	Lines []PlotLine
	// YTicks are from the top to the bottom, XTicks from left to right, at equal distances.
	YTicks, XTicks []string
	// TickLines is the data of an SVG path with a horizontal line at each of YTicks.
	TickLines string
	// LevelY is the vertical position of the line at Level; "" if the plot has no Level.
	LevelY string
	// Header and Rows are a table of the same points.
	Header []string
	Rows   [][]string
}

// PlotLine is a curve as the data of an SVG path.
type PlotLine struct {
	Name, Note string
	Style      int
	Path       string
	// Points holds the coordinates of all points for the script that draws charts, such as "1 0.5,2
	// 0.75".
	Points string
}

// plotSize is the size of a plot in its own units.
const plotSize = 1000

const (
	// maxIntervals is the maximum number of intervals between ticks.
	maxIntervals = 7
	// maxTickCharacters limits the ticks of an axis: all of them together have at most this many characters.
	maxTickCharacters = 36
	// maxTableRows is the maximum number of rows of the table.
	maxTableRows = 40
)

// NewPlot returns the plot of curves. If the minimum and the maximum of an axis are equal, it
// chooses a range that contains the points of all curves and the level. It widens the ranges of the
// axes to round numbers.
func NewPlot(axes Axes, curves []Curve) *Plot {
	p := &Plot{Axes: axes}
	p.fitRanges(curves)
	if p.IsDateX {
		p.MinX, p.MaxX, p.XTicks = dateAxis(p.MinX, p.MaxX)
	} else {
		p.MinX, p.MaxX, p.XTicks = roundAxis(p.MinX, p.MaxX)
	}
	p.MinY, p.MaxY, p.YTicks = roundAxis(p.MinY, p.MaxY)
	slices.Reverse(p.YTicks)
	for i := range p.YTicks {
		p.TickLines += "M0 " + coordinate(float64(i)/float64(len(p.YTicks)-1)) + "H1000"
	}
	for _, curve := range curves {
		p.Lines = append(p.Lines, PlotLine{Name: curve.Name, Note: curve.Note, Style: curve.Style, Path: p.path(curve.Points), Points: p.formatPoints(curve.Points)})
	}
	if p.Level != nil {
		p.LevelY = p.yCoordinate(*p.Level)
	}
	p.fillTable(curves)
	return p
}

// fitRanges chooses the ranges of the axes whose minimum and maximum are equal.
func (p *Plot) fitRanges(curves []Curve) {
	lowX, highX, lowY, highY := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, curve := range curves {
		for _, point := range curve.Points {
			lowX, highX = min(lowX, point.X), max(highX, point.X)
			lowY, highY = min(lowY, point.Y), max(highY, point.Y)
		}
	}
	if p.Level != nil {
		lowY, highY = min(lowY, *p.Level), max(highY, *p.Level)
	}
	if p.MinX == p.MaxX {
		if p.MinX, p.MaxX = lowX, highX; math.IsInf(lowX, 0) {
			p.MinX, p.MaxX = 0, 1
		}
		p.MaxX = max(p.MaxX, p.MinX+1)
	}
	if p.MinY == p.MaxY {
		if math.IsInf(lowY, 0) {
			lowY, highY = 0, 1
		}
		p.MinY, p.MaxY = padRange(lowY, highY)
	}
}

// minSpan is the minimum length of a range that NewPlot chooses for the vertical axis.
const minSpan = 0.02

// padRange returns the range from low to high, extended downwards so that curves do not touch the
// horizontal axis. The new range has at least the length minSpan. If low is not negative, the new
// range does not begin below 0.
func padRange(low, high float64) (from, to float64) {
	from = min(low-(high-low)/20, high-minSpan)
	if low >= 0 {
		from = max(from, 0)
	}
	return from, max(high, from+minSpan)
}

// roundAxis widens a range until both ends are multiples of a step, which is 1, 2 or 5 times a
// power of ten. It returns the multiples within the range as labels. If all labels together would be
// too long, it chooses a larger step. A range within 0 to 1 stays within 0 to 1.
func roundAxis(low, high float64) (from, to float64, ticks []string) {
	for intervals := maxIntervals; intervals >= 2; intervals-- {
		exponent := int(math.Floor(math.Log10((high/2 - low/2) / float64(intervals) * 2))) // high-low may exceed the largest number
		first, last, factor := 0.0, 0.0, 0.0
		for _, factor = range []float64{1, 2, 5, 10, 20} {
			// one billionth of a step is a rounding error
			first, last = math.Floor(low/scale(factor, exponent)+1e-9), math.Ceil(high/scale(factor, exponent)-1e-9)
			if last-first <= float64(intervals) {
				break
			}
		}
		decimals := max(0, -exponent)
		if factor >= 10 {
			decimals = max(0, decimals-1)
		}
		ticks = nil
		size := 0
		for i := range int(last-first) + 1 {
			ticks = append(ticks, formatTick(scale((first+float64(i))*factor, exponent), decimals))
			size += len(ticks[len(ticks)-1]) + 1
		}
		from, to = scale(first*factor, exponent), scale(last*factor, exponent)
		if size <= maxTickCharacters {
			break
		}
	}
	return from, to, ticks
}

// formatTick formats a tick with the given number of decimals. A large number has an exponent.
func formatTick(v float64, decimals int) string {
	if math.Abs(v) >= 1e15 {
		return formatNumber(v)
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}

// dateAxis widens a range of dates, in days since 1 January 1970, to an even number of whole days,
// so that the middle is a whole day, too. It returns the first, the middle and the last date as
// labels.
func dateAxis(low, high float64) (from, to float64, ticks []string) {
	from = math.Floor(low)
	half := max(1, math.Ceil((math.Ceil(high)-from)/2))
	to = from + 2*half
	return from, to, []string{FormatDate(from), FormatDate(from + half), FormatDate(to)}
}

// scale returns v · 10^exponent, limited to the range of a float64. For a negative exponent it
// divides by a power of ten, which is more exact than a multiplication by 0.1, 0.01, ….
func scale(v float64, exponent int) float64 {
	if exponent < 0 {
		return v / math.Pow10(-exponent)
	}
	return min(max(v*math.Pow10(exponent), -math.MaxFloat64), math.MaxFloat64)
}

// The coordinates are computed from halves, because a range may exceed the largest number.
func (p *Plot) xCoordinate(v float64) string {
	return coordinate((v/2 - p.MinX/2) / (p.MaxX/2 - p.MinX/2))
}

func (p *Plot) yCoordinate(v float64) string {
	return coordinate((p.MaxY/2 - v/2) / (p.MaxY/2 - p.MinY/2))
}

// coordinate formats fraction · plotSize, with fraction limited to the range from 0 to 1.
func coordinate(fraction float64) string {
	return strconv.FormatFloat(math.Round(10*plotSize*min(max(fraction, 0), 1))/10, 'f', -1, 64)
}

// path returns the data of an SVG path through the points. A single point is a short line.
func (p *Plot) path(points []Point) string {
	var b strings.Builder
	for i, point := range points {
		command := "L"
		if i == 0 {
			command = "M"
		}
		fmt.Fprintf(&b, "%s%s %s", command, p.xCoordinate(point.X), p.yCoordinate(point.Y))
	}
	if len(points) == 1 {
		b.WriteString("h6")
	}
	return b.String()
}

// formatPoints returns points in the form of [PlotLine.Points], with as many digits as the table
// below the plot has. Dates are in days, with enough digits for minutes.
func (p *Plot) formatPoints(points []Point) string {
	var b strings.Builder
	for i, point := range points {
		if i > 0 {
			b.WriteByte(',')
		}
		x := formatNumber(point.X)
		if p.IsDateX {
			x = strconv.FormatFloat(point.X, 'g', 10, 64)
		}
		b.WriteString(x + " " + FormatScore(point.Y))
	}
	return b.String()
}

// fillTable sets Header and Rows to a table of the points of all curves, ordered by X. If there are
// more than maxTableRows points, some are omitted.
func (p *Plot) fillTable(curves []Curve) {
	p.Header = []string{p.X}
	var places []float64
	seen := map[float64]bool{}
	for _, curve := range curves {
		p.Header = append(p.Header, curve.Name)
		for _, point := range curve.Points {
			if !seen[point.X] {
				seen[point.X] = true
				places = append(places, point.X)
			}
		}
	}
	slices.Sort(places)
	places = SampleEvenly(places, maxTableRows)
	for _, place := range places {
		row := []string{formatNumber(place)}
		if p.IsDateX {
			row[0] = FormatDate(place)
		}
		for _, curve := range curves {
			text := ""
			for _, point := range curve.Points {
				if point.X == place {
					text = FormatScore(point.Y) // if several points have this X, the last of them, from which the curve continues
				}
			}
			row = append(row, text)
		}
		p.Rows = append(p.Rows, row)
	}
}

// SampleEvenly returns some of the items, at most as many as limit: the first, the last, and items
// at equal distances between them. If limit is less than 2, it returns all items.
func SampleEvenly[T any](items []T, limit int) []T {
	if len(items) <= limit || limit < 2 {
		return items
	}
	kept := make([]T, limit)
	for i := range kept {
		kept[i] = items[i*(len(items)-1)/(limit-1)]
	}
	return kept
}
