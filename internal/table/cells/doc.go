// Package cells parses single cells: numbers, decimals, amounts with a unit, dates and
// words. It knows nothing about files, columns or other cells; package profile infers what
// a whole column contains. It imports no other package of this module; csvfile, frame,
// profile, repair and result are built on it.
package cells
