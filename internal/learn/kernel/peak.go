package kernel

// Slope is what the score of dividing a sum of gradients and hessians depends
// on:
//
//	GL²/(HL+λ) + GR²/(HR+λ)
type Slope struct {
	// Gradient and Hessian are the sums of both sides.
	Gradient, Hessian float64
	// L2 is λ.
	L2 float64
	// Least and Most limit the hessian of the left side.
	Least, Most float64
	// Top is the score to exceed.
	Top float64
}

// Peak finds the first of the best places to divide cells, each of which holds a
// gradient above 32 bits of a hessian: the cell after which to do so, and the sum of
// those up to it, to which sum was added. That is -1 where no score exceeds
// s.Top, which else becomes the score. Sums of hessians stay below 2³¹.
func Peak(cells []int64, sum int64, s *Slope) (at int, left int64) {
	done, sum, at, left := peakVector(cells, sum, s)
	hessian := s.Hessian
	for i, cell := range cells[done:] {
		sum += cell
		hl := float64(uint32(sum))
		if hl < s.Least || hl > s.Most {
			continue
		}
		gl := float64(sum >> 32)
		gr, hr := s.Gradient-gl, hessian-hl+s.L2
		hl += s.L2
		score := (float64(float64(gl*gl)*hr) + float64(float64(gr*gr)*hl)) / float64(hl*hr)
		if score > s.Top {
			s.Top, at, left = score, done+i, sum
		}
	}
	return at, left
}
