package blob

// IsDiskFull reports whether the disk of a folder has no space for blobs. The space that is
// reserved for the database does not count as free. If the free space is unknown, IsDiskFull
// returns false.
func IsDiskFull(dir string) bool {
	free, total, err := DiskSpace(dir)
	return err == nil && free <= min(maxReservedBytes, total/reservedDiskDivisor)
}
