// Package profile describes a file without holding it in memory. Scan reads it once and
// returns a Profile, with the contents of each column, the Schema for frame.Load, and the
// defects and warnings of the file. Compare finds the differences between a training file
// and a blind file. The package is built on csvfile, frame and dupid. The service uses it
// to prepare a dataset, commands use it to check their input files, and package repair uses
// its statistics.
package profile
