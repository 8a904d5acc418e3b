//go:build !unix

package term

// ignoreBackgroundReads does nothing, because only Unix has background processes.
func ignoreBackgroundReads() {}
