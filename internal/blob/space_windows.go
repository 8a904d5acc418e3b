package blob

import "golang.org/x/sys/windows"

// DiskSpace returns the free and total bytes of the disk of a folder.
func DiskSpace(dir string) (free, total uint64, err error) {
	path, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, 0, err
	}
	err = windows.GetDiskFreeSpaceEx(path, &free, &total, nil)
	return free, total, err
}
