package inference_test

import (
	"testing"

	"foretell/internal/table/cells"
	"foretell/internal/table/inference"
)

func TestFormFormat(t *testing.T) {
	for _, c := range []struct {
		form  inference.Form
		value float64
		want  string
	}{
		{inference.FormNumeric, 1234567.5, "1.23457e+06"},
		{inference.FormDate, -0.5, "1969-12-31"},
		{inference.FormDate, float64(cells.DaysFromCivil(2024, 2, 29)), "2024-02-29"},
		{inference.FormTime, 15 + 4./60, "15:04"},
		{inference.FormTime, 24 - 1./3600, "23:59"},
	} {
		if got := c.form.Format(c.value); got != c.want {
			t.Errorf("%s %v: %s, want %s", c.form, c.value, got, c.want)
		}
	}
}
