// Package smooth adds a second part to the neural networks of small tables: a kernel
// logistic regression, whose scores are smooth functions of the columns. This regression
// is fitted in each fold for a grid of parameters, and the parameters with the lowest log
// loss on the validation rows are chosen.
//
//	fits    the smooth parts of all folds, and the choice of their parameters
//	model   the weighted mean of networks and a smooth part
package smooth
