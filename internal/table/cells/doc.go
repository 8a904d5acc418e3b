// Package cells parses single cells: numbers, decimals, amounts with a unit, dates and
// words. It knows nothing of files, columns or other cells: what a whole column contains is
// inferred by package profile. It is the lowest package of the table and imports nothing
// of ours; csvfile, frame, profile, repair and result are built on it.
package cells
