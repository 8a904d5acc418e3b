// Package tree grows and evaluates decision trees on binned features.
//
// The files follow the steps of training:
//
//	bin_mapper            maps the values of one column to bins
//	binned_matrix         the binned columns of a frame, one byte for each row
//	gradient              first and second derivatives as packed integers
//	histogram             sums of gradients by bin; histogram_*: see below
//	split_numeric         the best split of a leaf by a numeric feature
//	split_categorical     the best split of a leaf by a categorical feature
//	monotone              bounds of leaf values, for features with a direction
//	find_splits           builds histograms and finds the best splits of leaves
//	partition             moves the rows of a leaf to its children
//	grow                  grows a tree leaf by leaf, highest gain first
//	symmetric             grows a tree level by level, one split for all leaves
//	level_split           scores the splits of a level
//	predictor             the grown tree as an array, used to predict
//	predict_batch         predicts many binned rows at once
//	codec                 the binary form of bin mappers and trees
//
// Histograms are sums of integers, which are exact. They do not depend on the
// order of the rows or on the number of workers, and a histogram computed by
// subtraction equals the one built from rows bit by bit.
//
// # Histograms
//
// A histogram holds a packed sum of gradients for each bin of each feature.
// Most of the time of training is spent building histograms, and most of that
// on waiting for memory, because the rows of a leaf are spread over the matrix.
// There are three ways to build the histogram of a leaf.
//
// Column-wise (histogram_columnwise): the bins of all rows of the leaf are read
// for one feature after another. The gradients are first copied in the order of
// the rows, so that they are read in sequence, and the cells of the feature
// stay in the nearest cache. The bins of eight features, a group
// (histogram_group), are also packed into words, so that one read of a word
// serves eight histograms. Each group is a task. Symmetric trees are built
// column-wise, because a level has many leaves whose rows are read together,
// output by output.
//
// Row-wise (histogram_rowwise): rows are read block by block, from a row-major copy of the
// matrix in which the words of all groups of a row are next to each other
// (histogram_row_major). The words of a block are stored group by group in a buffer. Each
// group is then accumulated from the buffer. A row costs one or two cache misses for all
// features instead of one for each group. Leaf-wise trees are built row-wise, because they
// split one leaf at a time and most leaves have few rows. Large leaves are divided among
// the workers by rows, small leaves by groups.
//
// Sparse (histogram_sparse): for a leaf with fewer rows than half the mean
// number of bins, only the bins that are not empty are kept, in a list.
// Building the list is faster than clearing a histogram, and scanning the list
// is faster than scanning a histogram. Symmetric trees use lists for the small
// leaves of their last levels, which then need no memory for histograms.
//
// All three add the same integers, so their results are equal bit by bit. Column-wise and
// row-wise, only the histogram of the smaller of two siblings is built from rows. This
// histogram is subtracted from the parent's histogram, which yields the histogram of the
// larger sibling. Leaf-wise trees take histograms from a pool of limited size
// (histogram_pool). In symmetric trees the leaves of a level own slots of one slice
// (histogram_level).
//
// The builders are part of this package because they share the layout of the
// binned matrix and the rows of the leaves with the growers.
//
// # References
//
//   - J. H. Friedman, Greedy function approximation: a gradient boosting
//     machine, Annals of Statistics 29 (2001).
//   - T. Chen, C. Guestrin, XGBoost: a scalable tree boosting system, KDD 2016.
//   - G. Ke et al., LightGBM: a highly efficient gradient boosting decision
//     tree, NIPS 2017.
//   - Y. Shi et al., Quantized training of gradient boosting decision trees,
//     NeurIPS 2022.
//   - C. Auguste, S. Malory, I. Smirnov, A better method to enforce monotonic
//     constraints in regression and classification trees, 2020.
//   - W. D. Fisher, On grouping for maximum homogeneity, JASA 53 (1958).
package tree
