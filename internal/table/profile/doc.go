// Package profile describes a file without holding it in memory. Scan reads it once and
// returns a Profile, with the contents of each column, the Schema for frame.Load, and the
// defects and warnings of the file. The package joins the packages that each do a part of the work:
//
//	columnstats  collects the statistics of the columns
//	rowsample    keeps a sample of the rows
//	inference    decides what a column contains and which features it has
//	check        finds suspicious values, classes and headers
//	dupid        finds duplicate IDs
//
// The service uses it to prepare a dataset, and commands use it to check their input files. Package
// compare compares two profiles.
package profile
