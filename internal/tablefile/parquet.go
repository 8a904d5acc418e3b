package tablefile

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"foretell/internal/humanize"
	"foretell/internal/table/csvfile"
)

// pandasIndexPrefix is the prefix of the names of index columns in files written by pandas.
const pandasIndexPrefix = "__index_level_"

type parquetColumn struct {
	name       string
	leaf       int // index of the column among the leaves of the schema
	appendText func(dst []byte, v parquet.Value) ([]byte, error)
}

// convertParquet converts the Parquet file at path to a temporary CSV file, one row group at a time; see
// convert.
func (f *sourceFile) convertParquet(ctx context.Context, path string, opts Options) error {
	src, err := os.Open(path)
	if err != nil {
		return err
	}
	defer src.Close()
	info, err := src.Stat()
	if err != nil {
		return err
	}
	f.format = "Parquet"
	return f.convert(ctx, opts, func(w *limitedTempCSV) error {
		if err := checkParquetFooter(src, info.Size()); err != nil {
			return damagedParquetError(err)
		}
		file, err := parquet.OpenFile(src, info.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
		if err != nil {
			return damagedParquetError(err)
		}
		if err := checkParquetCodecs(file.Metadata()); err != nil {
			return err
		}
		if err := checkParquetPages(ctx, src, info.Size(), file.Metadata()); err != nil {
			return errors.Join(ctx.Err(), damagedParquetError(err))
		}
		columns, leaves, err := f.parquetColumns(file)
		if err != nil {
			return err
		}
		if groups := len(file.RowGroups()); groups > 1 {
			f.format = fmt.Sprintf("Parquet (%d row groups)", groups)
		}
		names := make([]string, len(columns))
		for i, c := range columns {
			names[i] = c.name
		}
		if err := w.writeRecord(names, 0); err != nil {
			return err
		}
		for _, group := range file.RowGroups() {
			if err := writeRowGroup(w, group, columns, leaves); err != nil {
				return err
			}
		}
		return nil
	})
}

// checkParquetFooter returns an error if the file does not end like a Parquet file, or if its footer
// claims to be longer than the file. The library would allocate memory of the claimed length.
func checkParquetFooter(src io.ReaderAt, size int64) error {
	var tail [8]byte
	if size < 12 {
		return io.ErrUnexpectedEOF
	}
	if _, err := src.ReadAt(tail[:], size-8); err != nil {
		return err
	}
	if string(tail[4:]) != "PAR1" {
		return errors.New("the file does not end with PAR1")
	}
	if n := int64(binary.LittleEndian.Uint32(tail[:])); n > size-12 {
		return fmt.Errorf("the footer of %d bytes is longer than the file", n)
	}
	return nil
}

func damagedParquetError(err error) error {
	return &csvfile.Defect{Code: CodeInvalidFile, Message: fmt.Sprintf("the Parquet file is damaged or cut off (%v)", err)}
}

// parquetColumns returns the columns that have one value per row, beginning with the index of
// pandas, and the number of leaves of the schema. It warns about the other columns, which are
// omitted. It is an error if no column is left.
func (f *sourceFile) parquetColumns(file *parquet.File) (columns []parquetColumn, leaves int, err error) {
	var index []parquetColumn
	var lists []string
	var visit func(column *parquet.Column, repeated bool)
	binary := findBinaryLeaves(file)
	visit = func(column *parquet.Column, repeated bool) {
		repeated = repeated || column.Repeated()
		if !column.Leaf() {
			for _, child := range column.Columns() {
				visit(child, repeated)
			}
			return
		}
		at := leaves
		leaves++
		name := strings.Join(column.Path(), ".")
		text := cellFormatter(column.Type())
		switch {
		case repeated || text == nil || binary[at]:
			lists = append(lists, name)
		case strings.HasPrefix(name, pandasIndexPrefix):
			index = append(index, parquetColumn{name, at, text})
		default:
			columns = append(columns, parquetColumn{name, at, text})
		}
	}
	visit(file.Root(), false)
	if len(lists) > 0 {
		f.warn(csvfile.Warning{Code: CodeNested, Message: "columns of lists, or of values that are neither texts nor numbers, are omitted: " + humanize.List(lists, 5)})
	}
	if columns = append(index, columns...); len(columns) == 0 { // the index comes first, as in CSV written by pandas
		return nil, 0, &csvfile.Defect{Code: CodeNested, Message: "no column has one value per row"}
	}
	return columns, leaves, nil
}

// writeRowGroup writes the rows of a row group to w. A Parquet file has no lines, so the number of
// a row in the file is used as its line. leaves is the number of leaves of the schema.
func writeRowGroup(w *limitedTempCSV, group parquet.RowGroup, columns []parquetColumn, leaves int) (err error) {
	rows := group.Rows()
	defer func() { err = errors.Join(err, rows.Close()) }()
	buf := make([]parquet.Row, 64)
	cells := make([]parquet.Value, leaves)
	var text []byte
	read := int64(0)
	for {
		n, err := rows.ReadRows(buf)
		read += int64(n)
		for _, row := range buf[:n] {
			clear(cells)
			for _, value := range row {
				if at := value.Column(); at >= 0 && at < leaves {
					cells[at] = value
				}
			}
			for _, c := range columns {
				text = text[:0]
				v := cells[c.leaf]
				if v.Column() != c.leaf {
					return damagedParquetError(fmt.Errorf("row %d has no value of column %s", w.rows, c.name))
				}
				if !v.IsNull() {
					var fault error
					if text, fault = c.appendText(text, v); fault != nil {
						return &csvfile.Defect{Code: CodeInvalidFile, Line: w.rows, Name: c.name, Message: fault.Error()}
					}
				}
				w.writeField(text)
			}
			if err := w.endRecord(w.rows); err != nil { // w.rows includes the header, so rows are numbered from 1
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF) && read != group.NumRows():
			return damagedParquetError(fmt.Errorf("only %d of %d rows were found", read, group.NumRows()))
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return damagedParquetError(err)
		case n == 0:
			return damagedParquetError(io.ErrNoProgress)
		}
	}
}

// cellFormatter returns a function that appends the text of a value of type t to dst. It returns nil
// if the values have no form as a text, such as BSON documents. This is also so for 16-bit numbers,
// because the library does not return their type.
func cellFormatter(t parquet.Type) func(dst []byte, v parquet.Value) ([]byte, error) {
	if logical := t.LogicalType(); logical != nil {
		switch l := logical.Value.(type) {
		case *format.DecimalType:
			return func(dst []byte, v parquet.Value) ([]byte, error) { return appendDecimal(dst, v, int(l.Scale)), nil }
		case *format.DateType:
			return func(dst []byte, v parquet.Value) ([]byte, error) {
				return time.Unix(int64(v.Int32())*86400, 0).UTC().AppendFormat(dst, time.DateOnly), nil
			}
		case *format.TimestampType:
			unit := unitDuration(l.Unit)
			return func(dst []byte, v parquet.Value) ([]byte, error) {
				dst = appendTimestamp(dst, v.Int64(), unit)
				if l.IsAdjustedToUTC { // a moment, and not a local time
					dst = append(dst, 'Z')
				}
				return dst, nil
			}
		case *format.TimeType:
			unit := unitDuration(l.Unit)
			return func(dst []byte, v parquet.Value) ([]byte, error) {
				count := v.Int64()
				if v.Kind() == parquet.Int32 {
					count = int64(v.Int32())
				}
				return time.Unix(0, count*int64(unit)).UTC().AppendFormat(dst, "15:04:05.999999999"), nil
			}
		case *format.IntType:
			if !l.IsSigned {
				return func(dst []byte, v parquet.Value) ([]byte, error) {
					if v.Kind() == parquet.Int32 {
						return strconv.AppendUint(dst, uint64(v.Uint32()), 10), nil
					}
					return strconv.AppendUint(dst, v.Uint64(), 10), nil
				}
			}
		case *format.UUIDType:
			return func(dst []byte, v parquet.Value) ([]byte, error) {
				b := hex.EncodeToString(v.ByteArray())
				if len(b) != 32 {
					return dst, errors.New("a value is not a UUID")
				}
				return fmt.Appendf(dst, "%s-%s-%s-%s-%s", b[:8], b[8:12], b[12:16], b[16:20], b[20:]), nil
			}
		case *format.NullType: // pandas writes a column without a value in this way
			return func(dst []byte, _ parquet.Value) ([]byte, error) { return dst, nil }
		case *format.BsonType, *format.GeometryType, *format.GeographyType:
			return nil
		}
	}
	return physicalFormatter(t.Kind())
}

// physicalFormatter is cellFormatter for a column without a logical type.
func physicalFormatter(kind parquet.Kind) func(dst []byte, v parquet.Value) ([]byte, error) {
	switch kind {
	case parquet.Boolean:
		return func(dst []byte, v parquet.Value) ([]byte, error) { return strconv.AppendBool(dst, v.Boolean()), nil }
	case parquet.Int32:
		return func(dst []byte, v parquet.Value) ([]byte, error) {
			return strconv.AppendInt(dst, int64(v.Int32()), 10), nil
		}
	case parquet.Int64:
		return func(dst []byte, v parquet.Value) ([]byte, error) { return strconv.AppendInt(dst, v.Int64(), 10), nil }
	case parquet.Int96: // a timestamp, as old programs write it
		return func(dst []byte, v parquet.Value) ([]byte, error) {
			const unixEpoch = 2_440_588 // 1 January 1970 as a Julian day
			i := v.Int96()
			day, nanos := int64(i[2])-unixEpoch, int64(i[1])<<32|int64(i[0])
			return appendTime(dst, time.Unix(day*86400, nanos)), nil
		}
	case parquet.Float:
		return func(dst []byte, v parquet.Value) ([]byte, error) {
			return appendFloat(dst, float64(v.Float()), 32), nil
		}
	case parquet.Double:
		return func(dst []byte, v parquet.Value) ([]byte, error) { return appendFloat(dst, v.Double(), 64), nil }
	case parquet.ByteArray:
		return func(dst []byte, v parquet.Value) ([]byte, error) {
			if !utf8.Valid(v.ByteArray()) {
				return dst, errors.New("the value is not UTF-8 text: remove the column from the file")
			}
			return append(dst, v.ByteArray()...), nil
		}
	}
	return nil
}

func unitDuration(unit format.TimeUnit) time.Duration {
	switch unit.Value.(type) {
	case *format.MilliSeconds:
		return time.Millisecond
	case *format.MicroSeconds:
		return time.Microsecond
	}
	return time.Nanosecond
}

// appendTimestamp appends the time that is count units after 1 January 1970, in UTC and in the form
// 2006-01-02 15:04:05.5.
func appendTimestamp(dst []byte, count int64, unit time.Duration) []byte {
	perSecond := int64(time.Second / unit)
	return appendTime(dst, time.Unix(count/perSecond, count%perSecond*int64(unit)))
}

func appendTime(dst []byte, t time.Time) []byte {
	return t.UTC().AppendFormat(dst, "2006-01-02 15:04:05.999999999")
}

// appendFloat appends value in the format of encoding/json, but an exponent has at least two
// digits, as in 1e-07. It appends nothing for NaN, and +Inf or -Inf for an infinite value. bits is
// 32 or 64, as for strconv.AppendFloat.
func appendFloat(dst []byte, value float64, bits int) []byte {
	switch size := math.Abs(value); {
	case math.IsNaN(value):
		return dst
	case size != 0 && (size < 1e-6 || size >= 1e21):
		return strconv.AppendFloat(dst, value, 'e', -1, bits)
	}
	return strconv.AppendFloat(dst, value, 'f', -1, bits)
}

// appendDecimal appends the integer v divided by 10^scale.
func appendDecimal(dst []byte, v parquet.Value, scale int) []byte {
	var n big.Int
	switch v.Kind() {
	case parquet.Int32:
		n.SetInt64(int64(v.Int32()))
	case parquet.Int64:
		n.SetInt64(v.Int64())
	default: // two's complement, the highest byte first
		b := v.ByteArray()
		if n.SetBytes(b); len(b) > 0 && b[0] >= 0x80 {
			n.Sub(&n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
		}
	}
	digits := n.Text(10)
	if n.Sign() < 0 {
		dst, digits = append(dst, '-'), digits[1:]
	}
	if scale <= 0 {
		return append(dst, digits...)
	}
	if missing := scale + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	dst = append(dst, digits[:len(digits)-scale]...)
	return append(append(dst, '.'), digits[len(digits)-scale:]...)
}
