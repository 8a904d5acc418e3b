// Package repair turns files as people have them into files as the service reads them.
// Normalize streams another layout in the canonical one: UTF-8, commas, ID first, label
// last. File corrects the defects of a file and reports each change. It is built on the
// lenient reader of csvfile and the column statistics of profile; only package preflight
// uses it.
package repair
