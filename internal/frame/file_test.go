package frame

import (
	"os"
	"testing"
)

// BenchmarkFile reads a labelled CSV of any size from the disk:
//
//	FORETELL_CSV=train.csv go test -run '^$' -bench File ./internal/frame
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
				_, err := Load(b.Context(), src, profile.Schema, LoadOptions{Labelled: true, Rows: profile.Rows})
				return err
			})
		}
	})
}
