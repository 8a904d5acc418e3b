package blob

import "golang.org/x/sys/windows"

// Space returns how many bytes can still be written to the disk of a folder, and
// the size of that disk.
func Space(dir string) (free, total uint64, err error) {
	path, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, 0, err
	}
	err = windows.GetDiskFreeSpaceEx(path, &free, &total, nil)
	return free, total, err
}
