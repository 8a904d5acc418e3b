// Package cells parses single cells: numbers, decimals, amounts with a unit, dates and
// words, and hashes of them. It knows nothing about files, columns or other cells; package
// inference infers what a whole column contains. It imports no other package of this module;
// csvfile, frame, columnstats, inference, repair and result are built on it.
package cells
