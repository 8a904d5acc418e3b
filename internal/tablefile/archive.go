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

	"foretell/internal/table/csvfile"
)

// randomAccess reads a file in a format that needs random access, and reports whether head
// is the beginning of one.
func (p *sourceFile) randomAccess(ctx context.Context, head []byte, opts Options) (bool, error) {
	isParquet, isZIP := bytes.HasPrefix(head, []byte("PAR1")), bytes.HasPrefix(head, []byte("PK\x03\x04"))
	if !isParquet && !isZIP {
		return false, nil
	}
	from := p.Path
	if p.compression != "" {
		var err error
		if from, err = p.unpacked(ctx, opts); err != nil {
			return true, err
		}
		defer func() { _ = os.Remove(from) }() // it is in the folder for temporary files
	}
	if isParquet {
		return true, p.convertParquet(ctx, from, opts)
	}
	archive, err := zip.OpenReader(from)
	if err != nil {
		return true, &csvfile.Defect{Code: CodeInvalidFile, Message: fmt.Sprintf("the ZIP file is damaged, is it cut off? (%v)", err)}
	}
	defer func() { _ = archive.Close() }() // it was only read
	if slices.ContainsFunc(archive.File, func(f *zip.File) bool { return f.Name == "xl/workbook.xml" }) {
		return true, p.convertWorkbook(ctx, &archive.Reader, opts)
	}
	if p.member {
		return true, &csvfile.Defect{Code: CodeInvalidFile, Message: "there is a ZIP file in the ZIP file: unpack it"}
	}
	return true, p.convertArchive(ctx, &archive.Reader, opts)
}

// convertArchive reads the one table in a ZIP file.
func (p *sourceFile) convertArchive(ctx context.Context, archive *zip.Reader, opts Options) error {
	var tables []*zip.File
	var names []string
	for _, f := range archive.File {
		base := path.Base(f.Name)
		if f.FileInfo().IsDir() || strings.HasPrefix(base, ".") || strings.HasPrefix(f.Name, "__MACOSX/") {
			continue
		}
		names = append(names, f.Name)
		if isTableName(base) {
			tables = append(tables, f)
		}
	}
	if len(tables) == 0 && len(names) == 1 {
		tables = slices.DeleteFunc(slices.Clone(archive.File), func(f *zip.File) bool { return f.Name != names[0] })
	}
	if len(names) == 0 {
		return &csvfile.Defect{Code: CodeInvalidFile, Message: "there is no file in the ZIP file"}
	}
	if len(tables) != 1 {
		return &csvfile.Defect{
			Code: CodeInvalidFile, Message: fmt.Sprintf("the ZIP file holds %d tables, not one: unpack it and name one of %s", len(tables), shortList(names)),
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
		return &csvfile.Defect{Code: CodeInvalidFile, Message: fmt.Sprintf("the ZIP file is damaged, is it cut off? (%v)", err)}
	}
	defer func() { _ = os.Remove(from) }() // it is in the folder for temporary files
	return p.readMember(ctx, from, opts)
}

// isTableName reports whether a name is that of a table.
func isTableName(name string) bool {
	name = strings.ToLower(name)
	for _, packed := range []string{".gz", ".zst"} {
		name = strings.TrimSuffix(name, packed)
	}
	return slices.Contains([]string{".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson", ".parquet", ".pq", ".xlsx", ".data", ".tab"}, path.Ext(name))
}

// readMember reads the file packed in this one. The table is stored as CSV in UTF-8 with
// the lines of the packed file.
func (p *sourceFile) readMember(ctx context.Context, from string, opts Options) error {
	member := &sourceFile{File: File{Name: p.Name, Path: from}, member: true}
	err := member.inspect(ctx, opts)
	if err == nil && member.temp == "" {
		var done int64
		var s *stream
		if s, err = member.open(&done); err == nil {
			member.temp, err = copyToTemp(ctx, io.Reader(s), opts.MaxBytes)
			err = errors.Join(err, s.Close())
			member.keepsLines = true
		}
	}
	if err != nil {
		return errors.Join(err, member.discard())
	}
	p.compression = strings.TrimPrefix(p.compression+", ZIP", ", ")
	if member.compression != "" {
		p.compression += ", " + member.compression
	}
	p.charset, p.format, p.temp, p.lines, p.warnings, p.keepsLines = member.charset, member.format, member.temp, member.lines, member.warnings, member.keepsLines
	return nil
}
