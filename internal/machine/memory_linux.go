package machine

import (
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

func physicalMemory() int64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	return clampInt64(uint64(info.Totalram) * uint64(info.Unit)) //nolint:unconvert // the type depends on the processor
}

func processMemoryLimit() int64 { return controlGroupLimit(os.DirFS("/")) }

// controlGroupLimit returns the lowest memory limit in bytes of the control groups (version 1 or 2)
// to which the process belongs. It returns 0 if there is no limit. root is the root of
// the file system.
func controlGroupLimit(root fs.FS) int64 {
	groups, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return 0
	}
	lowest := int64(0)
	for line := range strings.Lines(string(groups)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) != 3 {
			continue
		}
		mount, file := "sys/fs/cgroup", "memory.max" // version 2
		if fields[0] != "0" {
			if mount, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"; fields[1] != "memory" {
				continue
			}
		}
		// In a container, the path may be the path on the host, although the group is mounted at
		// the root. Therefore all parents of the path are tried, too.
		for group := path.Clean("/" + fields[2]); ; group = path.Dir(group) {
			if limit := readLimit(root, path.Join(mount, group, file)); limit > 0 && (lowest == 0 || limit < lowest) {
				lowest = limit
			}
			if group == "/" {
				break
			}
		}
	}
	return lowest
}

// readLimit returns the memory limit, in bytes, in a file of a control group. It returns 0 if
// the file is missing, or if it contains "max", which means no limit.
func readLimit(root fs.FS, name string) int64 {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0
	}
	limit, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		return 0
	}
	return limit
}
