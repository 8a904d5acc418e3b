// Package preprocess converts the columns of a table to inputs of the networks and of the kernel
// logistic regression. These models need numbers of similar size. A numeric column is scaled by a
// [RobustScaler], and the levels of a categorical column are numbered by an [OrdinalEncoder].
package preprocess
