package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func random(rng *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	return x
}

// shapes are smaller than, equal to and larger than tiles and panels.
var shapes = []Shape{
	{1, 1, 1},
	{6, 16, 8},
	{7, 17, 3},
	{5, 15, 31},
	{64, 2, 64},
	{13, 33, 0},
	{12, 48, 100},
	{2, 1000, 5},
	{0, 3, 3},
	{3, 0, 3},
	{11, 20, 7},
	{24, 32, 9},
	{31, 16, 4},
}

// naiveGemm adds a·b to dst as the package comment describes: each element is one chain
// of multiply-adds, in order of depth. The function fma computes a multiply-add.
func naiveGemm(dst, a, b []float32, s Shape, fma func(x, y, z float32) float32) {
	for i := range s.Rows {
		for j := range s.Cols {
			sum := dst[i*s.Cols+j]
			for k := range s.Depth {
				sum = fma(a[i*s.Depth+k], b[k*s.Cols+j], sum)
			}
			dst[i*s.Cols+j] = sum
		}
	}
}

// fused returns x·y + z rounded once. It computes in float64, in which the product is
// exact. The sum is rounded to odd, so that rounding it again to float32 has the same
// result as rounding only once (Boldo and Melquiond 2008).
func fused(x, y, z float32) float32 {
	p, c := float64(x)*float64(y), float64(z)
	s := p + c
	t := s - p
	rest := (p - (s - t)) + (c - t)
	if bits := math.Float64bits(s); rest != 0 && bits&1 == 0 {
		if (rest > 0) == (s > 0) {
			bits++
		} else {
			bits--
		}
		s = math.Float64frombits(bits)
	}
	return float32(s)
}

func unfused(x, y, z float32) float32 { return float32(x*y) + z }

func transposed(x []float32, rows, cols int) []float32 {
	t := make([]float32, len(x))
	for i := range rows {
		for j := range cols {
			t[j*rows+i] = x[i*cols+j]
		}
	}
	return t
}

// gemmVariants returns the functions of the package that compute the product of a and b.
func gemmVariants(dst, a, b []float32, s Shape) map[string]func() []float32 {
	p, pt := make([]float32, PackedLen(s.Depth, s.Cols)), make([]float32, PackedLen(s.Depth, s.Cols))
	Pack(p, b, s.Depth, s.Cols)
	PackTransposed(pt, transposed(b, s.Depth, s.Cols), s.Depth, s.Cols)
	at := transposed(a, s.Rows, s.Depth)
	return map[string]func() []float32{
		"a·b":  func() []float32 { d := slices.Clone(dst); Gemm(d, a, p, s); return d },
		"a·bᵀ": func() []float32 { d := slices.Clone(dst); Gemm(d, a, pt, s); return d },
		"aᵀ·b": func() []float32 { d := slices.Clone(dst); GemmTransposed(d, at, p, s); return d },
	}
}

func TestProductsAreChainsInOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, s := range shapes {
		a, b, dst := random(rng, s.Rows*s.Depth), random(rng, s.Depth*s.Cols), random(rng, s.Rows*s.Cols)
		once, twice := slices.Clone(dst), slices.Clone(dst)
		naiveGemm(once, a, b, s, fused)
		naiveGemm(twice, a, b, s, unfused)
		for name, product := range gemmVariants(dst, a, b, s) {
			t.Run(fmt.Sprintf("%s %v", name, s), func(t *testing.T) {
				if got := product(); !slices.Equal(got, once) && !slices.Equal(got, twice) {
					t.Errorf("got neither the fused nor the unfused product:\n    got %v\n  fused %v\nunfused %v", got, once, twice)
				}
			})
		}
	}
}

func TestAdamAgreesWithPortable(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const n = 8*9 + 5
	w, m, v, g := random(rng, n), random(rng, n), make([]float32, n), random(rng, n)
	for i := range v {
		v[i] = rng.Float32()
	}
	v[3], g[3], m[3] = 0, 0, 0
	c := [8]float32{0.9, 0.1, 0.99, 0.01, 0.003, 1.7, 1e-8, 0.999}
	w2, m2, v2 := slices.Clone(w), slices.Clone(m), slices.Clone(v)
	done := adamVector(w, m, v, g, &c)
	updateAdamGo(w2[:done], m2[:done], v2[:done], g[:done], &c)
	if !slices.Equal(w, w2) || !slices.Equal(m, m2) || !slices.Equal(v, v2) {
		t.Error("assembly and Go differ")
	}
}

func TestAdamFindsTheMinimum(t *testing.T) {
	w, m, v, g := []float32{5, -3}, make([]float32, 2), make([]float32, 2), make([]float32, 2)
	for step := 1; step <= 2000; step++ {
		g[0], g[1] = 2*(w[0]-1), 200*(w[1]-2)
		Adam{Rate: 0.02, Beta1: 0.9, Beta2: 0.99, Epsilon: 1e-8, Step: step}.Update(w, m, v, g)
	}
	if math.Abs(float64(w[0])-1) > 0.01 || math.Abs(float64(w[1])-2) > 0.01 {
		t.Errorf("got the minimum at %v, want (1, 2)", w)
	}
}

func TestReLU(t *testing.T) {
	x := []float32{-1, 0, 2, float32(math.Inf(-1)), float32(math.Copysign(0, -1)), 1e-45}
	ReLU(x)
	if want := []float32{0, 0, 2, 0, 0, 1e-45}; !slices.Equal(x, want) {
		t.Errorf("got %v, want %v", x, want)
	}
	grad := []float32{1, 2, 3, 4, 5, 6}
	ReLUBackward(grad, x, 2)
	if want := []float32{0, 0, 6, 0, 0, 12}; !slices.Equal(grad, want) {
		t.Errorf("ReLUBackward: got %v, want %v", grad, want)
	}
}

func TestDropoutKeepsTheExpectation(t *testing.T) {
	x, y := make([]float32, 100003), make([]float32, 100003)
	for i := range x {
		x[i], y[i] = 1, 1
	}
	Dropout(x, 64, 5)
	Dropout(y, 64, 5)
	if !slices.Equal(x, y) {
		t.Error("two calls with the same state dropped different elements")
	}
	sum, zeros := 0.0, 0
	for _, v := range x {
		sum += float64(v)
		if v == 0 {
			zeros++
		}
	}
	if mean := sum / float64(len(x)); math.Abs(mean-1) > 0.01 {
		t.Errorf("mean %v after Dropout, want 1", mean)
	}
	if share := float64(zeros) / float64(len(x)); math.Abs(share-0.25) > 0.01 {
		t.Errorf("fraction %v of the elements was dropped, want 0.25", share)
	}
}

func TestSoftmax(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, row := range [][]float32{{1, 2, 3}, {1e30, -1e30}, {-inf, 0}, {nan, 1}, {inf, inf}, {-inf, -inf}, {3}} {
		got := slices.Clone(row)
		Softmax(got)
		sum := 0.0
		for _, p := range got {
			sum += float64(p)
		}
		if !(math.Abs(sum-1) < 1e-6) {
			t.Errorf("Softmax of %v is %v", row, got)
		}
	}
}

func TestExp(t *testing.T) {
	for x := float32(0); x > -87; x -= 0.00037 {
		want := math.Exp(float64(x))
		if got := float64(exp(x)); math.Abs(got/want-1) > 2.5e-7 {
			t.Fatalf("exp(%v) = %v, want %v", x, got, want)
		}
	}
	if exp(0) != 1 || exp(-88) != 0 || exp(float32(math.Inf(-1))) != 0 || !math.IsNaN(float64(exp(float32(math.NaN())))) {
		t.Error("exp is wrong at 0, at -88, at -Inf or at NaN")
	}
}

func TestRows(t *testing.T) {
	x := []float32{1, 2, 3, 4, 5, 6}
	sum := []float32{1, 1}
	SumRows(sum, x)
	if want := []float32{10, 13}; !slices.Equal(sum, want) {
		t.Errorf("SumRows: got %v, want %v", sum, want)
	}
	ScaleShift(x, x, []float32{10, 100}, []float32{1, 2})
	if want := []float32{11, 202, 31, 402, 51, 602}; !slices.Equal(x, want) {
		t.Errorf("ScaleShift: got %v, want %v", x, want)
	}
	back, scale := []float32{0, 1}, []float32{0, 0}
	ScaleShiftBackward(back, scale, []float32{1, 2}, []float32{5, 7}, []float32{3, 4})
	if !slices.Equal(back, []float32{3, 9}) || !slices.Equal(scale, []float32{5, 14}) {
		t.Errorf("ScaleShiftBackward: got %v and %v", back, scale)
	}
	if got := SumSquares([]float32{1, 2, 3, 4, 5}); got != 55 {
		t.Errorf("SumSquares: got %v, want 55", got)
	}
	Lerp(sum, []float32{20, 13}, 0.5)
	if want := []float32{15, 13}; !slices.Equal(sum, want) {
		t.Errorf("Lerp: got %v, want %v", sum, want)
	}
}

func TestNothingIsAllocated(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	s := Shape{13, 21, 9}
	a, b, dst, p := random(rng, 200), random(rng, 200), make([]float32, 300), make([]float32, 300)
	for name, run := range map[string]func(){
		"Gemm": func() { Pack(p, b, s.Depth, s.Cols); Gemm(dst, a, p, s) },
		"transposed": func() {
			PackTransposed(p, b, s.Depth, s.Cols)
			GemmTransposed(dst, a, p, s)
		},
		"Adam":    func() { Adam{Rate: 1e-3, Beta1: 0.9, Beta2: 0.9, Step: 1}.Update(b, dst, p, a) },
		"Softmax": func() { Softmax(dst) },
		"Dropout": func() { Dropout(dst, 50, 1); ReLU(dst); ReLUBackward(dst, p, 1) },
	} {
		if n := testing.AllocsPerRun(10, run); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}

func TestShortSlicesPanic(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic for a short dst")
		}
	}()
	Gemm(make([]float32, 5), make([]float32, 6), make([]float32, 48), Shape{2, 3, 3})
}

func BenchmarkGemm(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, s := range []Shape{{64, 256, 256}, {512, 128, 128}, {1024, 1024, 1024}} {
		x, y := random(rng, s.Rows*s.Depth), random(rng, s.Depth*s.Cols)
		dst, p := make([]float32, s.Rows*s.Cols), make([]float32, PackedLen(s.Depth, s.Cols))
		report := func(b *testing.B) {
			b.Helper()
			flops := 2 * float64(s.Rows*s.Cols*s.Depth) * float64(b.N)
			b.ReportMetric(flops/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		}
		Pack(p, y, s.Depth, s.Cols)
		b.Run(fmt.Sprintf("a·b/%dx%dx%d", s.Rows, s.Cols, s.Depth), func(b *testing.B) {
			for b.Loop() {
				Gemm(dst, x, p, s)
			}
			report(b)
		})
		b.Run(fmt.Sprintf("aᵀ·b+Pack/%dx%dx%d", s.Rows, s.Cols, s.Depth), func(b *testing.B) {
			for b.Loop() {
				Pack(p, y, s.Depth, s.Cols)
				GemmTransposed(dst, x, p, s)
			}
			report(b)
		})
	}
}

func BenchmarkTileGo(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	x, p, dst := random(rng, 6*256), random(rng, 16*256), make([]float32, 6*16)
	for b.Loop() {
		multiplyTileGo(dst, 16, stridedMatrix{x, 256, 1}, p, 6)
	}
	b.ReportMetric(2*6*16*256*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}

func BenchmarkAdam(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n = 200_000
	w, m, v, g := random(rng, n), random(rng, n), make([]float32, n), random(rng, n)
	for b.Loop() {
		Adam{Rate: 1e-3, Beta1: 0.9, Beta2: 0.95, Epsilon: 1e-8, Step: 1}.Update(w, m, v, g)
	}
	b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mparam/s")
}
