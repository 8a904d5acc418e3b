// Package neural trains a neural network classifier for tables: an ensemble of
// multi-layer perceptrons that share most of their weights, on columns that are
// scaled and embedded.
//
//	input, encode       the columns as input vectors and embedding lookups
//	layout, packed      the parameters: in one slice, and packed for products
//	forward             inputs → probabilities
//	backward            the gradient over a part of a batch
//	optimiser           AdamW, the averaged weights, the schedule
//	fitter, workspace   batches and steps, and their working memory
//	model, codec        the averaged weights, used to predict and stored
//	cost                the estimated time of training
//
// # The network
//
// Numeric values are scaled robustly and clipped smoothly, with an input that flags
// missing values (Holzmüller et al. 2024, "Better by default: strong pre-tuned MLPs and
// boosted trees on tabular data"). They also have an embedding, which is piecewise linear
// between knots (Gorishniy et al. 2022, "On embeddings for numerical features in tabular
// deep learning"). The levels of categorical columns are embedded. One row of each
// embedding table stands for unknown levels. It is trained by treating one value in a
// hundred as unknown.
//
// The members of the ensemble are trained as one network (Gorishniy et al. 2025, "TabM:
// advancing tabular deep learning with parameter-efficient ensembling", the variant
// "mini"). They share the hidden layers. Each member has its own scales for the units of
// the first layer, and its own output layer. (TabM scales the inputs. Scaling after the
// first product is as accurate here, and a wide table needs that product only once, not
// once for each member.) Each member is trained on its own loss; the prediction is the
// mean of the members' probabilities. One large product serves all members, which is more
// efficient than several small ones.
//
// Predictions use an exponential moving average of the weights, which is accurate even in
// the middle of the learning-rate schedule.
//
// # Determinism
//
// A batch is divided into parts according to its size, not to the number of workers. Each
// part has its own gradient and random numbers, and the gradients are added in the order
// of the parts. The same seed and data produce the same bytes on the same machine.
// Package kernel documents how far different machines agree.
package neural
