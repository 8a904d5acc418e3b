package tablefile

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"foretell/internal/humanize"
	"foretell/internal/table/csvfile"
)

// convertRandomAccess converts a file in a format that needs random access: Parquet, ZIP
// or Excel. head is the beginning of the file's content. It returns false if the file has
// another format.
func (f *sourceFile) convertRandomAccess(ctx context.Context, head []byte, opts Options) (converted bool, err error) {
	isParquet, isZIP := csvfile.IsParquet(head), bytes.HasPrefix(head, []byte("PK\x03\x04")) || bytes.HasPrefix(head, []byte(emptyZIPMagic))
	if !isParquet && !isZIP {
		return false, nil
	}
	from := f.Path
	if f.compression != "" {
		var err error
		if from, err = f.unpackToTemp(ctx, opts); err != nil {
			return true, err
		}
		defer func() { _ = os.Remove(from) }() // at worst, a temporary file remains
	}
	if isParquet {
		return true, f.convertParquet(ctx, from, opts)
	}
	archive, err := zip.OpenReader(from)
	if err != nil {
		return true, &csvfile.Defect{Code: CodeInvalidFile, Message: fmt.Sprintf("the ZIP file is damaged or cut off (%v)", err)}
	}
	defer func() { _ = archive.Close() }() // it was only read
	if mainPart := findMainPart(ctx, &archive.Reader); mainPart != "" {
		return true, f.convertWorkbook(ctx, &archive.Reader, mainPart, opts)
	}
	if message := describeDocument(&archive.Reader); message != "" {
		return true, &csvfile.Defect{Code: csvfile.CodeBinary, Message: message, Line: 1, Column: 1}
	}
	if f.isMember {
		return true, &csvfile.Defect{Code: CodeInvalidFile, Message: "the ZIP file contains another ZIP file: unpack the outer one"}
	}
	return true, f.convertArchive(ctx, &archive.Reader, opts)
}

// emptyZIPMagic is the beginning of a ZIP file without members: the record that ends its directory.
const emptyZIPMagic = "PK\x05\x06"

// describeDocument returns a message about a ZIP file that is a document in an unsupported
// format, such as a Word document. It returns "" for any other ZIP file.
func describeDocument(archive *zip.Reader) string {
	for member, message := range map[string]string{
		"xl/workbook.bin":       "this is a binary Excel workbook (.xlsb): save the sheet as .xlsx or CSV",
		"word/document.xml":     "this is a Word document: save the table as .xlsx or CSV",
		"ppt/presentation.xml":  "this is a PowerPoint document: save the table as .xlsx or CSV",
		"META-INF/manifest.xml": "this is an OpenDocument file, such as .ods: save the sheet as .xlsx or CSV",
		"Index/Document.iwa":    "this is a document of Numbers, Pages or Keynote: export the table as .xlsx or CSV",
	} {
		if slices.ContainsFunc(archive.File, func(entry *zip.File) bool { return entry.Name == member }) {
			return message
		}
	}
	return ""
}

// convertArchive reads the table in a ZIP file. The ZIP file must contain only one table.
func (f *sourceFile) convertArchive(ctx context.Context, archive *zip.Reader, opts Options) error {
	var tables []*zip.File
	var names []string
	for _, entry := range archive.File {
		base := path.Base(entry.Name)
		if entry.FileInfo().IsDir() || strings.HasPrefix(base, ".") || strings.HasPrefix(entry.Name, "__MACOSX/") {
			continue
		}
		names = append(names, entry.Name)
		if hasTableExtension(base) {
			tables = append(tables, entry)
		}
	}
	if len(tables) == 0 && len(names) == 1 {
		tables = slices.DeleteFunc(slices.Clone(archive.File), func(entry *zip.File) bool { return entry.Name != names[0] })
	}
	if len(names) == 0 {
		return &csvfile.Defect{Code: CodeInvalidFile, Message: "the ZIP file is empty"}
	}
	if len(tables) != 1 {
		return &csvfile.Defect{
			Code: CodeInvalidFile, Message: fmt.Sprintf("the ZIP file contains %d tables, but must contain one; unpack it and choose one of %s", len(tables), humanize.List(names, 5)),
		}
	}
	if tables[0].Flags&1 != 0 {
		return &csvfile.Defect{Code: CodeInvalidFile, Message: "the ZIP file has a password: unpack it"}
	}
	member, err := tables[0].Open()
	if err != nil {
		return fmt.Errorf("unpacking ZIP: %w", err)
	}
	defer member.Close()
	from, err := copyToTemp(ctx, member, opts.MaxBytes)
	if err != nil {
		var defect *csvfile.Defect
		if errors.As(err, &defect) || ctx.Err() != nil {
			return err
		}
		return &csvfile.Defect{Code: CodeInvalidFile, Message: fmt.Sprintf("the ZIP file is damaged or cut off (%v)", err)}
	}
	defer func() { _ = os.Remove(from) }() // at worst, a temporary file remains
	return f.convertMember(ctx, from, opts)
}

// hasTableExtension reports whether a file name has the extension of a table format.
func hasTableExtension(name string) bool {
	name = strings.ToLower(name)
	for _, packed := range []string{".gz", ".zst"} {
		name = strings.TrimSuffix(name, packed)
	}
	return slices.Contains([]string{".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson", ".parquet", ".pq", ".xlsx", ".data", ".tab"}, path.Ext(name))
}

// convertMember reads the file at memberPath, which was unpacked from the archive f, and stores it
// in f.temp as CSV in UTF-8. Defects and warnings have the line numbers of the unpacked file.
func (f *sourceFile) convertMember(ctx context.Context, memberPath string, opts Options) error {
	member := &sourceFile{File: File{Name: f.Name, Path: memberPath}, isMember: true}
	err := member.detectAndConvert(ctx, opts)
	if err == nil && member.temp == "" {
		var done int64
		var s *stream
		if s, err = member.openCSV(&done); err == nil {
			member.temp, err = copyToTemp(ctx, io.Reader(s), opts.MaxBytes)
			err = errors.Join(err, s.Close())
			member.keepsLines = true
		}
	}
	if err != nil {
		return errors.Join(err, member.removeTemp())
	}
	f.compression = strings.TrimPrefix(f.compression+", ZIP", ", ")
	if member.compression != "" {
		f.compression += ", " + member.compression
	}
	f.charset, f.format, f.temp, f.lines, f.warnings, f.keepsLines = member.charset, member.format, member.temp, member.lines, member.warnings, member.keepsLines
	return nil
}
