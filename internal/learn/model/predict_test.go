package model

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"foretell/internal/learn/shapley"
	"foretell/internal/onnx"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/frame"
)

// TestPredict predicts a file of several blocks by a blend of all algorithms.
func TestPredict(t *testing.T) {
	m := committedModel(t, "background.model")
	m.weights = nil // the most probable class is predicted
	blind, err := os.ReadFile("testdata/blind.csv")
	if err != nil {
		t.Fatal(err)
	}
	blind = repeatRows(blind, 400)
	rows, err := csv.NewReader(bytes.NewReader(blind)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var one []byte
	for _, workers := range []int{1, 3} {
		var out bytes.Buffer
		reported := int64(0)
		n, err := m.Predict(t.Context(), bytes.NewReader(blind), &out, PredictOptions{Workers: workers, Progress: func(rows int64) { reported = rows }})
		if err != nil {
			t.Fatal(err)
		}
		if n != int64(len(rows)-1) || reported != n {
			t.Errorf("%d rows, reported %d, want %d", n, reported, len(rows)-1)
		}
		if one == nil {
			one = out.Bytes()
		}
		if !bytes.Equal(one, out.Bytes()) {
			t.Error("the result depends on the workers")
		}
	}
	res, err := csv.NewReader(bytes.NewReader(one)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	f, err := frame.Load(t.Context(), bytes.NewReader(blind), m.Schema(), frame.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	probabilities, err := m.predictAll(t.Context(), f, 1)
	if err != nil {
		t.Fatal(err)
	}
	classes := m.Schema().Classes
	for i, row := range res[1:] {
		if got, want := row[:len(rows[0])], rows[i+1]; strings.Join(got, ",") != strings.Join(want, ",") {
			t.Fatalf("row %d is %q, want %q", i, got, want)
		}
		best := 0
		for c := range classes {
			q := probabilities[i*len(classes)+c]
			if q > probabilities[i*len(classes)+best] {
				best = c
			}
			if got, want := row[len(rows[0])+2+c], strconv.FormatFloat(float64(q), 'g', 6, 64); got != want {
				t.Fatalf("row %d has %s for class %s, want %s", i, got, classes[c], want)
			}
		}
		if got := row[len(rows[0])]; got != classes[best] {
			t.Fatalf("row %d is predicted %s, want %s", i, got, classes[best])
		}
	}
}

// repeatRows returns a blind file with its rows n times, with unique IDs.
func repeatRows(file []byte, n int) []byte {
	head, rows, _ := strings.Cut(string(file), "\n")
	var b strings.Builder
	b.WriteString(head + "\n")
	for i := range n {
		for line := range strings.Lines(rows) {
			b.WriteString(strconv.Itoa(i) + line)
		}
	}
	return []byte(b.String())
}

func TestPredictWeighsDecisions(t *testing.T) {
	file, algorithms := fakeFile(t)
	m, err := readBytes(file, algorithms)
	if err != nil {
		t.Fatal(err)
	}
	m.members = []Member{{fakeAlgorithm, 1, constant{0.5, 0.3, 0.2}}}
	m.temperature, m.weights = 1, []float64{1, 2, 1}
	var out strings.Builder
	if _, err := m.Predict(t.Context(), strings.NewReader("id,x\n1,2\n"), &out, PredictOptions{}); err != nil {
		t.Fatal(err)
	}
	want := "id,x,prediction,probability,probability_a,probability_b,probability_c\n1,2,b,0.3,0.5,0.3,0.2\n"
	if out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

// TestPredictLongLabels predicts with a model that an earlier version has trained on long labels. The
// result must be written in pieces, not whole blocks, because each of its rows repeats a label.
func TestPredictLongLabels(t *testing.T) {
	file, algorithms := fakeFile(t)
	m, err := readBytes(file, algorithms)
	if err != nil {
		t.Fatal(err)
	}
	const length, rows = 100_000, 600
	for i := range m.schema.Classes {
		m.schema.Classes[i] = strings.Repeat(string(rune('a'+i)), length)
	}
	blind := "id,x\n"
	for i := range rows {
		blind += strconv.Itoa(i) + ",2\n"
	}
	out := &largestWrite{}
	if n, err := m.Predict(t.Context(), strings.NewReader(blind), out, PredictOptions{Workers: 2}); err != nil || n != rows {
		t.Fatal(n, err)
	}
	if out.written < rows*length || out.largest > 2*maxTextBytes {
		t.Errorf("%d bytes, written in pieces of up to %d bytes: want at most %d", out.written, out.largest, 2*maxTextBytes)
	}
}

// largestWrite counts the bytes that are written to it, in all and in the largest call of Write.
type largestWrite struct{ written, largest int }

func (w *largestWrite) Write(p []byte) (int, error) {
	w.written += len(p)
	w.largest = max(w.largest, len(p))
	return len(p), nil
}

func TestPredictFails(t *testing.T) {
	file, algorithms := fakeFile(t)
	m, err := readBytes(file, algorithms)
	if err != nil {
		t.Fatal(err)
	}
	long := "id,x\n" + strings.Repeat("1,2\n", 100_000)
	var defect *csvfile.Defect
	for name, c := range map[string]struct {
		in   io.Reader
		out  io.Writer
		want func(error) bool
	}{
		"missing_column": {strings.NewReader("id,y\n1,2\n"), io.Discard, func(err error) bool { return errors.As(err, &defect) && defect.Name == "x" }},
		"duplicate_id":   {strings.NewReader(long), io.Discard, func(err error) bool { return errors.As(err, &defect) && defect.Line == 3 }},
		"full_disk":      {strings.NewReader("id,x\n1,2\n"), fullDisk{}, func(err error) bool { return errors.Is(err, errFull) }},
		"broken_source":  {io.MultiReader(strings.NewReader(long), fullDisk{}), io.Discard, func(err error) bool { return errors.Is(err, errFull) }},
	} {
		t.Run(name, func(t *testing.T) {
			// synctest reports a deadlock if a goroutine is left running.
			synctest.Test(t, func(t *testing.T) {
				if _, err := m.Predict(t.Context(), c.in, c.out, PredictOptions{Workers: 3}); !c.want(err) {
					t.Errorf("got %v", err)
				}
			})
		})
	}
	t.Run("cancelled", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			_, err := m.Predict(ctx, strings.NewReader(long), io.Discard, PredictOptions{Workers: 3, Progress: func(int64) { cancel() }})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
		})
	})
}

// constant predicts the same probabilities for every row.
type constant []float32

func (c constant) Predict(dst []float32, _ *frame.Frame, lo, hi int) {
	for i := range hi - lo {
		copy(dst[i*len(c):], c)
	}
}

func (c constant) Encode(*frame.Frame) shapley.Rows { return nil }

func (c constant) AddONNX(*onnx.Graph, onnx.Matrix) onnx.Value { return "" }

func (c constant) AppendBinary(b []byte) ([]byte, error) {
	for _, q := range c {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(q))
	}
	return b, nil
}

// readConstant is the inverse of AppendBinary.
func readConstant(b []byte) (Predictor, error) {
	var c constant
	for part := range slices.Chunk(b, 4) {
		if len(part) < 4 {
			return nil, errors.New("incomplete number")
		}
		c = append(c, math.Float32frombits(binary.LittleEndian.Uint32(part)))
	}
	return c, nil
}

// BenchmarkPredict measures reading a file and writing its result, with a model
// that takes no time.
func BenchmarkPredict(b *testing.B) {
	const columns, rows = 28, 50_000
	m := &Model{schema: &frame.Schema{ID: "id", Label: "y", Classes: []string{"no", "yes"}}, temperature: 1}
	m.members = []Member{{fakeAlgorithm, 1, constant{0.234567, 0.765433}}}
	rng := rand.New(rand.NewPCG(1, 2))
	file := []byte("id")
	for e := range columns {
		name := fmt.Sprintf("f%d", e)
		m.schema.Columns = append(m.schema.Columns, frame.ColumnSchema{Name: name, Kind: frame.Numeric})
		file = append(append(file, ','), name...)
	}
	for i := range rows {
		file = fmt.Appendf(file, "\nr%d", i)
		for range columns {
			file = strconv.AppendFloat(append(file, ','), rng.NormFloat64(), 'g', 6, 64)
		}
	}
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		if _, err := m.Predict(b.Context(), bytes.NewReader(file), io.Discard, PredictOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

var errFull = errors.New("no space left")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }
func (fullDisk) Read([]byte) (int, error)  { return 0, errFull }
