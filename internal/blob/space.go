package blob

// IsDiskFull reports whether the disk of a folder of blobs is full, so that no blob can be stored.
// The space that is reserved for the database does not count as free. IsDiskFull returns false if
// the free space is unknown.
func IsDiskFull(dir string) bool {
	free, total, err := DiskSpace(dir)
	return err == nil && free <= min(reserveBytes, total/reserveShare)
}
