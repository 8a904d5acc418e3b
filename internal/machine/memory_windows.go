package machine

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// memoryStatus is MEMORYSTATUSEX of the Windows API.
type memoryStatus struct {
	length, load                                               uint32
	totalPhysical, availablePhysical, totalPage, availablePage uint64
	totalVirtual, availableVirtual, availableExtendedVirtual   uint64
}

func physicalMemory() int64 {
	status := memoryStatus{}
	status.length = uint32(unsafe.Sizeof(status))
	ok, _, _ := windows.NewLazySystemDLL("kernel32.dll").NewProc("GlobalMemoryStatusEx").Call(uintptr(unsafe.Pointer(&status)))
	if ok == 0 {
		return 0
	}
	return clampInt64(status.totalPhysical)
}

func processMemoryLimit() int64 { return 0 }
