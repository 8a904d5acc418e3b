package csvfile

import "bytes"

// fileSignatures are the first bytes of files that are often uploaded by mistake.
var fileSignatures = []struct{ magic, code, message string }{
	{"\x1F\x8B", CodeBinary, "this is a gzip file: unpack it, or use the foretell client, which unpacks it"},
	{"\x28\xB5\x2F\xFD", CodeBinary, "this is a Zstandard file: unpack it, or use the foretell client, which unpacks it"},
	{"PK\x03\x04", CodeBinary, "this is a ZIP file or an Excel workbook: save the table as CSV"},
	{"\xD0\xCF\x11\xE0", CodeBinary, "this is an Office document: save the table as CSV"},
	{parquetMagic, CodeBinary, "this is a Parquet file: write the table as CSV"},
	{"%PDF-", CodeBinary, "this is a PDF document: save the table as CSV"},
	{"\x89PNG", CodeBinary, "this is a PNG picture"},
	{"SQLite format 3\x00", CodeBinary, "this is an SQLite database: export the table as CSV"},
	{"\xFF\xFE", CodeInvalidUTF8, "this is UTF-16: save the file as UTF-8, or use the foretell client, which converts it"},
	{"\xFE\xFF", CodeInvalidUTF8, "this is UTF-16: save the file as UTF-8, or use the foretell client, which converts it"},
}

const parquetMagic = "PAR1"

// IsParquet reports whether head is the beginning of a Parquet file: the letters PAR1, and a
// control character within the next four bytes. The control character distinguishes a Parquet file
// from a CSV file whose first column is called PAR1. If head consists only of PAR1, it is the
// beginning of a truncated Parquet file.
func IsParquet(head []byte) bool {
	rest, ok := bytes.CutPrefix(head, []byte(parquetMagic))
	return ok && (len(rest) == 0 || bytes.ContainsFunc(rest[:min(len(rest), 4)], func(r rune) bool { return r < ' ' && r != '\t' && r != '\n' && r != '\r' }))
}

// FindFileType returns a defect if a file that starts with head cannot be CSV in UTF-8, and nil
// otherwise.
func FindFileType(head []byte) *Defect {
	for _, s := range fileSignatures {
		if bytes.HasPrefix(head, []byte(s.magic)) && (s.magic != parquetMagic || IsParquet(head)) {
			return &Defect{Code: s.code, Message: s.message, Line: 1, Column: 1}
		}
	}
	return nil
}
