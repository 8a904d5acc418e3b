//go:build !linux && !darwin

package machine

// FileSizeLimit returns 0, because the limit on the size of files is unknown.
func FileSizeLimit() uint64 { return 0 }
