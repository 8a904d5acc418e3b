package tablefile

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"foretell/internal/table/csvfile"
)

// Limits of a page of a Parquet file. Usual pages have about 1 MiB.
const (
	maxPageBytes  = 128 << 20
	maxPageValues = 16 << 20
)

// checkParquetCodecs returns an error if a column is compressed with LZ4, LZO or LZ4_RAW. The
// library does not read LZ4 and LZO, and returns wrong contents for some pages in LZ4_RAW.
func checkParquetCodecs(meta *format.FileMetaData) error {
	for _, group := range meta.RowGroups {
		for i := range group.Columns {
			switch codec := group.Columns[i].MetaData.Codec; codec {
			case format.Lz4Raw, format.Lz4, format.LZO:
				name, _, _ := strings.Cut(codec.String(), "_")
				return &csvfile.Defect{Code: CodeInvalidFile, Message: "the compression " + name + " is not supported: write the Parquet file with Snappy or Zstandard"}
			}
		}
	}
	return nil
}

// checkParquetPages returns an error if page headers claim too much memory, or more bytes than the
// file has. The library allocates the claimed memory before it reads a page.
func checkParquetPages(ctx context.Context, src io.ReaderAt, size int64, meta *format.FileMetaData) error {
	for _, group := range meta.RowGroups {
		for i := range group.Columns {
			if err := ctx.Err(); err != nil {
				return err
			}
			chunk := &group.Columns[i].MetaData
			begin := chunk.DataPageOffset
			if chunk.DictionaryPageOffset != 0 {
				begin = chunk.DictionaryPageOffset
			}
			if begin < 0 || chunk.TotalCompressedSize < 0 || begin > size-chunk.TotalCompressedSize {
				return fmt.Errorf("a column has %d bytes from byte %d on, but the file is shorter", chunk.TotalCompressedSize, begin)
			}
			if err := checkColumnPages(ctx, io.NewSectionReader(src, begin, chunk.TotalCompressedSize)); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkColumnPages is checkParquetPages for the page headers of one column chunk.
func checkColumnPages(ctx context.Context, chunk *io.SectionReader) error {
	var protocol thrift.CompactProtocol
	in := bufio.NewReaderSize(chunk, 1<<10)
	for at := int64(0); at < chunk.Size(); {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := chunk.Seek(at, io.SeekStart); err != nil {
			return err
		}
		in.Reset(chunk)
		var header format.PageHeader
		if err := thrift.NewDecoder(protocol.NewReader(in)).Decode(&header); err != nil {
			return fmt.Errorf("reading a page header: %w", eofAsUnexpected(err))
		}
		read, err := chunk.Seek(0, io.SeekCurrent)
		if err != nil {
			return err
		}
		at = read - int64(in.Buffered()) + int64(header.CompressedPageSize)
		values := max(header.DataPageHeader.V.NumValues, header.DataPageHeaderV2.V.NumValues, header.DictionaryPageHeader.V.NumValues)
		switch {
		case header.CompressedPageSize < 0 || at > chunk.Size():
			return errors.New("a page is longer than its column")
		case header.UncompressedPageSize > maxPageBytes:
			return fmt.Errorf("a page has %d bytes after decompression; the limit is %d", header.UncompressedPageSize, maxPageBytes)
		case values > maxPageValues:
			return fmt.Errorf("a page has %d values; the limit is %d", values, maxPageValues)
		}
	}
	return nil
}
