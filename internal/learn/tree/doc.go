// Package tree grows and evaluates decision trees on binned features.
//
// The files follow the steps of training:
//
//	bin_mapper            maps the values of one column to bins; uses bin_index, radix_sort
//	binned_matrix         the binned columns of a frame, one byte for each row
//	gradient              first and second derivatives as packed integers
//	histogram             sums of gradients by bin; histogram_*: see below
//	split_numeric         the best split of a leaf by a numeric feature
//	split_categorical     the best split of a leaf by a categorical feature
//	monotone              bounds of leaf values, for monotone features
//	find_splits           builds histograms and finds the best splits of leaves
//	partition             moves the rows of a leaf to its children
//	grow                  grows a tree leaf by leaf, highest gain first
//	symmetric             grows a tree level by level, one split for all leaves
//	level_split           scores the splits of a level
//	predictor             the grown tree as an array, used to predict
//	predict_batch         predicts many binned rows at once
//	path                  predicts the rows of a path, for explanations
//	codec, onnx           the binary form of bin mappers and trees; export to ONNX
//
// Histograms are sums of integers, which are exact. They do not depend on the order of the rows or
// on the number of workers, and a histogram computed by subtraction equals the histogram built from
// rows bit by bit.
//
// # Histograms
//
// A histogram holds a packed sum of gradients for each bin of each feature. Training
// spends most of its time on building histograms, and most of that time on waiting for
// memory, because the rows of a leaf are spread over the matrix. There are three ways to
// build the histogram of a leaf.
//
// Column-wise (histogram_columnwise): the features are processed one after another. For each
// feature, the bins of all rows of the leaf are read. The cells of one feature fit in the L1 cache.
// The gradients of the rows are first copied next to each other, so that they are read in sequence.
// Eight features form a group (histogram_group). Their bins are also packed into words, so that one
// read serves eight histograms. Workers build different groups. The histograms of symmetric trees
// are built this way, because the histograms of all leaves of a level are built at once, and these
// leaves together contain all rows.
//
// Row-wise (histogram_rowwise): the rows of the leaf are read from a row-major copy of the matrix,
// in which the words of up to eight groups are next to each other (histogram_row_major). The words
// of about a thousand rows are copied to a buffer, group by group. The histograms of each group are
// then built from the buffer. Reading a row causes one or two cache misses for eight groups,
// instead of one per group. The histograms of leaf-wise trees are built this way, because one leaf
// is split at a time and most leaves have few rows. Large leaves are divided among the workers by
// rows, small leaves by groups.
//
// Sparse (histogram_sparse): for a leaf with fewer rows than half the mean number of bins
// of a feature, the histogram of a feature is a list of the bins that are not empty. Such a list
// takes less time to build and to scan than the cells of all bins. Symmetric trees use such lists
// for small leaves, which therefore need no memory for histograms.
//
// All three add the same integers, so their results are equal bit by bit. With the first two ways,
// only the histogram of the smaller of two siblings is built from rows. The histogram of the larger
// sibling is the parent's histogram minus the histogram of the smaller sibling. Leaf-wise trees
// take histograms from a pool (histogram_pool), and only a limited number of leaves keep their
// histograms. In symmetric trees, the histograms of all leaves of a level are parts of one slice,
// called slots (histogram_level).
//
// The code that builds histograms is in this package, because it uses the fields of the
// binned matrix and the growers.
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
