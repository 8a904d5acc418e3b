package api

import (
	"reflect"
	"strconv"
	"testing"
)

// TestLimitsOfNewDataset compares the tags of NewDataset, which cannot contain constants, with the limits.
func TestLimitsOfNewDataset(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		field, minTag, maxTag string
		min, max              int
	}{
		{"DatasetName", "minLength", "maxLength", MinNameLength, MaxNameLength},
		{"Series", "minLength", "maxLength", MinNameLength, MaxNameLength},
		{"Description", "minLength", "maxLength", MinDescriptionLength, MaxDescriptionLength},
		{"NumberOfBuckets", "minimum", "maximum", MinBuckets, MaxBuckets},
	} {
		field, _ := reflect.TypeFor[NewDataset]().FieldByName(c.field)
		if low, high := field.Tag.Get(c.minTag), field.Tag.Get(c.maxTag); low != strconv.Itoa(c.min) || high != strconv.Itoa(c.max) {
			t.Errorf("the limits of %s are %s to %s in the tags, want %d to %d", c.field, low, high, c.min, c.max)
		}
	}
}
