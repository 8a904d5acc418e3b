//go:build !linux && !darwin && !windows

package machine

func physicalMemory() int64 { return 0 }

func processMemoryLimit() int64 { return 0 }
