// Package inference decides what a column contains, from its statistics. It decides the Form of the
// column, such as numbers or dates, the format in which the cells are read, and the features that
// are made from them. It does not use the labels. Infer looks at one column. Resolve decides
// ambiguous dates and numbers with the other columns of the table. The package is built on
// columnstats and frame; check, profile and compare use its results.
package inference
