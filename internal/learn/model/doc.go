// Package model predicts with trained models, explains their predictions, and reads and
// writes model files. Package learn trains the models.
//
//	model          the model: a weighted mean of predictors, with a temperature
//	predictor      what one algorithm has trained, and its weight in a model
//	algorithm      the algorithms of model files, and how to read their predictors
//	features       the features of a predictor that is not trained on all columns
//	text_models    scores of texts as features
//	text_memo      scores of texts that several members of a blend share
//	predict        prediction of a CSV
//	explain        the model in the form that package explain uses
//	file, file_features   the binary form of a model
//	stored         a single predictor in its binary form
//	onnx           the model in the ONNX format
package model
