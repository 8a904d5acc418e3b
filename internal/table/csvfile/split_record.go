package csvfile

import "bytes"

// SplitRecord appends the fields of a record to dst, without their quotes. The record must
// be valid and must not include its line end. Fields share the memory of record unless
// they have doubled quotes.
func SplitRecord(dst [][]byte, record []byte, delim byte) [][]byte {
	for {
		if len(record) == 0 || record[0] != '"' {
			end := bytes.IndexByte(record, delim)
			if end < 0 {
				return append(dst, record)
			}
			dst, record = append(dst, record[:end]), record[end+1:]
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
		dst = append(dst, field)
		if end+1 >= len(record) {
			return dst
		}
		record = record[end+2:]
	}
}
