// Package rbf trains a kernel logistic regression: a classifier whose scores are
// smooth functions of the columns. On small tables of numbers it often predicts
// better than trees and networks, and its errors differ from theirs.
//
//	input    the columns as vectors of numbers
//	cholesky the kernel of the training rows as a few features
//	fit      penalised logistic regression on the features
//	cost     the estimated time of a fit
//	memory   the estimated memory of a fit
//	model    the scores of new rows
//	codec    the binary form of a model
//	onnx     export to ONNX
//	path     predictions for explanations
//
// # The model
//
// The score of class c of a row x is a sum over some of the training rows z, the
// centres:
//
//	f_c(x) = b_c + Σ_z α_zc · exp(−γ·|x − z|²)
//
// The probabilities are the softmax of the scores. Two classes have one score, that of the second
// class. The coefficients should minimise the log loss plus the penalty λ/2 · Σ_c α_cᵀ·K·α_c, where
// K is the kernel between the centres (Zhu and Hastie 2005, "Kernel logistic regression and the
// import vector machine"). A fit does a fixed number of steps towards this minimum. The scores at
// the minimum are also the most probable function of a Gaussian process with covariance exp(−γ·|x −
// z|²)/λ. With small λ, the steps end before the minimum (early stopping).
//
// The caller chooses γ and λ. A fit has one γ and returns a model for each of
// several penalties λ, because these models share most of the work.
//
// # Determinism
//
// The random numbers by which centres are chosen are the same in every fit. So centres and
// coefficients depend only on the rows.
package rbf
