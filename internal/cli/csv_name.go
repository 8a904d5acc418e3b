package cli

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

// CSVOutput is a file that is written as CSV.
type CSVOutput struct {
	Path     string
	Flag     string // the flag that names it, such as -o
	Noun     string // the word for the file in messages, such as output
	Contents string // what it contains, such as predictions
}

// CheckExtension returns a usage error if the extension of the file belongs to another format than
// CSV, because programs would not be able to read the file. It accepts named pipes and devices.
func (o *CSVOutput) CheckExtension() error {
	if info, err := os.Stat(o.Path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return nil
	}
	ext := filepath.Ext(o.Path)
	name := strings.TrimSuffix(o.Path, ext)
	program, isCompressed := compressions[strings.ToLower(ext)]
	switch {
	case isCompressed:
		if !strings.EqualFold(filepath.Ext(name), ".csv") {
			name += ".csv"
		}
		return exit.Usagef("the %s \"%s\" is not CSV: %s are only written as uncompressed CSV", o.Noun, o.Path, o.Contents).
			WithHint("write to %s %s, and compress this file with %s", o.Flag, term.ShellQuote(name), program)
	case slices.Contains(otherFormats, strings.ToLower(ext)):
		return exit.Usagef("the %s \"%s\" is not CSV: %s are only written as CSV", o.Noun, o.Path, o.Contents).
			WithHint("write to %s %s", o.Flag, term.ShellQuote(name+".csv"))
	}
	return nil
}
