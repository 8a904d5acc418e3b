package machine

import "golang.org/x/sys/unix"

func physicalMemory() int64 {
	n, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return 0
	}
	return clampInt64(n)
}

func processMemoryLimit() int64 { return 0 }
