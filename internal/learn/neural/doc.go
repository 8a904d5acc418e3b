// Package neural learns a classifier for tables with a neural network: several
// multi-layer perceptrons that share their weights, on columns that are
// scaled, cut at quantiles and embedded.
//
//	fitEncoder  what each column is to the network, from the training rows
//	encode      rows of a frame → input vectors and looked-up embeddings
//	layout      where each parameter lies in one flat slice
//	pass        forward: inputs → probabilities
//	lane        backward: the gradient over a share of a batch
//	Fitter      batches, AdamW, the averaged weights, the schedule
//	Model       the averaged weights, to predict and to store
//
// # The network
//
// Numbers enter as Holzmüller et al. 2024 ("Better by default: strong
// pre-tuned MLPs and boosted trees on tabular data") scale them, robustly and
// smoothly clipped, with a flag for missing cells; and again as an embedding,
// piecewise linear between knots (Gorishniy et al. 2022, "On embeddings for
// numerical features in tabular deep learning"). Levels of categories are
// embedded; one row of each table stands for whatever training did not see
// and is learnt by hiding one cell in a hundred.
//
// The members are networks learnt as one (Gorishniy et al. 2025, "TabM:
// advancing tabular deep learning with parameter-efficient ensembling", its
// "mini" form): they share the hidden layers, each scales the units of the
// first its own way and has an output layer of its own. (TabM scales the
// inputs. Scaling behind the first product is as good here, and a wide table
// costs that product once instead of once a member.) Each is to be right by
// itself; the prediction is the mean of their probabilities. One large product
// serves all members, which is what a processor does best.
//
// Predictions come from an exponential average of the weights, which makes a
// stop in the middle of the schedule a good one.
//
// # Determinism
//
// A batch is cut into shares by its size, whatever the number of workers. Each
// has a gradient and random numbers of its own, and the gradients are added in
// order. Same seed, same data, same machine: same bytes. Package
// kernel tells how far different machines agree.
package neural
