// Package result writes and verifies prediction results: the rows of a blind file, each
// with its prediction and probabilities appended. A Format appends them, Verify checks a
// result row by row against the blind file, and Project keeps some columns of one. It is
// built on csvfile and frame; package learn writes results, and the command line and
// package receipt verify them.
package result
