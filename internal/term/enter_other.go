//go:build !unix

package term

// failBackgroundReads does nothing, because only Unix has background processes.
func failBackgroundReads() {}
