package download

import "foretell/internal/cli"

// CheckExtension returns a usage error if the extension of the output file belongs to another
// format than CSV.
func (t *OutputFile) CheckExtension() error {
	return (&cli.CSVOutput{Path: t.Path, Flag: "-o", Noun: "output", Contents: "predictions"}).CheckExtension()
}
