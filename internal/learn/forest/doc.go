// Package forest grows randomised forests of classification trees on binned
// features. Their members are grown independently, each on a part of the rows
// and with few features to choose from at each leaf; their probabilities are
// averaged.
//
// The pipeline is the list of files:
//
//	options  the hyperparameters
//	recipe   how trees are to be grown, and which changes of that to try
//	fitter   the steps: auditions of recipes, then the rest of the forest
//	crowd    a forest while it grows
//	jury     rows that trees vote on: the Eval rows, and out-of-bag ones
//	grow     one tree, most promising leaf first
//	table    which classes are in which bins of a feature, at one leaf
//	divide   the best split of a leaf on one feature, by Gini's index
//	chance   a random one
//	member   the grown tree as an array
//	model    the forest, to predict with
//	codec    its binary form
//	effort   what the work is estimated to take
//
// Class distributions at leaves are 16-bit fractions and votes are sums of
// integers, hence exact: they do not depend on the order of the trees or on
// the number of workers.
//
// What a forest does not know of a row it can tell by the trees that have not
// learned from it. These out-of-bag votes choose the recipe and the
// temperature that makes the averaged probabilities honest. (Averages of many
// trees are too timid where each of them is nearly always right, and too bold
// where leaves of one row meet noise.) Eval rows have no part in either.
//
// # References
//
//   - L. Breiman, Random forests, Machine Learning 45 (2001).
//   - P. Geurts, D. Ernst, L. Wehenkel, Extremely randomized trees, Machine
//     Learning 63 (2006).
//   - P. Bühlmann, B. Yu, Analyzing bagging, Annals of Statistics 30 (2002).
//   - L. Breiman et al., Classification and regression trees (1984).
//   - C. Guo et al., On calibration of modern neural networks, ICML 2017.
package forest
