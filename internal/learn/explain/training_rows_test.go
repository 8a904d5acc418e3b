package explain

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"foretell/internal/table/frame"
	"foretell/internal/table/profile"
)

// TestFindTrainingRows looks for 40 training rows in new rows, in a part of the training rows, in all
// of them, and in tables in which equal rows are usual.
func TestFindTrainingRows(t *testing.T) {
	const training, fresh = 400, 2000
	file := func(lines []string) string { return "id,n,colour,day,text,y\n" + strings.Join(lines, "\n") + "\n" }
	draw := rand.New(rand.NewPCG(1, 2))
	rows := func(values int) (lines []string) {
		for i := range training + fresh {
			lines = append(lines, fmt.Sprintf("r%d,%d,%s,2024-%02d-%02d,%s,%d", i, draw.IntN(values), []string{"red", "blue"}[draw.IntN(2)],
				1+draw.IntN(min(12, values)), 1+draw.IntN(min(28, values)), []string{"a few new words", "other old words here"}[draw.IntN(2)], i%2))
		}
		return lines
	}
	for _, tt := range []struct {
		name     string
		values   int // number of different values of a column
		from, to int // rows of the file
		step     int // distance of two rows of the file
		min, max int
	}{
		{"new_rows", 1000, training, training + fresh, 1, 0, 0},
		{"all_rows", 1000, 0, training, 1, 40, 40},
		{"a_quarter", 1000, 0, training / 4, 1, 4, 20},
		{"few_rows", 1000, training / 2, training, 10, 20, 20},
		{"new_and_old", 1000, 0, training + fresh, 1, 40, 40},
		{"equal_rows_are_usual", 2, training, training + fresh, 1, 0, 0},
		{"some_equal_rows", 20, training, training + fresh, 1, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			lines := rows(tt.values)
			p, err := profile.Scan(t.Context(), strings.NewReader(file(lines[:training])), profile.ScanOptions{})
			if err != nil || len(p.Defects) > 0 {
				t.Fatal(err, p.Defects)
			}
			all, err := frame.Load(t.Context(), strings.NewReader(file(lines[:training])), p.Schema, frame.LoadOptions{Labelled: true})
			if err != nil {
				t.Fatal(err)
			}
			var sample []int32
			for row := int32(0); row < training; row += training / 40 {
				sample = append(sample, row)
			}
			var rows []string
			for row := tt.from; row < tt.to; row += tt.step {
				rows = append(rows, lines[row])
			}
			found, n, err := FindTrainingRows(t.Context(), &Model{Schema: p.Schema, Background: all.Take(sample)}, strings.NewReader(file(rows)))
			if err != nil || n != 40 || found < tt.min || found > tt.max {
				t.Errorf("found %d of %d rows, want %d to %d (%v)", found, n, tt.min, tt.max, err)
			}
		})
	}
	if _, _, err := FindTrainingRows(t.Context(), &Model{}, strings.NewReader("")); !errors.Is(err, ErrNoBackground) {
		t.Error(err)
	}
}

// TestNewRowsAreSeldomReported counts how often rows of a new file are taken for training rows,
// if they have few different values. It also counts how often files with a fifth or all of the
// training rows are reported.
func TestNewRowsAreSeldomReported(t *testing.T) {
	draw := rand.New(rand.NewPCG(5, 6))
	const files, sample = 300, 32
	for _, tt := range []struct{ values, rows, part, min, max int }{
		{100, 20, 0, 0, 9},
		{100, 50, 0, 0, 9},
		{1000, 50, 0, 0, 9},
		{1000, 200, 0, 0, 9},
		{10_000, 1000, 0, 0, 9},
		{1 << 40, 200, 1000, 240, files},
		{1 << 40, 1000, 1000, files, files},
	} {
		reported := 0
		for range files {
			var counts hashCounts
			rows := make([]uint64, max(tt.rows, tt.part))
			for i := range rows {
				if rows[i] = draw.Uint64N(uint64(tt.values)); i < tt.rows {
					counts.add(rows[i])
				}
			}
			found := 0
			for range sample {
				row := draw.Uint64N(uint64(tt.values))
				if tt.part > 0 {
					row = rows[draw.IntN(tt.part)]
				}
				if counts.rows[row] > 0 {
					found++
				}
			}
			if found >= minTrainingRows && float64(found) > counts.maxByChance(sample) {
				reported++
			}
		}
		if reported < tt.min || reported > tt.max {
			t.Errorf("%+v: %d of %d files are reported", tt, reported, files)
		}
	}
}

// TestHashCounts counts more hashes than are kept. 40 % of them have a copy.
func TestHashCounts(t *testing.T) {
	draw := rand.New(rand.NewPCG(3, 4))
	var counts hashCounts
	for i := range 2 * maxHashCounts {
		hash := draw.Uint64()
		counts.add(hash)
		if i%4 == 0 {
			counts.add(hash)
		}
	}
	if most := counts.maxByChance(1_000_000); len(counts.rows) > maxHashCounts || most < 380_000 || most > 430_000 {
		t.Errorf("%d hashes, at most %.0f by chance, want 400,000", len(counts.rows), most)
	}
}
