package receipt_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"foretell/internal/receipt"
	"foretell/internal/table/csvfile"
)

// result returns a result of n rows and its receipt.
func result(t *testing.T, rows int) (string, *receipt.Receipt) {
	t.Helper()
	var b strings.Builder
	b.WriteString("id,size,prediction,probability,probability_no,probability_yes\n")
	for i := range rows {
		fmt.Fprintf(&b, "r%d,\"two\nlines\",yes,0.75,0.25,0.75\n", i+1)
	}
	r := &receipt.Receipt{Version: receipt.Version, Classes: []string{"no", "yes"}}
	r.Result.Rows = rows
	var err error
	if r.Result.Digest, r.Result.Blocks, err = receipt.DigestResult(t.Context(), strings.NewReader(b.String())); err != nil {
		t.Fatal(err)
	}
	return b.String(), r
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestEveryByte changes each byte of a result in turn. The error must have the line of
// the change.
func TestEveryByte(t *testing.T) {
	whole, r := result(t, 5)
	if err := r.Verify(t.Context(), strings.NewReader(whole)); err != nil {
		t.Fatal(err)
	}
	line := 1
	for i := range len(whole) {
		changed := []byte(whole)
		changed[i] ^= 1
		var d *receipt.LineDifference
		if err := r.Verify(t.Context(), bytes.NewReader(changed)); !errors.As(err, &d) || d.From != line {
			t.Fatalf("byte %d, in line %d: %v", i, line, err)
		}
		if whole[i] == '\n' {
			line++
		}
	}
}

// TestBlocks locates a change in a result with more lines than blocks.
func TestBlocks(t *testing.T) {
	whole, r := result(t, 3000)
	if r.Result.Blocks.Lines != 12 {
		t.Errorf("%d lines in a block, want 6001 lines and the end parted among at most 512", r.Result.Blocks.Lines)
	}
	for name, row := range map[string]struct {
		text string
		want string
	}{
		"changed":   {strings.Replace(whole, "r2000,", "rX000,", 1), "in lines 3997 to 4008"},
		"cut":       {whole[:len(whole)-len("r3000,\"two\nlines\",yes,0.75,0.25,0.75\n")], "the first difference is in lines 5989 to 6000"},
		"lengthier": {whole + strings.Repeat("x\n", 12), "the first difference is in lines 6001 to 6012"},
		"empty":     {"", "the lines from line 1 are missing"},
	} {
		t.Run(name, func(t *testing.T) {
			var d *receipt.LineDifference
			if err := r.CheckDigest(t.Context(), strings.NewReader(row.text)); !errors.As(err, &d) || !strings.Contains(err.Error(), row.want) {
				t.Errorf("%v, want %q", err, row.want)
			}
		})
	}
}

// TestFewBlocks compares a long file with a forged receipt whose blocks have one line each. The
// memory for the digests of the file must not grow with its number of lines.
func TestFewBlocks(t *testing.T) {
	_, r := result(t, 1)
	r.Result.Blocks = receipt.BlockDigests{Lines: 1, Digests: strings.Repeat("00", 8)}
	long := strings.NewReader(strings.Repeat("\n", 4<<20))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := r.CheckDigest(t.Context(), long)
	runtime.ReadMemStats(&after)
	if err == nil || !strings.Contains(err.Error(), "the first difference is in line 1") {
		t.Error(err)
	}
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 4<<20 {
		t.Errorf("%d bytes were allocated", allocated)
	}
}

// TestVerifyPredictions checks that invalid predictions of a result are detected.
func TestVerifyPredictions(t *testing.T) {
	whole, r := result(t, 5)
	r.Classes = []string{"no", "maybe"}
	var defect *csvfile.Defect
	if err := r.Verify(t.Context(), strings.NewReader(whole)); !errors.As(err, &defect) || defect.Code != csvfile.CodeColumnsDiffer {
		t.Errorf("a class that the result does not know: %v", err)
	}
	r.Classes = nil
	r.Result.Rows = 6
	if err := r.Verify(t.Context(), strings.NewReader(whole)); err == nil || !strings.Contains(err.Error(), "the file has 5 rows, but the receipt says 6") {
		t.Errorf("a row more: %v", err)
	}
}

// TestRead rejects invalid documents.
func TestRead(t *testing.T) {
	_, r := result(t, 5)
	text, err := r.Encode()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "r.json")
	write(t, path, string(text))
	if _, err := receipt.Read(path); err != nil {
		t.Error(err)
	}
	for _, text := range []string{"", "{}", "[]", "[{}]", "id,label\n1,a\n", `{"a":1}`} {
		write(t, path, text)
		if _, err := receipt.Read(path); !errors.Is(err, receipt.ErrNoReceipt) || !errors.Is(err, receipt.ErrDamaged) {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, text := range []string{`{"receipt":"x"}`, string(text[:len(text)/2]), strings.Replace(string(text), `"lines": 1`, `"lines": 0`, 1)} {
		write(t, path, text)
		if _, err := receipt.Read(path); !errors.Is(err, receipt.ErrDamaged) || errors.Is(err, receipt.ErrNoReceipt) || strings.Contains(err.Error(), "Go ") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
