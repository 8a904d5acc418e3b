package onnx_test

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"foretell/internal/onnx"
	"foretell/internal/onnx/onnxtest"
)

// run writes the graph and returns the output y for the rows of x.
func run(t *testing.T, g *onnx.Graph, x []float64, columns int) []float64 {
	t.Helper()
	var file bytes.Buffer
	if err := (&onnx.Model{Graph: g}).Write(&file); err != nil {
		t.Fatal(err)
	}
	m, err := onnxtest.Decode(file.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	out, err := m.Run(onnxtest.Matrix(x, columns))
	if err != nil {
		t.Fatal(err)
	}
	return out["y"].Numbers
}

// TestSplitSendsRowsToTheirSide compares trees of one split with the definition of Split.
func TestSplitSendsRowsToTheirSide(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		s := onnx.Split{MissingLeft: rng.IntN(2) == 0}
		var bounds []float64
		var sides []bool
		for i := range 1 + rng.IntN(6) {
			bounds, sides = append(bounds, float64(i)), append(sides, rng.IntN(2) == 0)
			s.AddInterval(bounds[i], sides[i])
		}
		if only, ok := s.OnlySide(); ok {
			if slices.Contains(sides, !only) || s.MissingLeft != only {
				t.Fatalf("%v has two sides", s)
			}
			continue
		}
		g, e := onnx.NewGraph("g"), onnx.NewTreeEnsemble(1)
		x := g.AddInput("x", 1)
		left, right := e.AddLeaf(onnx.Weight{Value: 1}), e.AddLeaf()
		e.EndTree(e.AddSplit(&s, left, right))
		g.AddOutput("y", g.AddTrees(e, x.Value), onnx.Float32, 1)
		numbers, want := []float64{math.NaN(), math.Inf(-1), math.Inf(1)}, []bool{s.MissingLeft, sides[0], sides[len(sides)-1]}
		for i := range sides { // interval i ends with bounds[i+1]
			numbers, want = append(numbers, float64(i)+0.5, float64(i+1)), append(want, sides[i], sides[i])
		}
		for i, y := range run(t, g, numbers, 1) {
			if (y == 1) != want[i] {
				t.Fatalf("%v: %v goes left: %v", s, numbers[i], y == 1)
			}
		}
	}
}

// TestBoostedTreesAddInOrder adds numbers whose sum in float32 depends on the order.
func TestBoostedTreesAddInOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	base := []float32{0.1, -3, 7}
	b, want := onnx.NewBoostedTreesBuilder(base), slices.Clone(base)
	g := onnx.NewGraph("g")
	x := g.AddInput("x", 1)
	for range 2000 {
		e, first := b.NextRound()
		for k := range want {
			value := float32(rng.NormFloat64())
			e.EndTree(e.AddLeaf(onnx.Weight{Target: first + k, Value: float64(value)}))
			want[k] += value
		}
	}
	g.AddOutput("y", g.AddBoostedTrees(b, x.Value), onnx.Float64, 3)
	for k, y := range run(t, g, []float64{1}, 1) {
		if float32(y) != want[k] {
			t.Errorf("score %d: %v, want %v", k, y, want[k])
		}
	}
}

func TestGraphFails(t *testing.T) {
	g := onnx.NewGraph("g")
	first := errors.New("first")
	g.RecordError(first)
	g.RecordError(errors.New("second"))
	if err := (&onnx.Model{Graph: g}).Write(&bytes.Buffer{}); !errors.Is(err, first) {
		t.Errorf("error %v", err)
	}
}

// TestModelTooLarge writes a model of more than 2 GB, whose constants share their memory.
func TestModelTooLarge(t *testing.T) {
	g, block := onnx.NewGraph("g"), make([]byte, 1<<24)
	for range 1 << 7 {
		g.ConstBytes(block, len(block))
	}
	var file bytes.Buffer
	if err := (&onnx.Model{Graph: g}).Write(&file); !errors.Is(err, onnx.ErrTooLarge) || file.Len() > 0 {
		t.Errorf("error %v after %d bytes", err, file.Len())
	}
}

// TestConstantsAreSharedByContent checks that equal small constants are one, and that names
// have the scope.
func TestConstantsAreSharedByContent(t *testing.T) {
	g := onnx.NewGraph("g")
	g.SetScope("part")
	one := g.ConstFloat64s([]float64{1, 2}, 2)
	if g.ConstFloat64s([]float64{1, 2}, 2) != one || g.ConstFloat64s([]float64{1, 2}, 1, 2) == one || g.ConstInt64s([]int{1, 2}, 2) == one {
		t.Error("constants are equal if and only if type, dimensions and content are")
	}
	if !strings.HasPrefix(string(one), "part/") {
		t.Errorf("name %q", one)
	}
}
