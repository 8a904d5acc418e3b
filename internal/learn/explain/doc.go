// Package explain explains the predictions of trained models. It works with every
// algorithm, because it uses only the predicted probabilities and the interface Rows of
// package shapley.
//
//	explanation    what each column adds to the probability of a class for one row
//	dates          rows with differences of dates, for explanation
//	background     the rows with which an explained row is compared, in a model file
//	file           explanations of the rows of a CSV
//	reasons        the columns that contribute most, as text
//	training_rows  whether a file contains background rows, which are training rows
//	validation     the validation rows and fold models that the following files use
//	importance     permutation importance of the columns
//	partial_dependence   the mean prediction as a function of one column
//	interaction    how much the effects of two columns depend on each other
package explain
