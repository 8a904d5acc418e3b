// Package columnstats collects the statistics of the columns of a table in one pass, in bounded
// memory. It counts the distinct texts of a column and its cells of each kind, and computes the
// statistics and the histogram of its numbers.
//
//	Collector    adds rows, one by one
//	ChunkColumn  is what a worker computes from a chunk before the chunk is added
//	Column       has the statistics of one column
//	Value        is a distinct text with its number of rows
//
// When the texts of all columns take too much memory, the rarest are removed. The number of
// distinct texts is then an estimate, and the column keeps a sample of its texts and counts how
// many rows can be read in each way as dates or amounts. The package is built on cells, csvfile and
// frame. Package inference decides from the statistics what a column contains; check, profile and
// repair use them, too.
package columnstats
