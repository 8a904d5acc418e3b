package result

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/frame"
)

// The names of the columns that a prediction adds.
const (
	predictionName  = "prediction"
	probabilityName = "probability"
	reasonName      = "reason"
)

// AddedColumns returns the names of the columns that a prediction adds after the columns of a blind
// file: prediction, probability, probability_<class> for each class, and reason_1, reason_2, … for
// the given number of reasons. If a name is taken, it gets the first of the suffixes _2, _3, … that
// makes it unique.
func AddedColumns(blind, classes []string, reasons int) []string {
	taken := make(map[string]bool, len(blind)+len(classes)+2)
	for _, name := range blind {
		taken[name] = true
	}
	added := []string{predictionName, probabilityName}
	for _, class := range classes {
		added = append(added, probabilityName+"_"+class)
	}
	for i := range reasons {
		added = append(added, fmt.Sprintf("%s_%d", reasonName, i+1))
	}
	for i, name := range added {
		for n := 2; taken[added[i]]; n++ {
			added[i] = fmt.Sprintf("%s_%d", name, n)
		}
		taken[added[i]] = true
	}
	return added
}

// Format formats the rows of a prediction result. Each row is a row of the blind file
// followed by the values of AddedColumns. It is safe for concurrent use.
type Format struct {
	header  []byte
	classes [][]byte // the labels of the classes as CSV fields
	reasons int
}

// NewFormat returns the format of the predictions for a blind file, with the given number of
// reasons for each.
func NewFormat(blocks *frame.BlockReader, reasons int) *Format {
	classes := blocks.Schema().Classes
	f := &Format{header: bytes.Clone(blocks.RawHeader()), reasons: reasons}
	for _, name := range AddedColumns(blocks.Header(), classes, reasons) {
		f.header = csvfile.AppendField(append(f.header, ','), []byte(name))
	}
	f.header = append(f.header, '\n')
	for _, class := range classes {
		f.classes = append(f.classes, csvfile.AppendField(nil, []byte(class)))
	}
	return f
}

// Header returns the header with its line end. The caller must not change it.
func (f *Format) Header() []byte { return f.header }

// MaxAddedBytes returns an upper bound of the bytes that AppendRow adds to a row of the blind file.
// maxReason is an upper bound of the size of a reason.
func (f *Format) MaxAddedBytes(maxReason int) int {
	const maxProbability = len(",1.23457e-300")
	longest := 0
	for _, class := range f.classes {
		longest = max(longest, len(class))
	}
	return len(",\n") + longest + (len(f.classes)+1)*maxProbability + f.reasons*(1+maxReason)
}

// AppendRow appends a row of the result to dst. raw is the row of the blind file as in
// frame.Block.Raw. class is the index of the predicted class, which need not be the most probable
// one. There must be one probability, between 0 and 1, for each class. If there are fewer reasons
// than reason columns, the other columns are empty.
func (f *Format) AppendRow(dst, raw []byte, class int, probabilities []float32, reasons []string) ([]byte, error) {
	if len(probabilities) != len(f.classes) {
		return dst, fmt.Errorf("%d probabilities for %d classes", len(probabilities), len(f.classes))
	}
	if class < 0 || class >= len(f.classes) {
		return dst, fmt.Errorf("class %d: must be between 0 and %d", class, len(f.classes)-1)
	}
	for i, p := range probabilities {
		if !(p >= 0 && p <= 1) {
			return dst, fmt.Errorf("probability %v of class %q: must be between 0 and 1", p, f.classes[i])
		}
	}
	dst = append(dst, raw...)
	dst = append(dst, ',')
	dst = append(dst, f.classes[class]...)
	dst = append(dst, ',')
	dst = appendProbability(dst, float64(probabilities[class]))
	for _, p := range probabilities {
		dst = append(dst, ',')
		dst = appendProbability(dst, float64(p))
	}
	for i := range f.reasons {
		dst = append(dst, ',')
		if i < len(reasons) {
			dst = csvfile.AppendField(dst, []byte(reasons[i]))
		}
	}
	return append(dst, '\n'), nil
}

// appendProbability appends p to dst with six significant digits and no trailing zeros, as in 0.5,
// 0.123457 and 1.5e-07. With this number of digits, the sum of a row's probabilities differs from 1
// by at most half a millionth per class, and small probabilities do not become zero.
func appendProbability(dst []byte, p float64) []byte {
	switch p {
	case 0:
		return append(dst, '0')
	case 1:
		return append(dst, '1')
	}
	if p < 1e-7 || p >= 1 || float64(float32(p)) != p {
		return strconv.AppendFloat(dst, p, 'g', 6, 64)
	}
	// A float32 has 24 bits, so that its product with a power of ten up to 10¹² is exact in a
	// float64.
	const low, high = 100_000, 1_000_000
	zeros := 0 // number of zeros after the point
	for p*cells.PowersOf10[6+zeros] < low {
		zeros++
	}
	digits := uint32(math.RoundToEven(p * cells.PowersOf10[6+zeros]))
	if digits == high {
		digits = low
		if zeros--; zeros < 0 {
			return append(dst, '1')
		}
	}
	for digits%10 == 0 {
		digits /= 10
	}
	return appendScaled(dst, digits, zeros)
}

// appendScaled appends a number from 0 to 1 in decimal. zeros is the number of zeros after the
// point. For digits = 12 and zeros = 3 it appends 0.00012. With four or more zeros it uses the
// form 1.2e-05.
func appendScaled(dst []byte, digits uint32, zeros int) []byte {
	const maxZeros = 4
	if zeros < maxZeros {
		dst = append(dst, "0.0000"[:2+zeros]...)
		return strconv.AppendUint(dst, uint64(digits), 10)
	}
	begin := len(dst) + 1
	dst = strconv.AppendUint(append(dst, 0), uint64(digits), 10)
	dst[begin-1] = dst[begin]
	if dst[begin] = '.'; begin+1 == len(dst) {
		dst = dst[:begin]
	}
	return append(dst, 'e', '-', '0', byte('1'+zeros))
}
