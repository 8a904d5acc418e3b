// Package check finds suspicious contents of a table: values of columns and how they are read,
// classes of the label, and first lines that look like a second header, or like data instead of a
// header. Its functions return warnings to package profile, which itself contains the checks that
// need whole profiles. The package is built on columnstats and inference; repair uses the checks of
// the header.
package check
