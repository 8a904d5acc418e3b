package model

// Encode and PredictRows give the tests of explanations, which train models with package learn,
// the functions that package explain uses.
var (
	Encode      = (*Model).encode
	PredictRows = (*Model).predict
)
