// Package text learns from a column of texts: a linear model of its words, pairs of
// words and sequences of characters, whose scores of the classes are features for other
// algorithms.
//
//	terms       the terms of a text, hashed to buckets
//	vocabulary  the buckets that have weights, and texts as sparse vectors
//	corpus      the texts of a table as vectors
//	fit         multinomial logistic regression by stochastic gradient descent
//	crossfit    scores of rows by models that were not trained on them
//	model       a trained model, and its scores of a text
//	binary      the binary form of a model
//
// A term has the weight (1 + ln(count)) · idf, and the weights of a text are divided by
// their norm (Manning, Raghavan & Schütze, Introduction to Information Retrieval, 2008,
// section 6.4). Terms are hashed (Weinberger et al., Feature Hashing for Large Scale
// Multitask Learning, 2009), so that no vocabulary of texts has to be kept.
//
// The vocabulary is chosen without labels. The number of passes over the rows, which is
// the only regularisation (Yao, Rosasco & Caponnetto, On Early Stopping in Gradient
// Descent Learning, 2007), is the one with the lowest log loss of the rows that a model
// was not trained on.
//
// The same texts, labels, parts and seed produce the same model for any number of workers.
package text
