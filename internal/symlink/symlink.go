// Package symlink resolves symbolic links.
package symlink

import (
	"os"
	"path/filepath"
)

// Resolve returns path or, if path is a symbolic link, the final target of the link. The target
// need not exist.
func Resolve(path string) string {
	if end, err := filepath.EvalSymlinks(path); err == nil {
		return end
	}
	const maxLinks = 40 // a chain of more links is probably a cycle
	for range maxLinks {
		target, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(target) {
			dir := filepath.Dir(path)
			if end, err := filepath.EvalSymlinks(dir); err == nil {
				dir = end // the parent of a linked folder is the parent of its target
			}
			target = filepath.Join(dir, target)
		}
		path = target
	}
	return path
}
