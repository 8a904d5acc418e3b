// Package forest grows randomised forests of classification trees on binned features. The trees are
// grown independently, each on a sample of the rows. Each leaf is split on one of a few random
// features. A prediction is the average of the trees' probabilities.
//
// The package uses the bins and the type Tree of package tree, but not its growers: here,
// histograms count classes instead of summing gradients, and only a few features are tried at each
// leaf.
//
// The files:
//
//	options          the hyperparameters
//	params           growth parameters and the search for better ones
//	fitter           the steps: pilot forests, then the rest of the forest
//	growing_forest   a forest while it grows
//	votes            the votes on validation rows and out-of-bag rows
//	grow             one tree, leaf of highest gain first
//	class_histogram  the classes in the bins of a feature, at one leaf
//	best_splitter    the best split of a leaf on a feature, by Gini impurity
//	random_splitter  a random split
//	importance       the importance of features
//	monotone         bounds of class fractions, for monotone features
//	forest_tree      the grown tree as an array
//	model            the forest, used to predict
//	codec, onnx      its binary form; export to ONNX
//	path             predictions for explanations
//	cost             the estimated time of training
//
// Class distributions of leaves are 16-bit fractions, and votes are sums of these integers. The
// sums are exact, so they do not depend on the order of the trees or on the number of workers.
//
// The out-of-bag votes on a row are the votes of the trees that were not trained on it. The growth
// parameters are fitted to these votes, and so is the temperature, which calibrates the averaged
// probabilities: the average of many trees is underconfident if nearly all trees are right, and
// overconfident if labels are noisy and leaves contain a single row. Validation rows are not used
// for either purpose. If Options.usesExtraTrees is set, trees with random splits are trained on all
// rows after the search, and have no out-of-bag votes.
//
// # References
//
//   - L. Breiman, Random forests, Machine Learning 45 (2001).
//   - P. Geurts, D. Ernst, L. Wehenkel, Extremely randomized trees, Machine
//     Learning 63 (2006).
//   - P. Bühlmann, B. Yu, Analyzing bagging, Annals of Statistics 30 (2002).
//   - L. Breiman et al., Classification and regression trees (1984).
//   - X. Li et al., A debiased MDI feature importance measure for random forests, NeurIPS 2019.
//   - C. Guo et al., On calibration of modern neural networks, ICML 2017.
package forest
