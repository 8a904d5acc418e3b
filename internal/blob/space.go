package blob

// IsDiskFull reports whether the disk of a folder of blobs has no free space except that reserved
// for the database, so that no blob can be stored. It returns false if the free space is unknown.
func IsDiskFull(dir string) bool {
	free, total, err := DiskSpace(dir)
	return err == nil && free <= min(reserveBytes, total/reserveShare)
}
