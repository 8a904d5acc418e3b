// Package check finds what is suspicious in a table: in the values of a column and how they are read,
// in the classes of the label, and in the first lines, which may be a second header or no header.
// Its functions return warnings for package profile, which adds checks that need whole profiles.
// The package is built on columnstats and inference; repair uses the checks of the header.
package check
