package neural

import "math"

// schedule determines for how long a fitter trains and how its learning rate changes. All lengths
// and positions are in units of the length of the fitter's initial schedule.
type schedule struct {
	samples int     // number of rows to train on in a schedule of length 1, counted again in each epoch
	length  float64 // 1, doubled by each call of double
	steps   int     // number of steps of the whole schedule
	// The steps after fixedSteps have equal lengths. The first fixedSteps steps end at
	// fixedPosition. Both are 0 before the first call of double.
	fixedSteps    int
	fixedPosition float64
}

// doubledSteps is the number of steps that remain after a schedule has been doubled in its middle.
// After a third of these steps, the longer schedule has reached its own middle and may be doubled
// again.
const doubledSteps = 24

// position returns the position in the schedule after the given number of steps, which must be at
// least fixedSteps.
func (s *schedule) position(steps int) float64 {
	return s.fixedPosition + float64(steps-s.fixedSteps)/float64(s.steps-s.fixedSteps)*(s.length-s.fixedPosition)
}

// samplesUntil returns the number of rows to train on until the given number of steps is done.
func (s *schedule) samplesUntil(steps int) int {
	return int(math.Round(s.position(steps) * float64(s.samples)))
}

// totalSamples returns the number of rows to train on in the whole schedule.
func (s *schedule) totalSamples() float64 { return s.length * float64(s.samples) }

// double makes the schedule twice as long. done is the number of steps that are already done; their
// lengths do not change. The learning rate increases to that of the longer schedule at the same
// position.
func (s *schedule) double(done int) {
	s.fixedPosition = s.position(done)
	s.fixedSteps, s.steps = done, done+doubledSteps
	s.length *= 2
}

// learningRateFactor returns the learning rate divided by its maximum, after training on the
// given number of rows. The learning rate first increases linearly, then decreases to zero along
// half a cosine (Loshchilov and Hutter 2017).
func (s *schedule) learningRateFactor(samples int) float64 {
	done := float64(samples) / s.totalSamples()
	if done < warmupFraction {
		return done / warmupFraction
	}
	return 0.5 * (1 + math.Cos(math.Pi*min(1, (done-warmupFraction)/(1-warmupFraction))))
}
