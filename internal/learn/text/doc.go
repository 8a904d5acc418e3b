// Package text learns from a text column. It trains a linear model on the words, pairs of words and
// sequences of characters in the texts. The scores of this model are features for other algorithms.
//
//	terms       the terms of a text: words, pairs and character n-grams, hashed to buckets
//	vocabulary  the buckets that have weights, and texts as sparse vectors
//	corpus      the texts of a table as vectors
//	fit         multinomial logistic regression by stochastic gradient descent
//	crossfit    scores of rows by models that were not trained on them
//	model       a trained model, and its scores of a text
//	memo        features of texts that were already scored
//	binary      the binary form of a model
//	timer       the time that training takes
//
// Each term of a text has the weight (1 + ln(count)) · idf, and the weights are divided by their
// norm (Manning, Raghavan & Schütze, Introduction to Information Retrieval, 2008, section 6.4).
// Terms are hashed (Weinberger et al., Feature Hashing for Large Scale Multitask Learning, 2009),
// so that the terms themselves need not be stored.
//
// The vocabulary is chosen without labels. The only regularisation is early stopping (Yao, Rosasco
// & Caponnetto, On Early Stopping in Gradient Descent Learning, 2007): the result is the model
// after the pass with the lowest cross-validated log loss.
//
// The same texts, labels, parts and seed produce the same model for any number of workers.
package text
