// Package rowsample keeps a random sample of the rows of a table in bounded memory. A Sample
// computes the medians of columns and, if it contains all rows, their exact numbers of distinct
// values. A LeakDetector computes from a Sample how accurately a single column predicts the label.
// The package is built on csvfile and spill; only package profile uses it.
package rowsample
