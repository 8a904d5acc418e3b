// Package compare finds the differences between the training file and a blind file of a model, from
// their profiles: missing and additional columns, other formats of numbers and dates, other ranges
// and new categories. Profiles compares two profiles. KnownColumns needs only what a model knows of
// its training file. The package is built on profile; only package preflight uses it.
package compare
