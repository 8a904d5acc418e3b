// Package compare finds the differences between the training file of a model and a blind file, the file
// with the rows to predict: missing and additional columns, other formats of numbers and dates, other
// ranges and new categories. Profiles compares the profiles of both files. TrainingColumns compares
// the profile of the blind file with what a model knows about its training file. Packages preflight
// and drift use package compare.
package compare
