package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestGather(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{0, 1, 5, 31, 32, 33, 100} {
		for _, more := range []int{0, 7, 50} {
			const width, stride = 7, 128
			words := make([]uint64, 300*width)
			for i := range words {
				words[i] = draw.Uint64()
			}
			rows := make([]int32, n+more)
			for i := range rows {
				rows[i] = int32(draw.IntN(300))
			}
			one, four := make([]uint64, n), make([]uint64, 4*stride)
			Gather(one, words[2:], width, rows)
			Gather4Columns(four, stride, words[2:], width, rows, n)
			for i, row := range rows[:n] {
				for lane := range 4 {
					want := words[int(row)*width+2+lane]
					if got := four[lane*stride+i]; got != want || lane == 0 && one[i] != want {
						t.Fatalf("row %d of %d, lane %d: %x and %x, want %x", i, n, lane, one[i], got, want)
					}
				}
			}
		}
	}
}

func TestPartition(t *testing.T) {
	draw := rand.New(rand.NewPCG(2, 2))
	for n := range 70 {
		data := make([]uint8, 200)
		for i := range data {
			data[i] = uint8(draw.Uint32())
		}
		var table [256]uint8
		for i := range table {
			table[i] = uint8(min(draw.IntN(1+n%3), 1))
		}
		rows, rest := make([]int32, n), make([]int32, n)
		var kept, others []int32
		for i := range rows {
			rows[i] = int32(draw.IntN(len(data)))
			if table[data[rows[i]]] == 1 {
				kept = append(kept, rows[i])
			} else {
				others = append(others, rows[i])
			}
		}
		got := Partition(rows, rest, data, &table)
		if !slices.Equal(rows[:got], kept) || !slices.Equal(rest[:n-got], others) {
			t.Fatalf("kept %v of %v, want %v of %v", rows[:got], rest[:n-got], kept, others)
		}
	}
}

// randomCells returns cells, half of them empty, and parameters with which BestSplit can
// search them. missing is the packed sum that BestSplit will get as its parameter sum.
func randomCells(draw *rand.Rand, n int, missing int64) ([]int64, GainParams) {
	cells := make([]int64, n)
	all := missing
	for i := range cells {
		if draw.IntN(2) == 0 {
			cells[i] = (draw.Int64N(2000)-1000)<<32 + draw.Int64N(500)
		}
		all += cells[i]
	}
	g, h := float64(all>>32), float64(uint32(all))
	return cells, GainParams{Gradient: g, Hessian: h, L2: 3, MinHessian: 20, MaxHessian: h - 20, Best: g * g / (h + 3)}
}

func TestBestSplit(t *testing.T) {
	draw := rand.New(rand.NewPCG(3, 3))
	for n := range 255 {
		missing := draw.Int64N(2)*(draw.Int64N(100)<<32) + draw.Int64N(90)
		cells, s := randomCells(draw, n, missing)
		want, top := -1, s.Best
		var left, sum int64 = 0, missing
		for i, cell := range cells {
			sum += cell
			gl, hl := float64(sum>>32), float64(uint32(sum))
			gr, hr := s.Gradient-gl, s.Hessian-hl
			if score := gl*gl/(hl+s.L2) + gr*gr/(hr+s.L2); hl >= s.MinHessian && hl <= s.MaxHessian && score > top*(1+1e-12) {
				want, left, top = i, sum, score
			}
		}
		at, got := BestSplit(cells, missing, &s)
		if at != want || at >= 0 && got != left || math.Abs(s.Best-top) > 1e-9*top {
			t.Fatalf("%d cells: after %d with %x and %v, want %d with %x and %v", n, at, got, s.Best, want, left, top)
		}
	}
}

func TestLogistic(t *testing.T) {
	draw := rand.New(rand.NewPCG(4, 4))
	n := 203
	scores, labels, dst := make([]float32, n), make([]int32, n), make([]uint64, n)
	for i := range scores {
		scores[i], labels[i] = float32(draw.NormFloat64()*10), int32(draw.IntN(3))
	}
	scores[0], scores[1], scores[2] = 0, 200, -200
	LogisticGradients(dst, scores, labels, 2)
	for i, x := range scores {
		p := 1 / (1 + math.Exp(-float64(x)))
		h := p * (1 - p)
		if labels[i] == 2 {
			p--
		}
		g32, h32 := math.Float32frombits(uint32(dst[i]>>32)), math.Float32frombits(uint32(dst[i]))
		if math.Abs(float64(g32)-p) > 3e-7 || math.Abs(float64(h32)-h) > 3e-7 {
			t.Errorf("score %v, label %d: %v and %v, want %v and %v", x, labels[i], g32, h32, p, h)
		}
	}
}
