package machine

import (
	"testing"
	"testing/fstest"
)

func TestControlGroupLimit(t *testing.T) {
	tests := []struct {
		name  string
		files map[string]string
		want  int64
	}{
		{"no groups", nil, 0},
		{"no limit", map[string]string{"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": "max\n"}, 0},
		{"the limit of a parent", map[string]string{"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/memory.max": "100\n", "sys/fs/cgroup/a/b/memory.max": "200\n"}, 100},
		{"a container sees its group at the top", map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "300\n"}, 300},
		{"version 1", map[string]string{
			"proc/self/cgroup": "5:cpu:/x\n4:memory:/docker/1\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "400\n", "sys/fs/cgroup/cpu/x/memory.limit_in_bytes": "1\n",
		}, 400},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := fstest.MapFS{}
			for name, text := range tt.files {
				root[name] = &fstest.MapFile{Data: []byte(text)}
			}
			if got := controlGroupLimit(root); got != tt.want {
				t.Errorf("%d, want %d", got, tt.want)
			}
		})
	}
	if Memory() < 1<<20 {
		t.Errorf("this machine has %d bytes", Memory())
	}
}
