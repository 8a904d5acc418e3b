package csvfile

// IsIDWord reports whether a column name is only a word for an ID: id, uuid, guid or row_id. Case
// and separators are ignored.
func IsIDWord(name string) bool {
	switch NormalizeName(name) {
	case "id", "uuid", "guid", "rowid":
		return true
	}
	return false
}
