package learningcurve_test

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"foretell/internal/learningcurve"
	"foretell/internal/table/profile"
)

// labelled returns a file with the given rows of each class, mixed.
func labelled(classes map[string]int) string {
	var b strings.Builder
	b.WriteString("id,size,class\n")
	for i, more := 0, true; more; i++ {
		more = false
		for _, class := range []string{"often", "seldom", " once"} {
			if i < classes[class] {
				fmt.Fprintf(&b, "%s%d,\"a\n%d\",%s\n", class, i, i%7, class)
				more = true
			}
		}
	}
	return b.String()
}

var mixed = []profile.ValueCount{{Text: "often", Rows: 3000}, {Text: "seldom", Rows: 999}, {Text: " once", Rows: 1}, {Text: "once", Rows: 0}}

func sampler(t *testing.T, seed uint64) []string {
	t.Helper()
	src := labelled(map[string]int{"often": 3000, "seldom": 999, " once": 1})
	small, large := &bytes.Buffer{}, &bytes.Buffer{}
	if err := learningcurve.WriteSamples(t.Context(), strings.NewReader(src), mixed, []int{400, 2000}, seed, []io.Writer{small, large}); err != nil {
		t.Fatal(err)
	}
	return []string{small.String(), large.String()}
}

// TestSample counts the classes of samples.
func TestSample(t *testing.T) {
	samples := sampler(t, 1)
	for i, want := range []map[string]int{
		{"often": 300, "seldom": 100, " once": 1},
		{"often": 1500, "seldom": 500, " once": 1},
	} {
		if !strings.HasPrefix(samples[i], "id,size,class\n") {
			t.Errorf("sample %d has no header", i)
		}
		for class, rows := range want {
			if got := strings.Count(samples[i], ","+class+"\n"); got != rows {
				t.Errorf("sample %d has %d rows of %q, want %d", i, got, class, rows)
			}
		}
		p, err := profile.Scan(t.Context(), strings.NewReader(samples[i]), profile.ScanOptions{})
		if err != nil || p.Err() != nil {
			t.Errorf("sample %d is invalid: %v %v", i, err, p.Err())
		}
	}
	again, other := sampler(t, 1), sampler(t, 2)
	if samples[0] != again[0] || samples[1] != again[1] || samples[0] == other[0] {
		t.Error("samples with the same seed differ, or samples with different seeds are equal")
	}
}

// TestSampleEvenly checks that rows are drawn from the whole file: the mean
// position is the middle, within four standard errors.
func TestSampleEvenly(t *testing.T) {
	sum, n := 0.0, 0
	for line := range strings.Lines(sampler(t, 3)[0]) {
		var at int
		if _, err := fmt.Sscanf(line, "often%d,", &at); err == nil {
			sum, n = sum+float64(at), n+1
		}
	}
	if mean, bound := sum/float64(n), 4*3000/math.Sqrt(12*300); n != 300 || math.Abs(mean-1499.5) > bound {
		t.Errorf("%d rows at %.0f on average, want 1499.5 ± %.0f", n, mean, bound)
	}
}

// extrapolate returns the forecast, and fails the test on an error.
func extrapolate(t *testing.T, trials []learningcurve.Trial, classRows []int, seed uint64, macroAveraged bool) learningcurve.Forecast {
	t.Helper()
	f, err := learningcurve.Extrapolate(t.Context(), trials, classRows, seed, macroAveraged)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestExtrapolate compares forecasts with known curves.
func TestExtrapolate(t *testing.T) {
	classes := []int{10000, 10000}
	forecastOf := func(curve func(rows float64) float64, sizes ...int) learningcurve.Forecast {
		var trials []learningcurve.Trial
		for _, n := range sizes {
			v := 1 - curve(float64(n))
			one := learningcurve.NewTrial(n, classes, v, n*8/10, v, n*2/10)
			one.Seconds = float64(n) / 100
			trials = append(trials, one)
		}
		return extrapolate(t, trials, classes, 1, false)
	}
	for name, curve := range map[string]func(n float64) float64{
		"power":    func(n float64) float64 { return 2 * math.Pow(n, -0.4) },
		"flat":     func(float64) float64 { return 0.2 },
		"levelled": func(n float64) float64 { return 0.1 + 2*math.Pow(n, -0.6) },
		"steep":    func(n float64) float64 { return 60 * math.Pow(n, -0.9) },
		"rising":   func(n float64) float64 { return 0.1 + n/1e6 },
	} {
		t.Run(name, func(t *testing.T) {
			f := forecastOf(curve, 500, 2000)
			truth := 1 - curve(20000)
			if !(f.Low <= truth && truth <= f.High) {
				t.Errorf("%.4f is not within %.4f to %.4f", truth, f.Low, f.High)
			}
			if !(0 <= f.Low && f.Low <= f.Value && f.Value <= f.High && f.High <= 1) {
				t.Errorf("out of order: %+v", f)
			}
			if f.Rows != 20000 || f.Scored != 2000 {
				t.Errorf("%d rows, %d scored", f.Rows, f.Scored)
			}
			if !(f.Fastest < *f.Seconds && *f.Seconds < *f.Slowest && *f.Seconds > 20) {
				t.Errorf("%.0f s, %.0f to %.0f, after 20 s for a tenth of the rows", *f.Seconds, f.Fastest, *f.Slowest)
			}
		})
	}
	near, far := forecastOf(func(float64) float64 { return 0.2 }, 500, 10000), forecastOf(func(float64) float64 { return 0.2 }, 500, 1000)
	if near.High-near.Low >= far.High-far.Low {
		t.Errorf("an interval of %.3f from half the rows, %.3f from a twentieth", near.High-near.Low, far.High-far.Low)
	}
	one := forecastOf(func(float64) float64 { return 0 }, 500)
	if !(one.Low < 1 && one.Value > 0.9 && !math.IsNaN(one.Value+one.Low+one.High)) {
		t.Errorf("of one trial without an error: %+v", one)
	}
}

// TestTimeOfManyClasses expects the time to grow less with many classes than
// with two, but still to grow.
func TestTimeOfManyClasses(t *testing.T) {
	took := func(classes int) float64 {
		rows := make([]int, classes)
		for i := range rows {
			rows[i] = 15000 / classes
		}
		one := learningcurve.NewTrial(2000, rows, 0.9, 1600, 0.9, 400)
		one.Seconds = 50
		return *extrapolate(t, []learningcurve.Trial{one}, rows, 1, false).Seconds
	}
	if two, ten, many, most := took(2), took(10), took(26), took(150); !(two > ten && ten > many && many >= most && most > 50) {
		t.Errorf("%.0f s with 2 classes, %.0f with 10, %.0f with 26, %.0f with 150, after 50 s for an eighth of the rows", two, ten, many, most)
	}
}

// TestTimeOfCutTrial expects only a lower bound if the race on a sample was
// stopped.
func TestTimeOfCutTrial(t *testing.T) {
	classes := []int{10000, 10000}
	one := learningcurve.NewTrial(2000, classes, 0.9, 1600, 0.9, 400)
	one.Seconds, one.Cut = 5, true
	if f := extrapolate(t, []learningcurve.Trial{one}, classes, 1, false); f.Seconds != nil || f.Slowest != nil || f.Fastest <= one.Seconds {
		t.Errorf("%+v after 5 s for a tenth of the rows", f)
	}
	most := learningcurve.NewTrial(16000, classes, 0.9, 12800, 0.9, 3200)
	most.Seconds, most.Cut = 5, true
	if f := extrapolate(t, []learningcurve.Trial{most}, classes, 1, false); f.Fastest != most.Seconds {
		t.Errorf("at least %v s for all rows after more than 5 s for most of them", f.Fastest)
	}
}

// TestSizes checks that samples are smaller than the file.
func TestSizes(t *testing.T) {
	if sizes := learningcurve.SampleSizes(learningcurve.MinRows - 1); sizes != nil {
		t.Errorf("a small file has samples of %v", sizes)
	}
	for _, rows := range []int{learningcurve.MinRows, 3451, 1_000_000} {
		sizes := learningcurve.SampleSizes(rows)
		for i, n := range sizes {
			if n > rows/2 || n > 2000 || i > 0 && n <= sizes[i-1] {
				t.Errorf("%d rows have samples of %v", rows, sizes)
			}
		}
		if len(sizes) < 2 {
			t.Errorf("%d rows have samples of %v: a curve needs two points", rows, sizes)
		}
	}
}

// TestStandardErrorOfRace checks that the interval is wider if the race reports a larger standard error,
// as with groups.
func TestStandardErrorOfRace(t *testing.T) {
	classes := []int{10000, 10000}
	width := func(stdErr float64) float64 {
		one := learningcurve.NewTrial(2000, classes, 0.8, 1600, 0.8, 400)
		one.ValidationStdErr = stdErr
		f := extrapolate(t, []learningcurve.Trial{one}, classes, 1, false)
		return f.High - f.Low
	}
	plain := width(0)
	if same := width(0.01); same != plain { // that of 1,600 independent rows
		t.Errorf("width %v, want %v", same, plain)
	}
	if wide := width(0.05); wide < 2*plain {
		t.Errorf("width %v, want at least twice %v", wide, plain)
	}
}
