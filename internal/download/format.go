package download

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"foretell/internal/exit"
	"foretell/internal/term"
)

// otherFormats are the extensions, in lower case, of files that are not CSV, although they may
// contain a table.
var otherFormats = []string{
	".tsv", ".tab", ".parquet", ".xlsx", ".xlsm", ".xls", ".ods", ".json", ".jsonl", ".ndjson", ".arrow", ".feather", ".html",
	".xlsb", ".orc", ".avro", ".pkl",
}

// compressions maps the extension of a compressed file to the program that writes it.
var compressions = map[string]string{".gz": "gzip", ".zst": "zstd", ".bz2": "bzip2", ".xz": "xz", ".zip": "zip", ".lz4": "lz4", ".7z": "7z", ".tgz": "tar"}

// CheckFormat returns a usage error if the extension of the output file is that of a format other than
// CSV. All results are CSV, and a program that reads the file by its extension would fail. A named
// pipe or a device is not rejected: the program that reads it may convert the CSV.
func (t *OutputFile) CheckFormat() error {
	if info, err := os.Stat(t.Path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return nil
	}
	ext := filepath.Ext(t.Path)
	name := strings.TrimSuffix(t.Path, ext)
	program, isCompressed := compressions[strings.ToLower(ext)]
	switch {
	case isCompressed:
		if !strings.EqualFold(filepath.Ext(name), ".csv") {
			name += ".csv"
		}
		return exit.Usagef("the output \"%s\" is not CSV: predictions are only written as CSV that is not compressed", t.Path).
			WithHint("write to -o %s, and compress this file with %s", term.ShellQuote(name), program)
	case slices.Contains(otherFormats, strings.ToLower(ext)):
		return exit.Usagef("the output \"%s\" is not CSV: predictions are only written as CSV", t.Path).
			WithHint("write to -o %s", term.ShellQuote(name+".csv"))
	}
	return nil
}
