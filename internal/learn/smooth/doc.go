// Package smooth mixes the neural networks of small tables with a smooth part: a kernel logistic
// regression, whose scores are smooth functions of the columns. The smooth part is fitted in each
// fold for a grid of parameters. The parameters with the lowest log loss on the validation rows are
// chosen.
//
//	fits    the smooth parts of all folds, and the choice of their parameters
//	model   the weighted mean of networks and a smooth part
package smooth
