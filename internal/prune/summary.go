package prune

import (
	"fmt"
	"strings"

	"foretell/internal/humanize"
	"foretell/internal/term"
)

// FormatSummary formats the number of items of each kind and their total size, such as "1 race, 2
// models (3.1 MB)".
func FormatSummary(items []Item) string {
	var parts []string
	for _, kind := range []struct{ name, word string }{
		{Dataset, "dataset"}, {Race, "race"}, {Model, "model"}, {Prediction, "prediction"},
	} {
		n := 0
		for _, item := range items {
			if item.Kind == kind.name {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, humanize.Count(n, kind.word))
		}
	}
	var bytes int64
	for _, item := range items {
		bytes += item.Bytes
	}
	return fmt.Sprintf("%s (%s)", strings.Join(parts, ", "), term.FormatBytes(bytes))
}
