// Package logistic trains logistic regressions. Their scores are linear functions of the columns,
// or smooth functions: sums of Gaussian kernels. On small tables of numbers, logistic regressions
// often predict better than trees and networks, and they are wrong on different rows.
//
//	input       the columns as vectors of numbers
//	cholesky    the features of a kernel: a few numbers for each training row
//	regression  penalised logistic regression on the features
//	fit         the models of a table, one for each penalty
//	cost        the estimated time of a fit
//	memory      the estimated memory of a fit
//	model       the scores of new rows
//	codec       the binary form of a model
//	onnx        export to ONNX
//	path        predictions for explanations
//
// # Kernel logistic regression
//
// The score of class c of a row x is a sum over some of the training rows z, the
// centres:
//
//	f_c(x) = b_c + Σ_z α_zc · exp(−γ·|x − z|²)
//
// The probabilities are the softmax of the scores. With two classes, there is only one score, that
// of the second class. The coefficients should minimise the log loss plus the penalty λ/2 · Σ_c
// α_cᵀ·K·α_c, where K is the kernel between the centres (Zhu and Hastie 2005, "Kernel logistic
// regression and the import vector machine"). A fit does a fixed number of steps towards this
// minimum. The scores at the minimum are also the most probable function of a Gaussian process with
// covariance exp(−γ·|x − z|²)/λ. With small λ, the steps end before they reach the minimum (early
// stopping).
//
// # Linear logistic regression
//
// The scores are linear functions of the inputs, and the penalty is λ/2 times the sum of
// the squared coefficients. If a weighted sum of the columns determines the class, a few
// hundred rows are enough to find the weights.
//
// # Parameters
//
// The caller chooses the kind of scores, γ and λ. A fit returns a model for each of
// several penalties λ, because these models share most of the work.
//
// # Determinism
//
// The random numbers by which centres are chosen are the same in every fit. So centres and
// coefficients depend only on the rows.
package logistic
