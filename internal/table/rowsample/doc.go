// Package rowsample keeps a random sample of the rows of a table in bounded memory. From a Sample are
// computed the medians of columns, their exact numbers of distinct values if the sample has all
// rows, and, by a LeakDetector, how accurately a single column predicts the label. The package is
// built on csvfile and spill; only package profile uses it.
package rowsample
