// Package neural trains a neural network classifier for tables. The network is an ensemble of
// multi-layer perceptrons that share most of their weights. Its inputs are scaled and embedded
// columns.
//
//	input, encode       the columns as input vectors and embedding lookups
//	layout, packed      the parameters: in one slice, and packed for products
//	forward             inputs → probabilities
//	backward, dropout   the gradient over a part of a batch, with random changes
//	optimiser           AdamW, the averaged weights
//	schedule            the length of the training and the learning rate
//	fitter, workspace   batches and steps, and their working memory
//	options             the hyperparameters
//	model, codec        the averaged weights, used to predict and stored
//	path, onnx          predictions for explanations; export to ONNX
//	cost                the estimated time of training
//
// # The network
//
// Numeric values are scaled robustly and clipped smoothly (Holzmüller et al. 2024, "Better
// by default: strong pre-tuned MLPs and boosted trees on tabular data"). An additional input
// flags missing values. Numeric values also have an embedding, which is piecewise linear
// between knots (Gorishniy et al. 2022, "On embeddings for numerical features in tabular
// deep learning"). The levels of categorical columns are embedded. One row of a
// categorical column's embedding table stands for unknown levels. To train this row, one
// value in a hundred is treated as an unknown level.
//
// The members of the ensemble are trained as one network (Gorishniy et al. 2025, "TabM:
// advancing tabular deep learning with parameter-efficient ensembling", the variant
// "mini"). They share the hidden layers. Each member has its own scales for the units of
// the first layer, and its own output layer. (TabM scales the inputs of the first layer
// instead. Scaling after the first matrix product is as accurate here, and faster on wide
// tables, because all members share this product.) Each member is trained on its own
// loss. The prediction is the mean of the members' probabilities. The matrix products of
// all members are computed as one large product, which is faster than several small
// products.
//
// Predictions use an exponential moving average of the weights. Unlike the current
// weights, it predicts accurately even in the middle of the learning-rate schedule.
//
// # Determinism
//
// The number of parts of a batch depends on the size of the batch, not on the number of
// workers. Each part has its own gradient and its own random numbers, and the gradients
// are added in the order of the parts. Therefore the same seed and data produce the same
// bytes on one machine. Package kernel describes differences between machines.
package neural
