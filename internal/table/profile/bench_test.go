package profile

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"foretell/internal/table/frame"
)

// BenchmarkFile reads a labelled CSV of any size from the disk:
//
//	FORETELL_CSV=train.csv go test -run '^$' -bench File ./internal/table/profile
func BenchmarkFile(b *testing.B) {
	path := os.Getenv("FORETELL_CSV")
	if path == "" {
		b.Skip("FORETELL_CSV names no file")
	}
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	open := func(b *testing.B, read func(*os.File) error) {
		b.Helper()
		src, err := os.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		defer src.Close()
		if err := read(src); err != nil {
			b.Fatal(err)
		}
	}
	var profile *Profile
	b.Run("Scan", func(b *testing.B) {
		b.SetBytes(info.Size())
		for b.Loop() {
			open(b, func(src *os.File) (err error) {
				profile, err = Scan(b.Context(), src, ScanOptions{})
				return err
			})
		}
	})
	if profile == nil {
		b.Skip("Load needs what Scan finds")
	}
	b.Run("Load", func(b *testing.B) {
		b.SetBytes(info.Size())
		for b.Loop() {
			open(b, func(src *os.File) error {
				_, err := frame.Load(b.Context(), src, profile.Schema, frame.LoadOptions{Labelled: true, Rows: profile.Rows})
				return err
			})
		}
	})
}

func BenchmarkScan(b *testing.B) {
	file := numericCSV(16)
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		if _, err := Scan(b.Context(), bytes.NewReader(file), ScanOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLoad(b *testing.B) {
	file := numericCSV(16)
	profile, err := Scan(b.Context(), bytes.NewReader(file), ScanOptions{})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		_, err := frame.Load(b.Context(), bytes.NewReader(file), profile.Schema, frame.LoadOptions{Labelled: true, Rows: profile.Rows})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// numericCSV returns about the given number of megabytes of rows of numbers.
func numericCSV(megabytes int) []byte {
	rng := rand.New(rand.NewPCG(7, 8))
	file := []byte("id" + strings.Repeat(",f", 20) + ",label\n")
	for j := range 20 {
		file = bytes.Replace(file, []byte(",f,"), fmt.Appendf(nil, ",f%02d,", j), 1)
	}
	for i := 0; len(file) < megabytes<<20; i++ {
		file = fmt.Appendf(file, "r%06d", i)
		for range 20 {
			file = append(file, ',')
			file = strconv.AppendFloat(file, rng.NormFloat64()*10, 'g', 6, 64)
		}
		file = fmt.Appendf(file, ",c%d\n", rng.IntN(3))
	}
	return file
}
