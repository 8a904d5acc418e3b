// Package csvfile reads and writes CSV files, record by record or in chunks that several
// goroutines parse. It is built on package cells, and everything that reads a table uses it.
//
//	Reader         records of RFC 4180, and nothing else
//	LenientReader  the same, with common errors corrected
//	Table          a header and records of its length
//	RunPipeline    the chunks of a Table, parsed by several workers to a ParsedChunk each
//	Writer         records to CSV
//
// An error in a file is a *Defect, which has a code, a line and a column. A DefectLog
// counts many of them.
package csvfile
