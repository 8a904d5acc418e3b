package csvfile

import "bytes"

// SplitRecord returns the fields of a record, without their quotes. The record must be valid, with
// commas between its fields, and must not include its line end. Fields share the memory of record
// unless they have doubled quotes.
func SplitRecord(record []byte) (fields [][]byte) {
	for {
		if len(record) == 0 || record[0] != '"' {
			end := bytes.IndexByte(record, ',')
			if end < 0 {
				return append(fields, record)
			}
			fields, record = append(fields, record[:end]), record[end+1:]
			continue
		}
		end, doubled := 1, false
		for ; end < len(record); end++ {
			if record[end] != '"' {
				continue
			}
			if end+1 == len(record) || record[end+1] != '"' {
				break
			}
			doubled = true
			end++
		}
		field := record[1:min(end, len(record))]
		if doubled {
			field = bytes.ReplaceAll(field, []byte(`""`), []byte(`"`))
		}
		fields = append(fields, field)
		if end+1 >= len(record) {
			return fields
		}
		record = record[end+2:]
	}
}
