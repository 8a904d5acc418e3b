package preprocess

import (
	"math"
	"slices"
	"testing"
)

func TestRobustScaler(t *testing.T) {
	for name, c := range map[string]struct {
		sorted  []float64
		missing bool
		want    RobustScaler
		varies  bool
	}{
		"middle_half":          {[]float64{0, 1, 2, 3, 4, 5, 6, 7}, false, RobustScaler{4, 1. / 3}, true},
		"equal_quartiles":      {[]float64{0, 1, 1, 1, 1, 1, 1, 5}, false, RobustScaler{1, 2. / 5}, true},
		"constant":             {[]float64{7, 7}, false, RobustScaler{}, false},
		"constant_and_missing": {[]float64{7, 7}, true, RobustScaler{7, 1}, true},
		"no_values":            {nil, true, RobustScaler{}, false},
		"infinite_range":       {[]float64{-math.MaxFloat64, math.MaxFloat64}, false, RobustScaler{}, false},
		"subnormal_range":      {[]float64{0, math.SmallestNonzeroFloat64}, false, RobustScaler{math.SmallestNonzeroFloat64, math.MaxFloat64}, true},
	} {
		t.Run(name, func(t *testing.T) {
			if got, varies := FitRobustScaler(c.sorted, c.missing); got != c.want || varies != c.varies {
				t.Errorf("%v, varies %v, want %v, %v", got, varies, c.want, c.varies)
			}
		})
	}
	s := RobustScaler{Center: 10, Scale: 0.5}
	for v, want := range map[float64]float64{10: 0, 12: 1 / math.Sqrt(1+1./9), 1e300: 3, -1e300: -3} {
		if got := s.Transform(v); got != want {
			t.Errorf("%v becomes %v, want %v", v, got, want)
		}
	}
}

func TestOrdinalEncoder(t *testing.T) {
	codes := []int32{2, -1, 2, 0, 3, 1} // 3 is not a level, and 1 is not in the training rows
	e, varies := FitOrdinalEncoder(codes, 3, []int32{0, 1, 2, 3, 4})
	if !varies || e.Max() != 3 {
		t.Errorf("varies %v, %v", varies, e)
	}
	var got []int32
	for _, code := range []int32{-1, 0, 1, 2, 3, 99} {
		got = append(got, e.Transform(code))
	}
	if want := []int32{1, 2, 0, 3, 0, 0}; !slices.Equal(got, want) {
		t.Errorf("numbers %v, want %v", got, want)
	}
	for name, rows := range map[string][]int32{"one_level": {0, 2}, "no_rows": nil, "no_level": {4}} {
		if _, varies := FitOrdinalEncoder(codes, 3, rows); varies {
			t.Errorf("%s: varies", name)
		}
	}
	if _, varies := FitOrdinalEncoder(codes, 3, []int32{0, 4}); !varies {
		t.Error("a level and another code: constant")
	}
}
