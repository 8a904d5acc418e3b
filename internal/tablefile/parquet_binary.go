package tablefile

import (
	"bytes"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
)

// maxBinaryRows is the number of rows in which findBinaryLeaves looks for values that are not texts.
const maxBinaryRows = 1000

// findBinaryLeaves returns which leaves of the schema have a value that is not a text in one of the
// first rows, such as the bytes of a picture. It examines only the leaves whose texts are not
// marked as texts in the schema. It ignores errors, because the conversion then reports them.
func findBinaryLeaves(file *parquet.File) map[int]bool {
	var unmarked []bool // by leaf
	hasUnmarked := false
	var visit func(column *parquet.Column)
	visit = func(column *parquet.Column) {
		for _, child := range column.Columns() {
			visit(child)
		}
		if column.Leaf() {
			t := column.Type()
			isUnmarked := t.Kind() == parquet.ByteArray && t.LogicalType() == nil && t.ConvertedType() == nil
			unmarked, hasUnmarked = append(unmarked, isUnmarked), hasUnmarked || isUnmarked
		}
	}
	if visit(file.Root()); !hasUnmarked {
		return nil
	}
	binary, buf := make(map[int]bool), make([]parquet.Row, 64)
	read := 0
	for _, group := range file.RowGroups() {
		if read >= maxBinaryRows {
			break
		}
		rows := group.Rows()
		for read < maxBinaryRows {
			n, err := rows.ReadRows(buf)
			for _, row := range buf[:n] {
				for _, v := range row {
					if at := v.Column(); at >= 0 && at < len(unmarked) && unmarked[at] && !v.IsNull() && !isText(v.ByteArray()) {
						binary[at] = true
					}
				}
			}
			if read += n; err != nil || n == 0 {
				break
			}
		}
		if rows.Close() != nil {
			return nil
		}
	}
	return binary
}

func isText(value []byte) bool { return utf8.Valid(value) && bytes.IndexByte(value, 0) < 0 }
