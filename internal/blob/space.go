package blob

// IsDiskFull reports whether the disk of a folder has no space left for blobs. Some space is
// reserved for the database; see checkSpace. If the free space is unknown, IsDiskFull returns
// false.
func IsDiskFull(dir string) bool {
	free, total, err := DiskSpace(dir)
	return err == nil && free <= min(maxReservedBytes, total/reservedDiskDivisor)
}
