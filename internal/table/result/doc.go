// Package result writes and verifies prediction results. A result contains the rows of a blind
// file, each with its prediction and probabilities appended. A Format appends them, Verify compares
// a result with the blind file, and Project copies some columns of a result. The package is built
// on csvfile and frame. Package learn writes results; the command line and package receipt verify
// them.
package result
