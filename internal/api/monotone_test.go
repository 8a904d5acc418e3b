package api_test

import (
	"slices"
	"testing"

	"foretell/internal/api"
)

func TestMonotone(t *testing.T) {
	m, err := api.ParseMonotone([]string{"b=decreasing", "a=1", "x=y=-1"})
	if want := "a=increasing, b=decreasing, x=y=decreasing"; err != nil || m.String() != want {
		t.Fatalf("%s, %v, want %s", m, err, want)
	}
	signs, err := m.Signs()
	if err != nil || len(signs) != 3 || signs["a"] != 1 || signs["x=y"] != -1 {
		t.Errorf("%v, %v", signs, err)
	}
	again, err := api.ParseMonotone(m.Pairs())
	if err != nil || !slices.Equal(again.Pairs(), m.Pairs()) {
		t.Errorf("%s, %v", again, err)
	}
	if m, err := api.ParseMonotone(nil); m != nil || err != nil {
		t.Errorf("%v, %v", m, err)
	}
	for _, pairs := range [][]string{{"a"}, {"a="}, {"=increasing"}, {"a=up"}, {"a=0"}, {"a=1", "a=1"}, {""}} {
		if m, err := api.ParseMonotone(pairs); err == nil {
			t.Errorf("%q is %v", pairs, m)
		}
	}
	if _, err := (api.Monotone{"a": "up"}).Signs(); err == nil {
		t.Error("no error for an invalid direction")
	}
}
