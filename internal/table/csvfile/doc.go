// Package csvfile reads and writes CSV files, record by record or in chunks that several
// goroutines parse. It is built on package cells, and everything that reads a table uses
// it.
//
//	Reader         reads RFC 4180 records
//	LenientReader  reads records and corrects common errors
//	Table          reads a header, then records with as many fields as the header
//	RunPipeline    reads a Table in chunks, each parsed by a worker into a ParsedChunk
//	Writer         writes records
//
// An error in a file is a *Defect, which has a code, a line and a column. A DefectLog
// counts the defects of a file.
package csvfile
