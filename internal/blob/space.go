package blob

// DiskFull reports whether the disk of a folder has no more than the reserve left, so
// that blobs cannot be stored. It returns false if that is unknown.
func DiskFull(dir string) bool {
	free, total, err := DiskSpace(dir)
	return err == nil && free <= min(reserveBytes, total/reserveShare)
}
