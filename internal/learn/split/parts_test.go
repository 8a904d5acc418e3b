package split

import (
	"math"
	"slices"
	"testing"
)

// TestParts checks that rows of a group, and rows of about the same time, are in the same part.
func TestParts(t *testing.T) {
	s := sample(100, 100, 100)
	rows := make([]int32, 0, 250)
	groups, times := make([]int32, len(s.Labels)), make([]float64, len(s.Labels))
	for row := range len(s.Labels) {
		groups[row], times[row] = int32(row/7), float64((row*37)%len(s.Labels))
		if row%11 == 0 {
			times[row] = math.NaN()
		}
		if row%6 != 0 {
			rows = append(rows, int32(row))
		}
	}
	s.Rows = rows
	for name, tt := range map[string]Sample{
		"rows": {}, "groups": {Groups: groups}, "times": {Times: times}, "both": {Groups: groups, Times: times},
	} {
		t.Run(name, func(t *testing.T) {
			s := s
			s.Groups, s.Times = tt.Groups, tt.Times
			parts := AssignCrossFitFolds(s, 5, 1)
			sizes, partOf := make([]int, 5), map[int32]int{}
			last := make([]float64, 5)
			for i, row := range rows {
				sizes[parts[i]]++
				last[parts[i]] = max(last[parts[i]], times[row])
				if known, ok := partOf[groups[row]]; ok && s.Groups != nil && known != parts[i] {
					t.Fatalf("group %d is divided", groups[row])
				}
				partOf[groups[row]] = parts[i]
			}
			if slices.Min(sizes) < len(rows)/15 {
				t.Errorf("sizes %v", sizes)
			}
			for i, row := range rows {
				if part := parts[i]; name == "times" && part > 0 && times[row] < last[part-1] {
					t.Fatalf("time %v in part %d is before the end %v of the part before", times[row], part, last[part-1])
				}
			}
		})
	}
}

// TestPartsOfFewTimes checks that rows of the same time are in the same part. If all rows have the
// same time, the parts must be as large as without times.
func TestPartsOfFewTimes(t *testing.T) {
	s := sample(100, 100, 100)
	for _, c := range []struct{ times, minParts int }{{1, 5}, {2, 2}, {7, 4}, {12, 5}} {
		times := make([]float64, len(s.Labels))
		for row := range times {
			times[row] = float64(row * 31 % c.times)
		}
		s.Times = times
		partOf, sizes := map[float64]int{}, map[int]int{}
		for row, part := range AssignCrossFitFolds(s, 5, 1) {
			sizes[part]++
			if known, ok := partOf[times[row]]; ok && known != part && c.times > 1 {
				t.Fatalf("rows of the time %v of %d are in the parts %d and %d", times[row], c.times, known, part)
			}
			partOf[times[row]] = part
		}
		if len(sizes) < c.minParts {
			t.Errorf("%d times: the parts have the sizes %v", c.times, sizes)
		}
	}
}

// TestPartsOfConfinedClasses checks that the rows of a class are divided evenly if nearly all of
// them have about the same time or are in one group. The parts of the other rows must not change.
func TestPartsOfConfinedClasses(t *testing.T) {
	s := sample(200, 200, 40)
	groups, times := make([]int32, len(s.Labels)), make([]float64, len(s.Labels))
	rare := slices.Index(s.Labels, 2) // the only row of the class with another time and group
	for row, label := range s.Labels {
		groups[row], times[row] = int32(row/2), float64(row*31%len(s.Labels))
		if label == 2 && row != rare {
			groups[row], times[row] = 1000, float64(len(s.Labels)+row)
		}
	}
	for name, tt := range map[string]Sample{"times": {Times: times}, "groups": {Groups: groups}, "both": {Groups: groups, Times: times}} {
		t.Run(name, func(t *testing.T) {
			s := s
			s.Groups, s.Times = tt.Groups, tt.Times
			counts := make([]int, 5)
			last := make([]float64, 5)
			parts := AssignCrossFitFolds(s, 5, 1)
			for row, part := range parts {
				if s.Labels[row] == 2 {
					counts[part]++
				} else {
					last[part] = max(last[part], times[row])
				}
			}
			if slices.Max(counts)-slices.Min(counts) > 1 {
				t.Errorf("the rows of a class are divided into %v", counts)
			}
			for row, part := range parts {
				if name == "times" && s.Labels[row] < 2 && part > 0 && times[row] < last[part-1] {
					t.Fatalf("time %v in part %d is before the end %v of the part before", times[row], part, last[part-1])
				}
			}
		})
	}
}

func TestNearest(t *testing.T) {
	for _, c := range [][2]int{{0, 2}, {2, 2}, {3, 2}, {4, 5}, {9, 5}} {
		if got := nearest([]int{2, 5}, c[0]); got != c[1] {
			t.Errorf("nearest to %d: %d, want %d", c[0], got, c[1])
		}
	}
}
