// Package repair converts files to the canonical form that the service reads: UTF-8,
// fields separated by commas, the ID in the first column, the label in the last.
// Normalize converts a file while it is read. File writes a copy with corrected defects
// and reports each change. The package is built on the LenientReader of csvfile and the
// statistics of columnstats; only package preflight uses it.
package repair
