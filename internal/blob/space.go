package blob

// DiskFull reports whether no blobs can be stored in a folder, because the free space of its disk
// does not exceed the space that is kept free for the database. It returns false if the free space
// is unknown.
func DiskFull(dir string) bool {
	free, total, err := DiskSpace(dir)
	return err == nil && free <= min(reserveBytes, total/reserveShare)
}
