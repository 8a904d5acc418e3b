package blob

// DiskFull reports whether only the reserve is free on the disk of a folder, so that no
// blobs can be stored. It returns false if the free space is unknown.
func DiskFull(dir string) bool {
	free, total, err := DiskSpace(dir)
	return err == nil && free <= min(reserveBytes, total/reserveShare)
}
