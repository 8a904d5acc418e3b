// Package repair converts files to the canonical form that the service reads: UTF-8, commas,
// ID first, label last. Normalize does so while a file is read. File writes a copy with
// corrected defects and reports each change. The package is built on the LenientReader of
// csvfile and the column statistics of profile; only package preflight uses it.
package repair
