package model

// Encode and PredictRows export the methods that package explain uses, for the tests of
// explanations. These tests are outside this package, because they train models with package learn.
var (
	Encode      = (*Model).encode
	PredictRows = (*Model).predict
)
