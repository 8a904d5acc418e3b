package dupid

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"testing"
)

// manyIDs is a number of IDs that does not fit in the memory of the streams.
const manyIDs = 120_000

// TestSetHas looks up IDs before and after others are added.
func TestSetHas(t *testing.T) {
	ids := NewSet()
	defer func() { _ = ids.Close() }()
	has := func(id string) bool {
		found, err := ids.Has([]byte(id))
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	for n := range manyIDs {
		ids.Add([]byte(strconv.Itoa(n)), n)
	}
	if !has("0") || !has("119999") || has("120000") {
		t.Error("Has is wrong about an ID that was or was not added")
	}
	ids.Add([]byte("120000"), manyIDs)
	if !has("120000") {
		t.Error("an ID that was added late is not known")
	}
}

// TestSpacesAroundIDs checks that IDs that differ only in surrounding white space are duplicates, also
// if they would ascend.
func TestSpacesAroundIDs(t *testing.T) {
	ids := NewSet()
	defer func() { _ = ids.Close() }()
	for line, id := range []string{"a", "b", " b", "c d", "cd", "a\u00a0"} {
		ids.Add([]byte(id), line)
	}
	found, count, err := ids.Duplicates(t.Context(), 5)
	if want := []Duplicate{{2, 1}, {5, 0}}; err != nil || count != 2 || !slices.Equal(found, want) {
		t.Errorf("%v, %d, %v, want %v", found, count, err, want)
	}
	if known, err := ids.Has([]byte("\tc d ")); err != nil || !known {
		t.Errorf("an ID with other white space: %v, %v, want true", known, err)
	}
}

// TestDuplicatesIsCancelled cancels a search for duplicates.
func TestDuplicatesIsCancelled(t *testing.T) {
	ids := NewSet()
	defer func() { _ = ids.Close() }()
	for _, id := range []string{"2", "1"} {
		ids.Add([]byte(id), 1)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if found, _, err := ids.Duplicates(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("repeated = %v, %v, want context.Canceled", found, err)
	}
}

// TestAscends checks the order of IDs.
func TestAscends(t *testing.T) {
	rising := []string{"7", "9", "10", "11", "r9", "s0", "001", "T-01", "T-02", "Ü-1"}
	if !slices.IsSortedFunc(rising, func(a, b string) int {
		if ascends([]byte(b), []byte(a)) {
			return -1
		}
		return 1
	}) {
		t.Errorf("%q do not rise", rising)
	}
	if ascends([]byte("7"), []byte("7")) {
		t.Error("an ID is above itself")
	}
}
