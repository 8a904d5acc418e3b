//go:build !windows

package blob

import "syscall"

var fullErrors = []error{syscall.ENOSPC, syscall.EDQUOT}
