// Package profile describes a file without holding it in memory: Scan reads it once and
// returns a Profile, with the contents of each column, the Schema for frame.Load, and the
// defects and warnings of the file. Compare finds what differs between the profiles of a
// training file and a blind file. The package is built on csvfile, frame and dupid; the
// service prepares a dataset with it, commands check their input files with it, and package
// repair uses its statistics.
package profile
