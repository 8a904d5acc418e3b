// Package compare finds the differences between the training file of a model and a blind file, which
// has the rows to predict. It compares the profiles of the files: missing and additional columns, other
// formats of numbers and dates, other ranges and new categories. Profiles compares two profiles.
// KnownColumns needs only what a model knows of its training file. The package is built on profile;
// only package preflight uses it.
package compare
