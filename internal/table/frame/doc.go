// Package frame holds a table as typed columns for the learning engine: a Frame of
// numeric, category and text Columns, described by a Schema. It is built on csvfile and
// cells. Package profile makes a Schema, and package learn uses the frames.
//
//	Load         reads a whole file with a Schema into a Frame
//	BlockReader  reads a blind file in Blocks, which keep the bytes of each row
//
// The columns of a Schema are features. From a file's column of dates, several features are made,
// such as the weekday and the hour. From a column of long texts, features of its words are made. An
// uninformative column has no features.
package frame
