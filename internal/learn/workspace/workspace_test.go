package workspace

import "testing"

func TestPoolReusesWorkspaces(t *testing.T) {
	var p Pool[[]int]
	a, b := p.Acquire(), p.Acquire()
	if a == b {
		t.Fatal("one workspace was acquired twice")
	}
	p.Release(a)
	if c := p.Acquire(); c != a {
		t.Error("a released workspace is not reused")
	}
	p.Release(a)
	p.Release(b)
	for i, want := range []*[]int{b, a} {
		if got := p.Acquire(); got != want {
			t.Errorf("acquired workspace %d is not the one that was released last", i)
		}
	}
}

func TestResize(t *testing.T) {
	s := make([]int, 3, 8)
	if r := Resize(s, 8); len(r) != 8 || &r[0] != &s[0] {
		t.Error("a large enough slice is not reused")
	}
	if r := Resize(s, 9); len(r) != 9 {
		t.Errorf("length %d, want 9", len(r))
	}
}
