//go:build !linux

package e2e_test

func useMemoryFolder() {}
