//go:build !linux

package cmd_test

func useMemoryFolder() {}
