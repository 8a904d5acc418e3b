package learn

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"foretell/internal/learn/model"
	"foretell/internal/table/frame"
	"foretell/internal/table/profile"
)

// prepared describes a generated file. In nine of ten rows, the label depends on one
// column whose cells are not plain numbers, such as dates and amounts.
type prepared struct {
	column string
	cell   func(draw *rand.Rand) (cell string, yes bool)
}

func preparedSets() []prepared {
	words := strings.Fields("the a it was is we to of and for room staff food price day with very this place time stay hotel desk night view clean good nice kind warm")
	return []prepared{
		{"weekend", func(draw *rand.Rand) (string, bool) {
			day := time.Date(2018, 1, 1+draw.IntN(1000), draw.IntN(24), draw.IntN(60), 0, 0, time.UTC)
			return day.Format("1/2/2006 15:04"), day.Weekday() == time.Sunday || day.Weekday() > time.Thursday
		}},
		{"night", func(draw *rand.Rand) (string, bool) {
			hour := draw.IntN(24)
			return fmt.Sprintf("20%02d-%02d-%02dT%02d:%02d:%02dZ", draw.IntN(20), 1+draw.IntN(12), 1+draw.IntN(28), hour, draw.IntN(60), draw.IntN(60)), hour < 7 || hour > 20
		}},
		{"review", func(draw *rand.Rand) (string, bool) {
			var text []string
			for range 6 + draw.IntN(12) {
				text = append(text, words[draw.IntN(len(words))])
			}
			yes := draw.IntN(2) == 0
			mood := []string{"awful", "dirty", "never", "Worst"}
			if yes {
				mood = []string{"lovely", "again", "BEST", "great"}
			}
			text[draw.IntN(len(text))] = mood[draw.IntN(4)]
			return strings.Join(text, " ") + ".", yes
		}},
		{"price", func(draw *rand.Rand) (string, bool) {
			cents := draw.IntN(400_000)
			return fmt.Sprintf("\"$%d,%03d.%02d\"", 1+cents/100_000, cents/100%1000, cents%100), cents > 150_000
		}},
		{"zip", func(draw *rand.Rand) (string, bool) {
			zip := 137 * (1 + draw.IntN(60))
			return fmt.Sprintf("%05d", zip), zip*2654435761>>7%5 < 2
		}},
	}
}

// file returns rows of the set as a training file.
func (p *prepared) file(rows int) []byte {
	draw := rand.New(rand.NewPCG(1, 7))
	var b bytes.Buffer
	fmt.Fprintf(&b, "id,noise,%s,label\n", p.column)
	for i := range rows {
		cell, yes := p.cell(draw)
		if draw.IntN(10) == 0 {
			yes = !yes
		}
		fmt.Fprintf(&b, "%d,%.3f,%s,%v\n", i, draw.NormFloat64(), cell, yes)
	}
	return b.Bytes()
}

func TestWhatIsNoNumberTeaches(t *testing.T) {
	if testing.Short() { // under the race detector it takes minutes
		t.Skip("trains several models")
	}
	const rows = 1500
	for _, set := range preparedSets() {
		t.Run(set.column, func(t *testing.T) {
			file := set.file(rows)
			profile, err := profile.Scan(t.Context(), bytes.NewReader(file), profile.ScanOptions{})
			if err != nil {
				t.Fatal(err)
			}
			f, err := frame.Load(t.Context(), bytes.NewReader(file), profile.Schema, frame.LoadOptions{Labelled: true})
			if err != nil {
				t.Fatal(err)
			}
			o, err := Race(t.Context(), f, Params{Threshold: new(1.0), Algorithms: []string{"BSIX01"}})
			if err != nil {
				t.Fatal(err)
			}
			// One label in ten is inverted, so at most about 0.9 can be achieved. The
			// value varies with the rows.
			if o.Achieved < 0.86 {
				t.Errorf("%v of the rows are right", o.Achieved)
			}
			i := o.Report.Importances
			if len(i) != 2 || i[0].Column != set.column || i[0].Importance < 0.1 {
				t.Errorf("importances %v", i)
			}
			again, err := readModel(bytesOf(t, o.Model))
			if err != nil {
				t.Fatal(err)
			}
			for name, model := range map[string]*model.Model{"the model": o.Model, "the model as read": again} {
				if got := accuracyOnFile(t, model, file); got < 0.86 {
					t.Errorf("%s: %v of the rows are right in a result", name, got)
				}
			}
		})
	}
}

// accuracyOnFile returns the fraction of the rows of a training file that a model
// predicts correctly if it reads the file as a blind file.
func accuracyOnFile(t *testing.T, m *model.Model, file []byte) float64 {
	t.Helper()
	var result bytes.Buffer
	if _, err := m.Predict(t.Context(), bytes.NewReader(file), &result, model.PredictOptions{}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(result.String()), "\n")[1:]
	n := 0
	for _, line := range lines {
		// …,label,prediction,probability,probability_false,probability_true
		cells := strings.Split(line, ",")
		if cells = cells[len(cells)-5:]; cells[0] == cells[1] {
			n++
		}
	}
	return float64(n) / float64(len(lines))
}
