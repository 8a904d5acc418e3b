package blob

// DiskFull reports whether no blobs can be stored, because the disk of a folder has no more free
// space than is kept free for the database. It returns false if the free space is unknown.
func DiskFull(dir string) bool {
	free, total, err := DiskSpace(dir)
	return err == nil && free <= min(reserveBytes, total/reserveShare)
}
