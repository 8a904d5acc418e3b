package api

// Algorithms lists the four algorithms for a number of classes, in the order
// in which they are shown. B… is for two classes, M… for more.
func Algorithms(classes int) []string {
	if classes > 2 {
		return []string{"MSEV01", "MFIF01", "MSIX01", "MSEV02"}
	}
	return []string{"BSEV01", "BFIF01", "BSIX01", "BSEV02"}
}
