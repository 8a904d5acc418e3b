package model_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"foretell/internal/learn"
	"foretell/internal/learn/model"
	"foretell/internal/learn/shapley"
	"foretell/internal/table/cells"
	"foretell/internal/table/frame"
)

// explainFrame returns rows with numbers, some of them missing, two categorical columns
// of many levels, and a constant column. The class depends on the numbers and on
// combinations of the two categories.
func explainFrame(rows, classes, numbers int) *frame.Frame {
	rng := rand.New(rand.NewPCG(3, uint64(rows)))
	f := &frame.Frame{Rows: rows, Schema: &frame.Schema{ID: "id", Label: "y"}}
	for c := range classes {
		f.Schema.Classes = append(f.Schema.Classes, fmt.Sprint("class", c))
	}
	score := make([]float64, rows)
	for i := range numbers {
		values := make([]float64, rows)
		for row := range values {
			values[row] = math.Round(100 * rng.NormFloat64())
			score[row] += values[row] / 100 * float64(numbers-i) / float64(numbers)
			if rng.IntN(10) == 0 {
				values[row] = cells.NaN
			}
		}
		f.Schema.Columns = append(f.Schema.Columns, frame.ColumnSchema{Name: fmt.Sprint("n", i)})
		f.Columns = append(f.Columns, frame.Column{Floats: values})
	}
	var codes [2][]int32
	for i := range codes {
		c := frame.ColumnSchema{Name: fmt.Sprint("c", i), Kind: frame.Category}
		for level := range 30 {
			c.Levels = append(c.Levels, fmt.Sprintf("level%02d", level))
		}
		for range rows {
			codes[i] = append(codes[i], int32(rng.IntN(30)))
		}
		f.Schema.Columns, f.Columns = append(f.Schema.Columns, c), append(f.Columns, frame.Column{Codes: codes[i]})
	}
	f.Schema.Columns = append(f.Schema.Columns, frame.ColumnSchema{Name: "constant"})
	f.Columns = append(f.Columns, frame.Column{Floats: make([]float64, rows)})
	for row := range rows {
		score[row] += float64((codes[0][row]+codes[1][row])%3) - 1 + 0.3*rng.NormFloat64()
		f.Labels = append(f.Labels, int32(min(max(math.Floor(score[row]+float64(classes)/2), 0), float64(classes-1))))
	}
	return f
}

// backgroundRows is the number of rows in the background of a trained model.
const backgroundRows = 32

// trainedParts returns the parts of a model of each algorithm, by name, and of a blend of all
// these. Each is trained until its validation accuracy is at least threshold. The first rows of f
// are the background.
func trainedParts(tb testing.TB, f *frame.Frame, threshold float64) map[string]model.Parts {
	tb.Helper()
	blend := model.Parts{Schema: f.Schema, Algorithm: model.Blend, Temperature: 0.8, Background: f.Take(rowNumbers(backgroundRows))}
	all := map[string]model.Parts{}
	prefix := "B"
	if len(f.Schema.Classes) > 2 {
		prefix = "M"
	}
	for _, name := range []string{"SEV01", "FIF01", "SIX01", "SEV02"} {
		o, err := learn.Race(tb.Context(), f, learn.Params{Algorithms: []string{prefix + name}, Threshold: new(threshold), Seed: 1})
		if err != nil {
			tb.Fatal(err)
		}
		one := blend
		one.Algorithm, one.Temperature, one.Members = prefix+name, 1.2, o.Model.Members()
		all[name] = one
		part := one.Members[0]
		part.Weight = 0.25
		blend.Members = append(blend.Members, part)
	}
	all[model.Blend] = blend
	return all
}

// rowNumbers returns the numbers 0…n-1.
func rowNumbers(n int) []int32 {
	rows := make([]int32, n)
	for i := range rows {
		rows[i] = int32(i)
	}
	return rows
}

// mixRows returns a frame with one row that is mixed from two rows of f. In the columns
// for which replaced returns true, it has the cells of row to, and in the other columns
// those of row from.
func mixRows(f *frame.Frame, groups []frame.SourceColumn, from, to int, replaced func(column int) bool) *frame.Frame {
	mixed := &frame.Frame{Schema: f.Schema, Rows: 1, Columns: make([]frame.Column, len(f.Columns))}
	for column, group := range groups {
		row := from
		if replaced(column) {
			row = to
		}
		for _, feature := range group.Features {
			mixed.Columns[feature] = f.Columns[feature].Take([]int32{int32(row)})
		}
	}
	for _, d := range f.Schema.Differences() {
		row := from
		if sameCell(&f.Columns[d.From], mixed.Columns[d.From], to) && sameCell(&f.Columns[d.To], mixed.Columns[d.To], to) {
			row = to
		}
		mixed.Columns[d.Feature] = f.Columns[d.Feature].Take([]int32{int32(row)})
	}
	return mixed
}

// sameCell reports whether only, a column of one cell, has the same cell as the given
// row of column.
func sameCell(column *frame.Column, only frame.Column, row int) bool {
	a, b := only.Floats[0], column.Values(make([]float64, 1), row, row+1)[0]
	return a == b || math.IsNaN(a) && math.IsNaN(b)
}

// withTwoDates returns f with its first two columns as dates and with their difference.
// Rows with a positive difference get the class 0.
func withTwoDates(f *frame.Frame) *frame.Frame {
	for i := range 2 {
		f.Schema.Columns[i].Feature = frame.ExtractTime
	}
	f.Schema.Columns = append(f.Schema.Columns, frame.ColumnSchema{
		Name: "since", Source: f.Schema.Columns[1].Name, Feature: frame.ExtractSince, Since: f.Schema.Columns[0].Name,
	})
	f.Columns = append(f.Columns, frame.Column{})
	d := f.Schema.Differences()[0]
	d.Recompute(f)
	for row, days := range f.Columns[d.Feature].Floats {
		if days > 0 {
			f.Labels[row] = 0
		}
	}
	return f
}

// TestPredictPath compares the predictions for a path with the predictions for each row
// of the path.
func TestPredictPath(t *testing.T) {
	if testing.Short() { // under the race detector it takes minutes
		t.Skip("trains several models")
	}
	for _, classes := range []int{2, 4} {
		f := explainFrame(400, classes, 5)
		groups := f.Schema.SourceColumns()
		for name, parts := range trainedParts(t, f, 0) {
			m := model.New(parts)
			rng := rand.New(rand.NewPCG(7, 7))
			rows := model.Encode(m, f)
			for range 30 {
				p := &shapley.Path{From: rng.IntN(f.Rows), To: rng.IntN(f.Rows), Steps: len(groups), Step: make([]int32, len(f.Columns))}
				order := rng.Perm(len(groups))
				position := make([]int, len(groups))
				for i, column := range order {
					position[column] = i + 1
					p.Step[groups[column].Features[0]] = int32(i + 1)
				}
				got, want := make([]float32, (p.Steps+1)*classes), make([]float32, classes)
				rows.PredictPath(got, p)
				for k := range p.Steps + 1 {
					model.PredictRows(m, want, mixRows(f, groups, p.From, p.To, func(column int) bool { return position[column] <= k }), 0, 1)
					for c, q := range want {
						if math.Abs(float64(q-got[k*classes+c])) > 2e-6 {
							t.Fatalf("%s, %d classes, row %d: %v, want %v", name, classes, k, got[k*classes:(k+1)*classes], want)
						}
					}
				}
			}
		}
	}
}

// TestExplainEqualsEnumeration compares the contributions of six columns with contributions
// computed from all sets of columns. In the first table, a column has two features. The second
// table has a difference of two dates.
func TestExplainEqualsEnumeration(t *testing.T) {
	if testing.Short() { // under the race detector it takes minutes
		t.Skip("trains several models")
	}
	f := explainFrame(300, 3, 4)
	f.Schema.Columns[2].Source = f.Schema.Columns[0].Name
	t.Run("numbers", func(t *testing.T) { compareEnumeration(t, f) })
	t.Run("dates", func(t *testing.T) { compareEnumeration(t, withTwoDates(explainFrame(300, 3, 3))) })
}

func compareEnumeration(t *testing.T, f *frame.Frame) {
	t.Helper()
	const classes, columns = 3, 6
	groups := f.Schema.SourceColumns()
	if len(groups) != columns {
		t.Fatalf("%d columns", len(groups))
	}
	for name, parts := range trainedParts(t, f, 0) {
		m, background := model.New(parts), parts.Background
		explained := f.Take([]int32{0, 7, 23})
		got, err := m.Explain(t.Context(), explained, model.ExplainOptions{Class: 2})
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range got {
			joined := background.Append(explained, i, i+1)
			want := make([]float64, columns)
			for b := range background.Rows {
				values := make([]float64, 1<<columns)
				for set := range values {
					q := make([]float32, classes)
					model.PredictRows(m, q, mixRows(joined, groups, b, background.Rows, func(column int) bool { return set>>column&1 == 1 }), 0, 1)
					values[set] = float64(q[1])
				}
				addEnumerated(want, values, 1/float64(background.Rows))
			}
			for column := range want {
				if x.Class != 1 || math.Abs(x.Contributions[column]-want[column]) > 3e-6 {
					t.Errorf("%s, row %d, class %d: %v, want %v", name, i, x.Class, x.Contributions, want)
					break
				}
			}
		}
	}
}

// addEnumerated adds to dst the Shapley values, times scale, of the game in which
// values[set] is the value of a set of players. It visits all orders of the players.
func addEnumerated(dst, values []float64, scale float64) {
	n, orders := len(dst), 1
	for i := range n {
		orders *= i + 1
	}
	// The recursion adds the marginal value of a player once for each order of the
	// players before it. The factor is the number of orders of the players after it.
	share := make([]float64, n)
	var add func(set int)
	add = func(set int) {
		left := 0
		for i := range n {
			left += 1 - set>>i&1
		}
		after := 1
		for i := range max(left-1, 0) {
			after *= i + 1
		}
		for i := range n {
			if set>>i&1 == 0 {
				share[i] += float64(after) * (values[set|1<<i] - values[set])
				add(set | 1<<i)
			}
		}
	}
	add(0)
	for i, v := range share {
		dst[i] += scale * v / float64(orders)
	}
}

// TestExplainAddsUp checks that contributions add up to the prediction, also for rows
// with missing cells and unknown levels. It also checks that the contribution is 0 for a
// constant column, and for each column of a row that equals the background.
func TestExplainAddsUp(t *testing.T) {
	if testing.Short() { // under the race detector it takes minutes
		t.Skip("trains several models")
	}
	f := explainFrame(400, 2, 9)
	odd := f.Take([]int32{1, 2, 3, 4})
	for i := range odd.Columns {
		if odd.Columns[i].Codes != nil {
			odd.Columns[i].Codes[0], odd.Columns[i].Codes[1] = frame.Missing, 30
		} else {
			odd.Columns[i].Floats[0], odd.Columns[i].Floats[2] = cells.NaN, 1e300
		}
	}
	for name, parts := range trainedParts(t, f, 0) {
		m := model.New(parts)
		list, err := m.Explain(t.Context(), odd, model.ExplainOptions{})
		if err != nil {
			t.Fatal(err)
		}
		want := make([]float32, odd.Rows*2)
		model.PredictRows(m, want, odd, 0, odd.Rows)
		for i, x := range list {
			sum := x.Base
			for _, v := range x.Contributions {
				sum += v
			}
			if x.Probability != float64(want[2*i+x.Class]) || x.Probability < 0.5 || math.Abs(sum-x.Probability) > 1e-6 {
				t.Errorf("%s, row %d: base and contributions add up to %v, the probability of class %d is %v", name, i, sum, x.Class, x.Probability)
			}
			if last := x.Contributions[len(x.Contributions)-1]; i == 3 && last != 0 {
				t.Errorf("%s: the constant column contributes %v", name, last)
			}
		}
		same := parts.Background.Take([]int32{0})
		parts.Background = same
		list, err = model.New(parts).Explain(t.Context(), same, model.ExplainOptions{})
		if err != nil || slices.ContainsFunc(list[0].Contributions, func(v float64) bool { return v != 0 }) {
			t.Errorf("%s: a row that equals the background: %v, %v", name, list, err)
		}
	}
}

// TestExplainRanksLikeManyPermutations checks the order of the contributions of twelve
// columns. It must be the same as with 4000 permutations, except for columns with
// nearly equal contributions.
func TestExplainRanksLikeManyPermutations(t *testing.T) {
	if testing.Short() { // under the race detector it takes a minute
		t.Skip("evaluates 12,000 permutations")
	}
	f := numberFrame(500, 12)
	parts := trainedParts(t, f, 0.7)[model.Blend]
	m, background := model.New(parts), parts.Background
	explained := f.Take([]int32{5, 6, 7})
	list, err := m.Explain(t.Context(), explained, model.ExplainOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	rows := model.Encode(m, background.Append(explained, 0, explained.Rows))
	for i, x := range list {
		const permutations = 4000
		columns := len(x.Contributions)
		mean := make([]float64, columns)
		q := make([]float32, (columns+1)*2)
		for range permutations {
			p := &shapley.Path{From: rng.IntN(background.Rows), To: background.Rows + i, Steps: columns, Step: make([]int32, columns)}
			order := rng.Perm(columns)
			for k, column := range order {
				p.Step[column] = int32(k + 1)
			}
			rows.PredictPath(q, p)
			for k, column := range order {
				mean[column] += float64(q[2*k+2+x.Class]-q[2*k+x.Class]) / permutations
			}
		}
		rank := func(values []float64) []int {
			order := make([]int, columns)
			for column := range order {
				order[column] = column
			}
			slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(math.Abs(values[b]), math.Abs(values[a])) })
			return order
		}
		got, want := rank(x.Contributions), rank(mean)
		t.Logf("row %d: %.4f, mean of permutations %.4f", i, x.Contributions, mean)
		for place, column := range want {
			if other := got[place]; other != column && math.Abs(math.Abs(mean[column])-math.Abs(mean[other])) > 0.01 {
				t.Errorf("row %d, rank %d: column %d, want %d (%.4f, permutations %.4f)", i, place, other, column, x.Contributions, mean)
			}
		}
	}
}

// TestExplainIsDeterministic checks that neither the number of workers nor the
// other rows nor the file change an explanation.
func TestExplainIsDeterministic(t *testing.T) {
	rows := 150
	if testing.Short() {
		rows = 60
	}
	f := explainFrame(rows, 3, 9)
	parts := trainedParts(t, f, 0)[model.Blend]
	m := model.New(parts)
	want, err := m.Explain(t.Context(), f.Take([]int32{10, 11, 12, 13}), model.ExplainOptions{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if _, err := m.WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	read, err := model.Read(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	all, err := read.Explain(t.Context(), f, model.ExplainOptions{Workers: 8})
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(want, all[10:14]); diff != "" {
		t.Errorf("(-alone +among others):\n%s", diff)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Explain(ctx, f, model.ExplainOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	parts.Background = nil
	if _, err := model.New(parts).Explain(t.Context(), f, model.ExplainOptions{}); !errors.Is(err, model.ErrNoBackground) {
		t.Errorf("without a background: %v", err)
	}
}

// TestExplainFileEndsEarly ends the explanation of a file after its second row, and then
// requests classes that the model does not have.
func TestExplainFileEndsEarly(t *testing.T) {
	file, err := os.ReadFile("testdata/background.model")
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.Read(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	blind, err := os.ReadFile("testdata/blind.csv")
	if err != nil {
		t.Fatal(err)
	}
	var rows []int
	err = m.ExplainFile(t.Context(), bytes.NewReader(blind), model.ExplainOptions{Workers: 1}, nil, func(x model.ExplainedRow) error {
		if rows = append(rows, x.Row); x.Row == 2 {
			return model.ErrSkipAll
		}
		return nil
	})
	if err != nil || !slices.Equal(rows, []int{1, 2}) {
		t.Errorf("%v, rows %v", err, rows)
	}
	for _, class := range []int{-1, len(m.Schema().Classes) + 1} {
		if err := m.ExplainFile(t.Context(), bytes.NewReader(blind), model.ExplainOptions{Class: class}, nil, nil); err == nil {
			t.Errorf("class %d: no error", class)
		}
	}
}
