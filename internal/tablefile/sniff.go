package tablefile

import (
	"bufio"
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"foretell/internal/table/csvfile"
)

// unsupportedFormats holds the first bytes of files in unsupported formats, and messages
// about them. In a message, rejectUnsupported replaces FILE by the name of the file, and COMMAND by the
// command that reads it from standard input.
var unsupportedFormats = []struct{ magic, message string }{
	{"SQLite format 3\x00", "this is an SQLite database: pipe one of its tables, as in sqlite3 -csv -header FILE 'SELECT * FROM TABLE' | COMMAND (sqlite3 FILE .tables lists them)"},
	{"\xD0\xCF\x11\xE0", "this is an Office document of the old format (.xls) or one with a password: save the sheet as .xlsx without a password, or as CSV"},
	{"PARE", "this is an encrypted Parquet file: decrypt it, or write the table as CSV"},
	{"ARROW1", "this is an Arrow (Feather) file: write the table as Parquet or CSV"},
	{"Obj\x01", "this is an Avro file: write the table as Parquet or CSV"},
	{"ORC", "this is an ORC file: write the table as Parquet or CSV"},
	{"\x89HDF", "this is an HDF5 file: write the table as Parquet or CSV"},
	{"\xFD7zXZ\x00", "this is an xz file: unpack it, as in xz -dc FILE | COMMAND"},
	{"BZh", "this is a bzip2 file: unpack it, as in bzip2 -dc FILE | COMMAND"},
	{"7z\xBC\xAF\x27\x1C", "this is a 7z archive: unpack it"},
	{"Rar!", "this is a RAR archive: unpack it"},
	{"%PDF-", "this is a PDF document: save the table as CSV"},
	{"\x89PNG", "this is a PNG picture"},
	{"\xFF\xD8\xFF", "this is a JPEG picture"},
	{"GIF87a", "this is a GIF picture"},
	{"GIF89a", "this is a GIF picture"},
	{"\x80\x02", pickleMessage},
	{"\x80\x03", pickleMessage},
	{"\x80\x04", pickleMessage},
	{"\x80\x05", pickleMessage},
	{"RDX2\n", rDataMessage},
	{"RDX3\n", rDataMessage},
	{"X\n\x00\x00\x00", rDataMessage},
	{"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xC2\xEA\x81\x60", "this is a SAS file: write the table as CSV"},
	{"$FL2", "this is an SPSS file: write the table as CSV"},
	{"<stata_dta>", "this is a Stata file: write the table as CSV"},
	{"\xFF\xFE\x00\x00", utf32Message},
	{"\x00\x00\xFE\xFF", utf32Message},
	{"version https://git-lfs.github.com/", "this is a pointer of Git LFS and not the table: fetch the table with git lfs pull"},
}

const (
	pickleMessage = "this is a Python pickle: write the table as Parquet or CSV"
	rDataMessage  = "this is an R data file: write the table as CSV"
	utf32Message  = "the text is UTF-32: save it as UTF-8"
)

// tarMagicOffset is the offset of the magic bytes of a tar archive.
const tarMagicOffset = 257

// compressions holds the first bytes of files of the supported compressions, and the programs that
// unpack them.
var compressions = []struct{ magic, name, program string }{
	{"\x1F\x8B", "gzip", "gzip"},
	{"\x28\xB5\x2F\xFD", "Zstandard", "zstd"},
}

// rejectUnsupported returns a defect if head, the beginning of the unpacked content of the file, is
// the beginning of a file in an unsupported format.
func (f *sourceFile) rejectUnsupported(head []byte, opts Options) error {
	message := f.compressedTwiceMessage(head)
	if message == "" {
		message = unsupportedMessage(f.Name, head)
	}
	if message == "" {
		return nil
	}
	name, command := f.Name, "foretell run -"
	if strings.ContainsAny(name, " '\"") {
		name = "FILE" // the name would have to be quoted, or is not the name of a file
	}
	if opts.StdinCommand != nil && strings.Contains(message, "COMMAND") {
		command = opts.StdinCommand(f.Name)
	}
	message = strings.NewReplacer(" FILE", " "+name, "COMMAND", command).Replace(message)
	return &csvfile.Defect{Code: csvfile.CodeBinary, Message: message, Line: 1, Column: 1}
}

// compressedTwiceMessage returns a message if head begins a compressed file, although the file is
// already unpacked. Otherwise it returns "".
func (f *sourceFile) compressedTwiceMessage(head []byte) string {
	for _, inner := range compressions {
		if f.compression == "" || !bytes.HasPrefix(head, []byte(inner.magic)) {
			continue
		}
		message := fmt.Sprintf("the file is compressed twice, with %s and then with %s: unpack it", inner.name, f.compression)
		if inner.name == f.compression {
			message = fmt.Sprintf("the file is compressed twice with %s: unpack it", inner.name)
		}
		for _, outer := range compressions {
			if outer.name == f.compression && !f.isMember {
				message += " once, as in " + outer.program + " -dc FILE | COMMAND"
			}
		}
		return message
	}
	return ""
}

// unsupportedMessage returns a message about the unsupported format of a file with this name that
// begins with head. It returns "" if the file is not known to have an unsupported format.
func unsupportedMessage(name string, head []byte) string {
	if len(head) > tarMagicOffset && bytes.HasPrefix(head[tarMagicOffset:], []byte("ustar")) {
		return "this is a tar archive: unpack it"
	}
	start := head[:min(len(head), 512)]
	for _, u := range unsupportedFormats {
		if !bytes.HasPrefix(head, []byte(u.magic)) {
			continue
		}
		if printable := u.magic == "ORC" || u.magic == "BZh" || u.magic == "PARE"; printable && !bytes.ContainsFunc(start, isControl) {
			continue // a CSV header that begins with these letters
		}
		return u.message
	}
	text := strings.ToLower(string(bytes.TrimSpace(bytes.TrimPrefix(start, []byte("\xEF\xBB\xBF")))))
	switch isWorkbook := strings.HasSuffix(strings.ToLower(name), ".xls"); {
	case (strings.HasPrefix(text, "<html") || strings.HasPrefix(text, "<table")) && isWorkbook:
		return "this is a web page and not an Excel workbook: open it with a spreadsheet program and save it as .xlsx or CSV"
	case strings.HasPrefix(text, "<!doctype html"), strings.HasPrefix(text, "<html"):
		return "this is a web page: was it downloaded instead of the table?"
	case strings.HasPrefix(text, "<?xml"):
		return "this is an XML file: write the table as CSV or JSON"
	case strings.HasPrefix(text, "@relation "), strings.HasPrefix(text, "%") && strings.Contains(string(bytes.ToLower(head)), "\n@relation "):
		return "this is an ARFF file: write the table as CSV"
	case len(head) > 0 && len(bytes.Trim(head, "\x00")) == 0:
		return "the file has only NUL bytes: copy or download it again"
	}
	return ""
}

// FindOtherFormat returns a message about a file with this name that begins with head, if the file is
// known to have a format other than CSV. Otherwise it returns "". It leaves some formats to
// [csvfile.FindFileType]. The message is for a program that reads only CSV.
func FindOtherFormat(name string, head []byte) string {
	if looksLikeJSON(name, head) {
		return "this is JSON: write the table as CSV, or send it with the command `foretell datasets create` or `foretell predict`, which converts it"
	}
	message, _, _ := strings.Cut(unsupportedMessage(name, head), ", as in ")
	return strings.NewReplacer("Parquet or CSV", "CSV", "CSV or JSON", "CSV", ".xlsx or CSV", "CSV").Replace(message)
}

func isControl(char rune) bool {
	return char < ' ' && char != '\n' && char != '\r' && char != '\t'
}

// minControlShare is the smallest fraction of control characters in the head of a binary file.
const minControlShare = 0.02

// isBinary reports whether a file that is not UTF-16 is binary. A text with a few damaged cells is
// not binary. head, the beginning of the file, must have at least three kinds of control
// characters, and a NUL byte or invalid UTF-8. At least minControlShare of its bytes must be
// control characters.
func isBinary(head []byte) bool {
	const minKinds = 3
	var kinds [' ']bool
	count, distinct := 0, 0
	for _, char := range head {
		if char >= 0x1A || char >= '\t' && char <= '\r' { // texts may contain the characters from 0x1A on, such as escape
			continue
		}
		if count++; !kinds[char] {
			kinds[char] = true
			distinct++
		}
	}
	return distinct >= minKinds && float64(count) >= minControlShare*float64(len(head)) && (kinds[0] || !utf8.Valid(head))
}

// isJSON reports whether the text of the file begins like JSON; see looksLikeJSON.
func (f *sourceFile) isJSON() (bool, error) {
	s, err := f.openText(ignoreCount)
	if err != nil {
		return false, err
	}
	defer s.closeQuietly()
	head, err := bufio.NewReaderSize(s, headSize).Peek(headSize)
	if len(head) == 0 && err != nil && f.compression == "" {
		return false, nil // an empty file is an empty CSV; reading it returns the error
	}
	return looksLikeJSON(f.Name, head), nil
}

// looksLikeJSON reports whether a text that begins with head begins like a JSON object or a list of
// objects. If the name of the file contains .json, .jsonl or .ndjson, it is enough that the text
// begins with { or [.
func looksLikeJSON(name string, head []byte) bool {
	named := slices.ContainsFunc([]string{".json", ".jsonl", ".ndjson"}, func(ending string) bool {
		return strings.Contains(strings.ToLower(filepath.Base(name)), ending)
	})
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xEF\xBB\xBF")), " \t\r\n")
	if len(text) < 2 || text[0] != '{' && text[0] != '[' {
		return false
	}
	inside := bytes.TrimLeft(text[1:], " \t\r\n")
	if len(inside) == 0 {
		return named
	}
	if text[0] == '{' {
		return inside[0] == '"' || inside[0] == '}' || named
	}
	return inside[0] == '{' || named
}
